USE p_mask_truncate_hash;
INSERT INTO outbox VALUES ('1','Order','k','T','payload text','a longer note','hush'),('2','Order','k','T',NULL,'grüße','é'),('3','Order','k','T','x',NULL,NULL);
