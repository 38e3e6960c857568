USE p_chain_filter_topic;
INSERT INTO outbox VALUES ('1','Order','k','T','{"a": 1}'),('2','User','u','T',NULL),('3','Order','n','T','[1]');
