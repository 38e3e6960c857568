CREATE DATABASE p_field_names_avro_unicode;
USE p_field_names_avro_unicode;
SET NAMES utf8mb4;
CREATE TABLE outbox (id CHAR(36) NOT NULL PRIMARY KEY, aggregatetype VARCHAR(255) NOT NULL, aggregateid VARCHAR(255) NOT NULL, type VARCHAR(255) NOT NULL, payload JSON, `my-col` INT, a_b INT, `öl` INT);
