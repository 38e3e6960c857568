CREATE DATABASE p_integer_key_long_value;
USE p_integer_key_long_value;
CREATE TABLE outbox (id CHAR(36) NOT NULL PRIMARY KEY, aggregatetype VARCHAR(255) NOT NULL, aggregateid VARCHAR(255) NOT NULL, type VARCHAR(255) NOT NULL, payload JSON, s SMALLINT, i INT, l BIGINT, f FLOAT, d DOUBLE, b BIT(1));
