USE p_charsets_of_more_bytes;
SET NAMES utf8mb4;
INSERT INTO outbox VALUES ('2','Order','k','T','1','日本語 😀 é', '日本語 é', '中文字', '中文字', '中文字體', '中文 😀', '日本語 ｶﾅ', '日本語 ①', '日本語 ｶﾅ', '日本語 ①', '한국어', '日本語 é', '日本 😀', '日本 😀', '日本 😀');
