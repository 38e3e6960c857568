USE p_transaction_metadata_xa;
INSERT INTO outbox VALUES ('1','Order','k','T','1');
XA START 'a'; INSERT INTO outbox VALUES ('2','Order','k','T','2'); INSERT INTO other VALUES (1,'x'); XA END 'a'; XA PREPARE 'a'; XA COMMIT 'a';
XA START 'b'; INSERT INTO outbox VALUES ('3','Order','k','T','3'); XA END 'b'; XA COMMIT 'b' ONE PHASE;
XA START 'c'; INSERT INTO outbox VALUES ('4','Order','k','T','4'); XA END 'c'; XA PREPARE 'c'; XA ROLLBACK 'c';
INSERT INTO outbox VALUES ('9','Order','k','T','9');
