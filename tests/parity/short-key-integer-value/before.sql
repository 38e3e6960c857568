CREATE DATABASE p_short_key_integer_value;
USE p_short_key_integer_value;
CREATE TABLE outbox (id CHAR(36) NOT NULL PRIMARY KEY, aggregatetype VARCHAR(255) NOT NULL, aggregateid VARCHAR(255) NOT NULL, type VARCHAR(255) NOT NULL, payload JSON, s SMALLINT, i INT, l BIGINT, f FLOAT, d DOUBLE, b BIT(1));
