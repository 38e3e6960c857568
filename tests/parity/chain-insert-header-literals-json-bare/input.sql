USE p_chain_insert_header_literals_json_bare;
INSERT INTO outbox VALUES ('1','Order','k','T','{"a": 1}');
