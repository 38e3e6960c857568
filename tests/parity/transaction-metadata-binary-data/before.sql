CREATE DATABASE p_transaction_metadata_binary_data;
USE p_transaction_metadata_binary_data;
CREATE TABLE outbox (id CHAR(36) NOT NULL PRIMARY KEY, aggregatetype VARCHAR(255) NOT NULL, aggregateid VARBINARY(255) NOT NULL, type VARCHAR(255) NOT NULL, payload BLOB);
CREATE TABLE other (id INT PRIMARY KEY, v VARCHAR(9));
CREATE TABLE noise (id INT PRIMARY KEY, v VARCHAR(9));
