USE p_schema_registry_like_converters;
INSERT INTO outbox VALUES ('1','Order',NULL,'T',NULL),('2','Order','k','T','p');
