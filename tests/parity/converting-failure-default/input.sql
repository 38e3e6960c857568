USE p_converting_failure_default;
INSERT INTO outbox VALUES ('1','Order','k','T','1','12:00:00','12:00:00');
INSERT INTO outbox VALUES ('2','Order','k','T','2','-01:00:00','-01:00:00'),
  ('3','Order','k','T','3','13:00:00','100:00:00');
INSERT INTO outbox VALUES ('4','Order','k','T','4','01:00:00','01:00:00');
