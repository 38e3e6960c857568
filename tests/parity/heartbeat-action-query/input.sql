USE p_heartbeat_action_query;
INSERT INTO outbox VALUES ('1','Order','k','T','1');
DO SLEEP(1);
INSERT INTO outbox VALUES ('2','Order','k','T','1');
DO SLEEP(1);
