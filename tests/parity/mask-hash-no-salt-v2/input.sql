USE p_mask_hash_no_salt_v2;
INSERT INTO outbox VALUES ('1','Order','k','T','{"a": 1}','mmm'),('2','Order','k','T',NULL,NULL);
