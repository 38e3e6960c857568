CREATE DATABASE p_tinyint_boolean_unsigned;
USE p_tinyint_boolean_unsigned;
CREATE TABLE outbox (id CHAR(36) NOT NULL PRIMARY KEY, aggregatetype VARCHAR(255) NOT NULL, aggregateid VARCHAR(255) NOT NULL, type VARCHAR(255) NOT NULL, payload JSON, c TINYINT UNSIGNED, d TINYINT(1) UNSIGNED, e TINYINT(1));
INSERT INTO outbox VALUES ('s0','Order','k','T','1',255,255,127),
  ('s1','Order','k','T','1',128,128,-128),
  ('s2','Order','k','T','1',127,1,1),
  ('s3','Order','k','T','1',0,0,0);
