USE p_chain_timestamp_router;
INSERT INTO outbox VALUES ('1','Order','k','T','{"a": 1}'),('2','User','u','T',NULL),('3','Order','n','T','[1]');
