USE p_raw_schema_names_avro_unicode;
INSERT INTO outbox VALUES ('1','Order','k','T','1');
INSERT INTO other VALUES (1,'x');
