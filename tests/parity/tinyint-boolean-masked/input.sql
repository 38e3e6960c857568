USE p_tinyint_boolean_masked;
INSERT INTO outbox VALUES ('1','Order','k','T','1',255,-1,1,200,1),('2','Order','k','T','1',0,NULL,0,NULL,NULL);
