USE p_tables_that_are_excluded;
INSERT INTO noise VALUES (1);
INSERT INTO other22 VALUES (1);
INSERT INTO outbox (id, aggregatetype, aggregateid, type, payload) VALUES ('1', 'Order', 'k1', 'Created', '{"a": 1}'), ('2', 'User', 'k2', 'Updated', NULL), ('3', 'Order', 'k1', 'Deleted', '[]');
