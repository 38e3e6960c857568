CREATE DATABASE p_two_outbox_tables;
USE p_two_outbox_tables;
CREATE TABLE outbox (id CHAR(36) NOT NULL PRIMARY KEY, aggregatetype VARCHAR(255) NOT NULL, aggregateid VARCHAR(255) NOT NULL, type VARCHAR(255) NOT NULL, payload JSON);
CREATE TABLE second_outbox LIKE outbox;
INSERT INTO outbox VALUES ('s1','Order','k','T','{"a": 1}'),('s2','User','u','T',NULL),('s3','Order','n','T','[1]');
INSERT INTO second_outbox VALUES ('s1','Order','k','T','{"a": 1}'),('s2','User','u','T',NULL),('s3','Order','n','T','[1]');
