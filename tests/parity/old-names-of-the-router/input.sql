USE p_old_names_of_the_router;
INSERT INTO outbox VALUES ('1','Order','k','T','{"a": 1}',3);
UPDATE outbox SET v = 4;
