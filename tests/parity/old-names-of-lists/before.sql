CREATE DATABASE p_old_names_of_lists;
USE p_old_names_of_lists;
CREATE TABLE outbox (id CHAR(36) NOT NULL PRIMARY KEY, aggregatetype VARCHAR(255) NOT NULL, aggregateid VARCHAR(255) NOT NULL, type VARCHAR(255) NOT NULL, payload JSON);
CREATE TABLE noise (id INT PRIMARY KEY);
