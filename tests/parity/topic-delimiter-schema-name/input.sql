USE p_topic_delimiter_schema_name;
INSERT INTO outbox VALUES ('1','Order','k','T','1');
UPDATE outbox SET id = '2';
