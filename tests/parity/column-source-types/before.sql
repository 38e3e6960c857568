CREATE DATABASE p_column_source_types;
USE p_column_source_types;
CREATE TABLE outbox (id CHAR(36) NOT NULL PRIMARY KEY, aggregatetype VARCHAR(255) NOT NULL, aggregateid VARCHAR(255) NOT NULL, type VARCHAR(255) NOT NULL, payload JSON, n INT UNSIGNED, d DECIMAL(9,3), v VARCHAR(30));
