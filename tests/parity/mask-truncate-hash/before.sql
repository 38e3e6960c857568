CREATE DATABASE p_mask_truncate_hash;
USE p_mask_truncate_hash;
CREATE TABLE outbox (id CHAR(36) NOT NULL PRIMARY KEY, aggregatetype VARCHAR(255) NOT NULL, aggregateid VARCHAR(255) NOT NULL, type VARCHAR(255) NOT NULL, payload VARCHAR(200), note VARCHAR(50), secret VARCHAR(50));
