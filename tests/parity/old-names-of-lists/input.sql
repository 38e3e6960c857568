USE p_old_names_of_lists;
INSERT INTO noise VALUES (1);
INSERT INTO outbox (id, aggregatetype, aggregateid, type, payload) VALUES ('1','Order','k','T','{"a": 1}');
