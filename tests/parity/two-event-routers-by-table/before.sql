CREATE DATABASE p_two_event_routers_by_table;
USE p_two_event_routers_by_table;
CREATE TABLE outbox (id CHAR(36) NOT NULL PRIMARY KEY, aggregatetype VARCHAR(255) NOT NULL, aggregateid VARCHAR(255) NOT NULL, type VARCHAR(255) NOT NULL, payload JSON);
CREATE TABLE other (id INT PRIMARY KEY, aggregatetype VARCHAR(9) NOT NULL, k VARCHAR(9) NOT NULL, what VARCHAR(9), body JSON);
