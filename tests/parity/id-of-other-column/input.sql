USE p_id_of_other_column;
INSERT INTO outbox VALUES (1,X'01020304',7,'Order','k','T','1'),(2,X'FF',NULL,'Order','k','T','2');
UPDATE outbox SET nr = 9 WHERE nr = 1;
DELETE FROM outbox;
