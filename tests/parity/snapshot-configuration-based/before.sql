CREATE DATABASE p_snapshot_configuration_based;
USE p_snapshot_configuration_based;
CREATE TABLE outbox (id CHAR(36) NOT NULL PRIMARY KEY, aggregatetype VARCHAR(255) NOT NULL, aggregateid VARCHAR(255) NOT NULL, type VARCHAR(255) NOT NULL, payload JSON);
INSERT INTO outbox (id, aggregatetype, aggregateid, type, payload) VALUES ('1', 'Order', 'k1', 'Created', '{"a": 1}'), ('2', 'User', 'k2', 'Updated', NULL), ('3', 'Order', 'k1', 'Deleted', '[]');
