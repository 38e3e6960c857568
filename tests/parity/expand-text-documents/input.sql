USE p_expand_text_documents;
SET NAMES utf8mb4;
INSERT INTO outbox VALUES ('0','Order','k','T',''),
  ('1','Order','k','T',' {"a":1}'),
  ('2','Order','k','T','{"a":1} trailing'),
  ('3','Order','k','T','{''a'':1}'),
  ('4','Order','k','T','{"a":01}'),
  ('5','Order','k','T','{"a":1,}'),
  ('6','Order','k','T','{"a":NaN}'),
  ('7','Order','k','T','{"a":1,"b":2,"a":"two"}'),
  ('8','Order','k','T','text'),
  ('9','Order','k','T','{"a":1.0,"b":1e2,"c":-0.0,"d":1e400}'),
  ('10','Order','k','T','{"a":"\\u00e9\\ud83d\\ude00"}'),
  ('11','Order','k','T','{"a"'),
  ('12','Order','k','T','null'),
  ('13','Order','k','T','{"i":2147483648,"j":[1,2147483648],"k":[1,2.5]}');
