CREATE DATABASE p_tables_that_are_excluded;
USE p_tables_that_are_excluded;
CREATE TABLE outbox (id CHAR(36) NOT NULL PRIMARY KEY, aggregatetype VARCHAR(255) NOT NULL, aggregateid VARCHAR(255) NOT NULL, type VARCHAR(255) NOT NULL, payload JSON);
CREATE TABLE noise (id INT PRIMARY KEY);
CREATE TABLE other22 (id INT PRIMARY KEY);
