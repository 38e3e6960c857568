USE p_event_type_header;
INSERT INTO outbox (id, aggregatetype, aggregateid, type, payload) VALUES ('1','Order','k','T','{"a": 1}'),('2','User','u','T',NULL),('3','Order','n','T','[1]');
