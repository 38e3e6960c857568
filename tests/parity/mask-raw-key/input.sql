USE p_mask_raw_key;
INSERT INTO other VALUES ('one','value');
UPDATE other SET id = 'two';
DELETE FROM other;
