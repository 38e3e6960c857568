USE p_converting_failure_fail;
INSERT INTO outbox VALUES ('2','Order','k','T','2','-01:00:00','01:00:00');
INSERT INTO outbox VALUES ('4','Order','k','T','4','01:00:00','01:00:00');
