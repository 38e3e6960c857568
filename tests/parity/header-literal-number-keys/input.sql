USE p_header_literal_number_keys;
INSERT INTO outbox VALUES ('1','Order','k','T','{"a": 1}');
