USE p_field_names_avro_unicode;
INSERT INTO outbox VALUES ('1','Order','k','T','1',1,2,3);
