# What differs, with its reason in differences.txt.
SELECT 'abc' ~ 'a(?=b)';
SELECT 'abc' ~ 'a(?!b)';
SELECT 'aa' ~ '(a)\1';
SELECT '$.a[*] ? (@ > 1)'::jsonpath;
SELECT * FROM jsonb_populate_record(NULL::product, '{"id":1,"name":"x"}');
SELECT jsonb_each('{"a":1,"b":"x"}');
SELECT array_fill(0, ARRAY[2,2]);
SELECT array_length(ARRAY[[1,2],[3,4]], 2);
SELECT array_to_string(ARRAY[1.50, 2], '/');
SELECT 12345678901234567890.0/2;
SELECT 1e308::float8 * 10;
SELECT json_build_object('d', '{"x":1}'::jsonb);
SELECT unnest(ARRAY[1,2]), unnest(ARRAY[3,4,5]), count(*) GROUP BY 1, 2;
SELECT 'a' @@ 'b';
