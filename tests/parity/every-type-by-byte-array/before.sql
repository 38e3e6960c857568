CREATE DATABASE p_every_type_by_byte_array;
USE p_every_type_by_byte_array;
CREATE TABLE o_bit12 (pk INT PRIMARY KEY, id BIT(12), aggregatetype VARCHAR(20) NOT NULL DEFAULT 'bit12', aggregateid BIT(12), payload BIT(12), h BIT(12));
CREATE TABLE o_binary (pk INT PRIMARY KEY, id BINARY(4), aggregatetype VARCHAR(20) NOT NULL DEFAULT 'binary', aggregateid BINARY(4), payload BINARY(4), h BINARY(4));
CREATE TABLE o_varbinary (pk INT PRIMARY KEY, id VARBINARY(9), aggregatetype VARCHAR(20) NOT NULL DEFAULT 'varbinary', aggregateid VARBINARY(9), payload VARBINARY(9), h VARBINARY(9));
CREATE TABLE o_blob (pk INT PRIMARY KEY, id BLOB, aggregatetype VARCHAR(20) NOT NULL DEFAULT 'blob', aggregateid BLOB, payload BLOB, h BLOB);
