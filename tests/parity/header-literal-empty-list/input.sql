USE p_header_literal_empty_list;
INSERT INTO outbox VALUES ('1','Order','k','T','{"a": 1}');
