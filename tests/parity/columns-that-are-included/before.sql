CREATE DATABASE p_columns_that_are_included;
USE p_columns_that_are_included;
CREATE TABLE outbox (id CHAR(36) NOT NULL PRIMARY KEY, aggregatetype VARCHAR(255) NOT NULL, aggregateid VARCHAR(255) NOT NULL, type VARCHAR(255) NOT NULL, payload JSON, n1 INT, note TEXT);
