USE p_odd_db2;
INSERT INTO outbox VALUES ('1','Or-der','k','T','1');
UPDATE outbox SET id = '2';
