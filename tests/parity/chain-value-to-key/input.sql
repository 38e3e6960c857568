USE p_chain_value_to_key;
INSERT INTO outbox VALUES ('1','Order','k','T','{"a": 1}'),('2','Order','u','T',NULL),('3','Order','n','T','[1]');
