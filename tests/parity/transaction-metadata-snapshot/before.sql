CREATE DATABASE p_transaction_metadata_snapshot;
USE p_transaction_metadata_snapshot;
CREATE TABLE outbox (id CHAR(36) NOT NULL PRIMARY KEY, aggregatetype VARCHAR(255) NOT NULL, aggregateid VARCHAR(255) NOT NULL, type VARCHAR(255) NOT NULL, payload JSON);
CREATE TABLE other (id INT PRIMARY KEY, v VARCHAR(9));
CREATE TABLE noise (id INT PRIMARY KEY, v VARCHAR(9));
INSERT INTO outbox VALUES ('s1','Order','k','T','1'),('s2','Order','k','T','1');
INSERT INTO other VALUES (100,'s'),(101,'s');
