USE p_partial_json_key_update;
INSERT INTO outbox VALUES ('1','Order','k','T','{"a": 1}'),('2','Order','k','T',NULL);
SET SESSION binlog_row_value_options = PARTIAL_JSON;
UPDATE outbox SET id = '3' WHERE id = '1';
UPDATE outbox SET payload = JSON_SET(payload, '$.a', 2) WHERE id = '3';
UPDATE outbox SET id = '4' WHERE id = '2';
INSERT INTO outbox VALUES ('5','Order','k','T','5');
