USE p_json_scalars_of_every_type_snapshot;
INSERT INTO outbox (id, aggregatetype, aggregateid, type, payload) VALUES ('s1', 'Order', 'k1', 'Created', '{"a": 1}'), ('s2', 'User', 'k2', 'Updated', NULL), ('s3', 'Order', 'k1', 'Deleted', '[]');
