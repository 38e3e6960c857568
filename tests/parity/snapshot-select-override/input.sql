USE p_snapshot_select_override;
INSERT INTO outbox VALUES ('9','Order','k','T','9');
