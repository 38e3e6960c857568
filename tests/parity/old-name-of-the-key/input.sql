USE p_old_name_of_the_key;
INSERT INTO outbox VALUES ('1','Order','k','T','{"a": 1}');
