CREATE DATABASE p_binary_data_string_delegate;
USE p_binary_data_string_delegate;
CREATE TABLE outbox (id CHAR(36) NOT NULL PRIMARY KEY, aggregatetype VARCHAR(255) NOT NULL, aggregateid VARCHAR(255) NOT NULL, type VARCHAR(255) NOT NULL, payload JSON, p BLOB);
