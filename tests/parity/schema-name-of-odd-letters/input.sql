USE p_odd$letters;
INSERT INTO outbox VALUES ('1','Order','k','T','1');
UPDATE outbox SET id = '2';
