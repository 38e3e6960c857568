USE p_schema_names_avro;
INSERT INTO outbox VALUES ('1','Order','k','T','1');
