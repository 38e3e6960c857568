USE p_expand_null_ignore_schemas;
INSERT INTO outbox VALUES ('0','Order','k','T','{"a":null,"b":{"c":null,"d":[]},"e":[null,null],"f":[null,1]}'),
  ('1','Order','k','T','{"a":[{"p":null,"q":1},{"p":null,"q":2}]}'),
  ('2','Order','k','T','{"":1}'),
  ('3','Order','k','T','{"a":[[null],[null]]}'),
  ('4','Order','k','T','null'),
  ('5','Order','k','T','{}');
