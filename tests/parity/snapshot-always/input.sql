USE p_snapshot_always;
INSERT INTO outbox VALUES ('9','Order','k','T','9');
