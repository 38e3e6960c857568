CREATE DATABASE p_mask_hash_unknown_algorithm;
USE p_mask_hash_unknown_algorithm;
CREATE TABLE outbox (id CHAR(36) NOT NULL PRIMARY KEY, aggregatetype VARCHAR(255) NOT NULL, aggregateid VARCHAR(255) NOT NULL, type VARCHAR(255) NOT NULL, payload JSON);
