USE p_long_key_float_value;
INSERT INTO outbox VALUES ('1','Order','k','T','1',-32768,2147483647,-1,1.5,1e300,b'1'),
  ('2','Order','k','T','2',1,-1,9223372036854775807,-0.0,0.001,b'0'),
  ('3','Order','k','T','3',NULL,NULL,NULL,NULL,NULL,NULL);
