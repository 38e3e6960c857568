USE p_default_words;
INSERT INTO outbox VALUES ('2','Order','k','T','1', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
