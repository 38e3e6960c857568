USE p_raw_many_types;
INSERT INTO other VALUES (1,1,18446744073709551615,1.5,2.25,3.125,'2026-01-02','01:02:03.456789','2026-01-02 03:04:05.123456','2026-01-02 03:04:05.120',2026,b'1010101010','{"b": [1, 2.5, null]}','x,y',ST_GeomFromText('POINT(1 2)'),'long','ab','blob','é😀');
UPDATE other SET l = JSON_SET(l, '$.b[0]', 5), a = NULL, c = NULL, n = NULL;
DELETE FROM other;
