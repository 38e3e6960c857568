USE p_tinyint_boolean_selector;
INSERT INTO outbox VALUES ('1','Order','k','T','1',1,0,1,1,0),
  ('2','Order','k','T','2',-1,-1,-1,0,NULL),
  ('3','Order','k','T','3',NULL,DEFAULT,NULL,NULL,NULL),
  ('4','Order','k','T','4',2,100,127,255,1);
