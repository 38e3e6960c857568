USE p_header_literal_empty_map;
INSERT INTO outbox VALUES ('1','Order','k','T','{"a": 1}');
