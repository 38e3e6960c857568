CREATE DATABASE p_processing_failure_warn;
USE p_processing_failure_warn;
CREATE TABLE outbox (id CHAR(36) NOT NULL PRIMARY KEY, aggregatetype VARCHAR(255) NOT NULL, aggregateid VARCHAR(255) NOT NULL, type VARCHAR(255) NOT NULL, payload JSON, a TIME NOT NULL);
