USE p_schema_names_avro_unicode;
INSERT INTO outbox VALUES ('1','Order','k','T','1');
