USE p_snapshot_when_needed;
INSERT INTO outbox VALUES ('9','Order','k','T','9');
