USE p_transaction_metadata_old_topic;
INSERT INTO outbox VALUES ('1','Order','k','T','{"a": 1}');
