-- The statements behind outbox.binlog, recorded whole by MySQL 9.7.4.
SET SESSION sql_log_bin=0;
CREATE DATABASE shop; USE shop;
CREATE TABLE outbox (id BIGINT AUTO_INCREMENT PRIMARY KEY, aggregatetype VARCHAR(64) NOT NULL, aggregateid VARCHAR(64) NOT NULL, type VARCHAR(64) NOT NULL, payload JSON NOT NULL);
CREATE TABLE outbox_text (id CHAR(36) PRIMARY KEY, aggregatetype VARCHAR(64) NOT NULL, aggregateid VARCHAR(64) NOT NULL, type VARCHAR(64) NOT NULL, payload MEDIUMTEXT NOT NULL, created DATETIME(6) NOT NULL);
DELIMITER //
CREATE PROCEDURE rows_of(n INT, text BOOL) BEGIN DECLARE i INT DEFAULT 0; WHILE i < n DO
 IF text THEN INSERT INTO outbox_text VALUES (CONCAT('00000000-0000-4000-8000-', LPAD(i, 12, '0')), 'Order', CONCAT('order-', i), 'OrderCreated', CONCAT('{"order": ', i, ', "note": "', REPEAT('leave it at the second floor ', 33), '"}'), '2024-02-29 12:34:56.789012');
 ELSE INSERT INTO outbox (aggregatetype, aggregateid, type, payload) VALUES ('Order', CONCAT('order-', i), 'OrderCreated', JSON_OBJECT('order_id', CONCAT('order-', i), 'user_id', CONCAT('user-', i MOD 10), 'amount', 19.99, 'currency', 'EUR', 'items', JSON_ARRAY(i, i + 1, i + 2), 'note', REPEAT('leave it at the second floor ', 4), 'paid', TRUE));
 END IF; SET i = i + 1; END WHILE; END//
DELIMITER ;
SET SESSION sql_log_bin=1;
SET GLOBAL binlog_row_metadata=FULL;
CALL rows_of(40, FALSE);
START TRANSACTION; CALL rows_of(24, FALSE); COMMIT;
CALL rows_of(16, TRUE);
SET GLOBAL binlog_row_metadata=MINIMAL;
FLUSH BINARY LOGS;
