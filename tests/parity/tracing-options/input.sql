USE p_tracing_options;
INSERT INTO outbox VALUES ('1','Order','k','T','1','traceparent=00-1-2-01'),
  ('2','Order','k','T','2',NULL);
