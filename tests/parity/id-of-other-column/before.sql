CREATE DATABASE p_id_of_other_column;
USE p_id_of_other_column;
CREATE TABLE outbox (nr BIGINT AUTO_INCREMENT PRIMARY KEY, eventid BINARY(4) NOT NULL, id INT, aggregatetype VARCHAR(255) NOT NULL, aggregateid VARCHAR(255) NOT NULL, type VARCHAR(255) NOT NULL, payload JSON);
