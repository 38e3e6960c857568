USE p_tinyint_boolean_zerofill;
INSERT INTO outbox VALUES ('1','Order','k','T','1',5,1,0);
