CREATE DATABASE p_placement_oddities;
USE p_placement_oddities;
CREATE TABLE outbox (id CHAR(36) NOT NULL PRIMARY KEY, aggregatetype VARCHAR(255) NOT NULL, aggregateid VARCHAR(255) NOT NULL, type VARCHAR(255) NOT NULL, payload JSON, p1 INT, p2 INT);
