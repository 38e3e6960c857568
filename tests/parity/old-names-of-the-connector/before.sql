CREATE DATABASE p_old_names_of_the_connector;
USE p_old_names_of_the_connector;
CREATE TABLE outbox (id CHAR(36) NOT NULL PRIMARY KEY, aggregatetype VARCHAR(255) NOT NULL, aggregateid VARCHAR(255) NOT NULL, type VARCHAR(255) NOT NULL, payload JSON, secret INT, `1odd-name` INT);
