CREATE DATABASE p_raw_compound_key;
USE p_raw_compound_key;
CREATE TABLE outbox (id CHAR(36) NOT NULL PRIMARY KEY, aggregatetype VARCHAR(255) NOT NULL, aggregateid VARCHAR(255) NOT NULL, type VARCHAR(255) NOT NULL, payload JSON);
CREATE TABLE other (v VARCHAR(9), n BIGINT, a CHAR(3), PRIMARY KEY (a, n));
