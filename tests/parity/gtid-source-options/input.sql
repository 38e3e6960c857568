USE p_gtid_source_options;
INSERT INTO outbox (id, aggregatetype, aggregateid, type, payload) VALUES ('1', 'Order', 'k1', 'Created', '{"a": 1}'), ('2', 'User', 'k2', 'Updated', NULL), ('3', 'Order', 'k1', 'Deleted', '[]');
