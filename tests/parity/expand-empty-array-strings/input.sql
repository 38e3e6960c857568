USE p_expand_empty_array_strings;
INSERT INTO outbox VALUES ('1','Order','k','T','{"a": [], "b": {"c": []}, "d": 1}');
