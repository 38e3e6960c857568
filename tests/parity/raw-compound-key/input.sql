USE p_raw_compound_key;
INSERT INTO other VALUES ('a', 1, 'k');
UPDATE other SET n = 2;
DELETE FROM other;
