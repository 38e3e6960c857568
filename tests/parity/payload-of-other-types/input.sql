USE p_payload_of_other_types;
INSERT INTO outbox VALUES ('1','Order','k','T','1','2024-02-29 01:02:03.4','a'),
  ('2','Order','k','T','1',NULL,NULL),
  ('3','Order','k','T','1','1969-12-31 23:59:59.999999','b');
