CREATE DATABASE p_snapshot_override_some_columns;
USE p_snapshot_override_some_columns;
CREATE TABLE outbox (id CHAR(36) NOT NULL PRIMARY KEY, aggregatetype VARCHAR(255) NOT NULL, aggregateid VARCHAR(255) NOT NULL, type VARCHAR(255) NOT NULL, payload JSON, i1 VARCHAR(9) NULL INVISIBLE, i2 VARCHAR(9) NULL DEFAULT 'd2' INVISIBLE, i3 INT NOT NULL DEFAULT 7 INVISIBLE, w INT NOT NULL, v VARCHAR(9));
INSERT INTO outbox (id, aggregatetype, aggregateid, type, payload, i1, i2, i3, w, v) VALUES ('s1','Order','k','T','{"a": 1}','a','b',1,2,'c'),('s2','User','u','T',NULL,NULL,NULL,3,4,NULL),('s3','Order','u','T',NULL,'x',NULL,3,4,'z');
