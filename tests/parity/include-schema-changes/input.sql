USE p_include_schema_changes;
INSERT INTO outbox VALUES ('1','Order','k','T','1');
ALTER TABLE outbox ADD COLUMN more INT;
INSERT INTO outbox VALUES ('2','Order','k','T','1',5);
