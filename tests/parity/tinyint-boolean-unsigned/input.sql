USE p_tinyint_boolean_unsigned;
INSERT INTO outbox VALUES ('0','Order','k','T','1',255,255,127),
  ('1','Order','k','T','1',128,128,-128),
  ('2','Order','k','T','1',127,1,1),
  ('3','Order','k','T','1',0,0,0);
