USE p_mask_two;
INSERT INTO outbox VALUES ('1','Order','k','T','{"a": 1}','secret!!!','secret','a longer text 😀😀 here','b','x,y',12,'\0bytes','char','long text',13,'2026-01-01',1.5,'2026-01-01 00:00:00','blob','lätin',5,2026,'01:02:03');
INSERT INTO outbox (id, aggregatetype, aggregateid, type) VALUES ('2','Order','k','T');
