USE p_snapshot_include_collection;
INSERT INTO outbox VALUES ('9','Order','k','T','9');
