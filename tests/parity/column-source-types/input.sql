USE p_column_source_types;
INSERT INTO outbox VALUES ('1','Order','k','T','{"a": 1}',1,2.5,'x');
