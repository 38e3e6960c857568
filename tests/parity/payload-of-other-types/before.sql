CREATE DATABASE p_payload_of_other_types;
USE p_payload_of_other_types;
CREATE TABLE outbox (id CHAR(36) NOT NULL PRIMARY KEY, aggregatetype VARCHAR(255) NOT NULL, aggregateid VARCHAR(255) NOT NULL, type VARCHAR(255) NOT NULL, payload JSON, p DATETIME(6), k ENUM('a','b'));
