USE p_predicate_negated_tombstone;
INSERT INTO outbox VALUES ('1','Order','k','T','1'),('2','Order','k','T','2');
DELETE FROM outbox WHERE id = '1';
UPDATE outbox SET id = '3' WHERE id = '2';
