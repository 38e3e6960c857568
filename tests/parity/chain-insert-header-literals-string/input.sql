USE p_chain_insert_header_literals_string;
INSERT INTO outbox VALUES ('1','Order','k','T','{"a": 1}');
