CREATE DATABASE p_filter_before_router;
USE p_filter_before_router;
CREATE TABLE outbox (id CHAR(36) NOT NULL PRIMARY KEY, aggregatetype VARCHAR(255) NOT NULL, aggregateid VARCHAR(255) NOT NULL, type VARCHAR(255) NOT NULL, payload JSON);
CREATE TABLE other (id INT PRIMARY KEY, v VARCHAR(9), d DECIMAL(6,2) NOT NULL DEFAULT 1.50, at DATETIME(3) NULL, b VARBINARY(4), e ENUM('a','b') DEFAULT 'b');
