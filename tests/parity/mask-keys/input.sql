USE p_mask_keys;
INSERT INTO outbox VALUES ('1','Order','k','T','1');
