CREATE DATABASE p_heartbeat_action_query;
USE p_heartbeat_action_query;
CREATE TABLE outbox (id CHAR(36) NOT NULL PRIMARY KEY, aggregatetype VARCHAR(255) NOT NULL, aggregateid VARCHAR(255) NOT NULL, type VARCHAR(255) NOT NULL, payload JSON);
GRANT INSERT ON p_heartbeat_action_query.* TO debezium@'%';
