USE p_snapshot_recovery_without_offset;
INSERT INTO outbox VALUES ('9','Order','k','T','9');
