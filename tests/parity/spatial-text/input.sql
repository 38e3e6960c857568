USE p_spatial_text;
INSERT INTO outbox VALUES ('1','Order','k','T','1',ST_GeomFromText('POLYGON((0 0,1 0,1 1,0 0))'),ST_GeomFromText('POINT(1.5 -2)'),NULL,b'101',STRING_TO_VECTOR('[1,2.5,-3]')),
  ('2','Order','k','T','2',ST_GeomFromText('POINT(10 20)',4326),ST_GeomFromText('POINT(1 2)',4326),ST_GeomFromText('LINESTRING(0 0,1 1)'),NULL,NULL);
