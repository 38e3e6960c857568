CREATE DATABASE p_old_names_of_the_router;
USE p_old_names_of_the_router;
CREATE TABLE outbox (id CHAR(36) NOT NULL PRIMARY KEY, aggregatetype VARCHAR(255) NOT NULL, aggregateid VARCHAR(255) NOT NULL, event_type VARCHAR(255) NOT NULL, body JSON, v INT);
