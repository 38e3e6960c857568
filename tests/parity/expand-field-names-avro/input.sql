USE p_expand_field_names_avro;
SET NAMES utf8mb4;
INSERT INTO outbox VALUES ('0','Order','k','T','{"my-key":1,"1st":2,"_":3,"ok":4,"é":5,"a.b":{"c d":6}}'),
  ('1','Order','k','T','{"a-b":1,"a_b":2,"a b":3}'),
  ('2','Order','k','T','{"😀":1,"x":[{"y-z":1}]}');
