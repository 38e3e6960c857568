CREATE DATABASE p_spatial_simple_header;
USE p_spatial_simple_header;
CREATE TABLE outbox (id CHAR(36) NOT NULL PRIMARY KEY, aggregatetype VARCHAR(255) NOT NULL, aggregateid VARCHAR(255) NOT NULL, type VARCHAR(255) NOT NULL, payload JSON, g GEOMETRY, p POINT NOT NULL, l LINESTRING, b BIT(9), v VECTOR(3));
