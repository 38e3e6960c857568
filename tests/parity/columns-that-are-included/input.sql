USE p_columns_that_are_included;
INSERT INTO outbox VALUES ('1','Order','k','T','1',7,'x'),
  ('2','User','k','T',NULL,NULL,NULL);
