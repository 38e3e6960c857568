USE p_two_outbox_tables;
BEGIN;
INSERT INTO outbox VALUES ('1','Order','k','T','1');
INSERT INTO second_outbox VALUES ('1','Order','k','T','2');
INSERT INTO outbox VALUES ('2','Order','k','T','3');
COMMIT;
