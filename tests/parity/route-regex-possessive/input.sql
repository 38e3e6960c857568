USE p_route_regex_possessive;
INSERT INTO outbox VALUES ('0','Order','k','T','0'),
  ('1','User','k','T','1'),
  ('2','order-1','k','T','2'),
  ('3','a.b','k','T','3'),
  ('4','x_y','k','T','4'),
  ('5','U','k','T','5'),
  ('6','Order.v2','k','T','6'),
  ('7','9lives','k','T','7'),
  ('8','OOrder','k','T','8');
