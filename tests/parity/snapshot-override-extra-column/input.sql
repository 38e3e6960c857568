USE p_snapshot_override_extra_column;
INSERT INTO outbox (id, aggregatetype, aggregateid, type, payload, i1, i2, i3, w, v) VALUES ('1','Order','k','T','{"a": 1}','a','b',1,2,'c');
