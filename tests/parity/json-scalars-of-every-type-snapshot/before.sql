CREATE DATABASE p_json_scalars_of_every_type_snapshot;
USE p_json_scalars_of_every_type_snapshot;
CREATE TABLE outbox (id CHAR(36) NOT NULL PRIMARY KEY, aggregatetype VARCHAR(255) NOT NULL, aggregateid VARCHAR(255) NOT NULL, type VARCHAR(255) NOT NULL, payload JSON);
INSERT INTO outbox VALUES ('0','Order','k','T',CAST('1' AS JSON)),
  ('1','Order','k','T',CAST('"t"' AS JSON)),
  ('2','Order','k','T',CAST('null' AS JSON)),
  ('3','Order','k','T',CAST(1.50 AS JSON)),
  ('4','Order','k','T',CAST(CAST(0 AS DECIMAL(20,10)) AS JSON)),
  ('5','Order','k','T',CAST(CAST('2024-02-29' AS DATE) AS JSON)),
  ('6','Order','k','T',CAST(CAST('838:59:59' AS TIME) AS JSON)),
  ('7','Order','k','T',CAST(CAST('2024-02-29 01:02:03.000012' AS DATETIME(6)) AS JSON)),
  ('8','Order','k','T',JSON_OBJECT('b',CAST(X'00FF10' AS BINARY),'y',CAST(2024 AS YEAR),'u',CAST(18446744073709551615 AS UNSIGNED),'t',TRUE,'bit',b'101')),
  ('9','Order','k','T',JSON_ARRAY(1e7,12345678.9,0.001,0.0005,1e22,-0.0,-2.5e-7,1e-300)),
  ('10','Order','k','T',JSON_OBJECT('long',REPEAT('x',70000),'n',1,'s','after','a',JSON_ARRAY(1,2)));
