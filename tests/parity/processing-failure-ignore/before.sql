CREATE DATABASE p_processing_failure_ignore;
USE p_processing_failure_ignore;
CREATE TABLE outbox (id CHAR(36) NOT NULL PRIMARY KEY, aggregatetype VARCHAR(255) NOT NULL, aggregateid VARCHAR(255) NOT NULL, type VARCHAR(255) NOT NULL, payload JSON, a TIME NOT NULL);
