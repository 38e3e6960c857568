USE p_tinyint_boolean_default;
INSERT INTO outbox VALUES ('1','Order','k','T','1',NULL,NULL,NULL,NULL),('2','Order','k','T','1',217,1,-3,128),('3','Order','k','T','1',0,0,0,0);
