USE p_placement_oddities;
INSERT INTO outbox VALUES ('1','Order','k','T','1',0,2),('2','Order','k','U','1',1,NULL);
