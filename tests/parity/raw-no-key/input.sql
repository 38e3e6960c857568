USE p_raw_no_key;
INSERT INTO other VALUES ('a', 1);
UPDATE other SET n = 2;
DELETE FROM other;
INSERT INTO outbox VALUES ('1','Order','k','T','1');
