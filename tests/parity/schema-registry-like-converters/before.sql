CREATE DATABASE p_schema_registry_like_converters;
USE p_schema_registry_like_converters;
CREATE TABLE outbox (id CHAR(36) NOT NULL PRIMARY KEY, aggregatetype VARCHAR(255) NOT NULL, aggregateid VARCHAR(255) DEFAULT 'dk', type VARCHAR(255) NOT NULL, payload VARCHAR(99) DEFAULT 'dp');
