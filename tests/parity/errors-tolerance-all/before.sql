CREATE DATABASE p_errors_tolerance_all;
USE p_errors_tolerance_all;
CREATE TABLE outbox (id CHAR(36) NOT NULL PRIMARY KEY, aggregatetype VARCHAR(255), aggregateid VARCHAR(255) NOT NULL, type VARCHAR(255) NOT NULL, payload JSON, p BLOB);
