USE p_processing_failure_warn;
INSERT INTO outbox VALUES ('1','Order','k','T','1','12:00:00');
INSERT INTO outbox VALUES ('2','Order','k','T','2','13:00:00'),
  ('3','Order','k','T','3','-01:00:00'),
  ('5','Order','k','T','5','15:00:00');
INSERT INTO outbox VALUES ('4','Order','k','T','4','01:00:00');
