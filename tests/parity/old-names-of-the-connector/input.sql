USE p_old_names_of_the_connector;
INSERT INTO outbox (id, aggregatetype, aggregateid, type, payload) VALUES ('1','Order','k','T','{"a": 1}');
