USE p_default_bytes;
INSERT INTO outbox (id, aggregatetype, aggregateid, type, payload, b1, b2, b3, b5, b6, b7, b8, b9, b12, b13, b14, b15, s1, s2, s3, s4, s5, s6, s7, s8) VALUES ('1', 'Order', 'k', 'T', '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO outbox (id, aggregatetype, aggregateid, type, payload) VALUES ('2', 'Order', 'k', 'T', '{}');
