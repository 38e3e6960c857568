USE p_header_literal_null_in_map;
INSERT INTO outbox VALUES ('1','Order','k','T','{"a": 1}');
