CREATE DATABASE p_converting_failure_fail;
USE p_converting_failure_fail;
CREATE TABLE outbox (id CHAR(36) NOT NULL PRIMARY KEY, aggregatetype VARCHAR(255) NOT NULL, aggregateid VARCHAR(255) NOT NULL, type VARCHAR(255) NOT NULL, payload JSON, a TIME, b TIME NOT NULL DEFAULT '10:00:00');
