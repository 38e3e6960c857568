USE p_binary_data_string_delegate;
INSERT INTO outbox VALUES ('1','Order','k','T','1',X'00FF'),
  ('2','Order','','T','1',''),
  ('3','Order','k','T','1',NULL);
