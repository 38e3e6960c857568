CREATE DATABASE p_expand_text_documents;
USE p_expand_text_documents;
SET NAMES utf8mb4;
CREATE TABLE outbox (id CHAR(36) NOT NULL PRIMARY KEY, aggregatetype VARCHAR(255) NOT NULL, aggregateid VARCHAR(255) NOT NULL, type VARCHAR(255) NOT NULL, payload TEXT);
