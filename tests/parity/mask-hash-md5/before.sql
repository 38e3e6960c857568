CREATE DATABASE p_mask_hash_md5;
USE p_mask_hash_md5;
CREATE TABLE outbox (id CHAR(36) NOT NULL PRIMARY KEY, aggregatetype VARCHAR(255) NOT NULL, aggregateid VARCHAR(255) NOT NULL, type VARCHAR(255) NOT NULL, payload JSON, m VARCHAR(80));
