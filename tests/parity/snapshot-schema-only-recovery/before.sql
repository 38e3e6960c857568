CREATE DATABASE p_snapshot_schema_only_recovery;
USE p_snapshot_schema_only_recovery;
CREATE TABLE outbox (id CHAR(36) NOT NULL PRIMARY KEY, aggregatetype VARCHAR(255) NOT NULL, aggregateid VARCHAR(255) NOT NULL, type VARCHAR(255) NOT NULL, payload JSON);
INSERT INTO outbox VALUES ('s1','Order','k','T','{"a": 1}'),('s2','User','u','T',NULL),('s3','Order','n','T','[1]');
