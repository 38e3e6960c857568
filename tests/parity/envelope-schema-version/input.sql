USE p_envelope_schema_version;
INSERT INTO outbox VALUES ('1','Order','k','T','1',1),
  ('2','Order','k','T','2',2),
  ('3','Order','k','T','3',NULL),
  ('4','Order','k','T','4',1);
