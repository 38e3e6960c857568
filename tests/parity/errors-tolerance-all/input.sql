USE p_errors_tolerance_all;
INSERT INTO outbox VALUES ('1','Order','k','T','1','a'),
  ('2',NULL,'k','T','1','b');
INSERT INTO outbox VALUES ('3','Order','k','T','1','c');
