USE p_string_converter_encoding;
SET NAMES utf8mb4;
INSERT INTO outbox VALUES ('é1','Order','kß','T','"äé☃"');
