CREATE DATABASE p_snapshot_select_override;
USE p_snapshot_select_override;
CREATE TABLE outbox (id CHAR(36) NOT NULL PRIMARY KEY, aggregatetype VARCHAR(255) NOT NULL, aggregateid VARCHAR(255) NOT NULL, type VARCHAR(255) NOT NULL, payload JSON);
INSERT INTO outbox VALUES ('1','Order','k','T','{"a": 1}'),('2','User','u','T',NULL),('3','Order','n','T','[1]');
