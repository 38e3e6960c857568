USE p_every_type_by_byte_array;
SET time_zone='+00:00';
INSERT INTO o_bit12 (pk,id,aggregateid,payload,h) VALUES (1,b'101010101010',b'101010101010',b'101010101010',b'101010101010'),(2,NULL,NULL,NULL,NULL);
INSERT INTO o_binary (pk,id,aggregateid,payload,h) VALUES (1,'ab','ab','ab','ab'),(2,NULL,NULL,NULL,NULL);
INSERT INTO o_varbinary (pk,id,aggregateid,payload,h) VALUES (1,x'00ff10',x'00ff10',x'00ff10',x'00ff10'),(2,NULL,NULL,NULL,NULL);
INSERT INTO o_blob (pk,id,aggregateid,payload,h) VALUES (1,x'cafe',x'cafe',x'cafe',x'cafe'),(2,NULL,NULL,NULL,NULL);
