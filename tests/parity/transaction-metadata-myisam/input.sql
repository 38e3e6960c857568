USE p_transaction_metadata_myisam;
SET SESSION binlog_direct_non_transactional_updates = OFF;
INSERT INTO m VALUES (1);
INSERT INTO outbox VALUES ('1','Order','k','T','1');
INSERT INTO m VALUES (2);
TRUNCATE TABLE other;
INSERT INTO outbox VALUES ('9','Order','k','T','9');
