CREATE DATABASE p_transaction_metadata;
USE p_transaction_metadata;
CREATE TABLE outbox (id CHAR(36) NOT NULL PRIMARY KEY, aggregatetype VARCHAR(255) NOT NULL, aggregateid VARCHAR(255) NOT NULL, type VARCHAR(255) NOT NULL, payload JSON);
CREATE TABLE other (id INT PRIMARY KEY, v VARCHAR(9));
CREATE TABLE noise (id INT PRIMARY KEY, v VARCHAR(9));
