USE p_two_event_routers_by_table;
INSERT INTO outbox VALUES ('1','Order','k','T','1');
INSERT INTO other VALUES (1,'User','u','W','{"b": 1}'),(2,'User','v',NULL,NULL);
INSERT INTO outbox VALUES ('2','Order','k','T','2');
DELETE FROM other;
UPDATE outbox SET type='x';
