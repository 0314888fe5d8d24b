# Single reals beside other numbers, members of scalars, keys of objects, what nullif gives
SELECT 1::float4 * 2, pg_typeof(1::float4 * 2), 1.1::float4 * 3, 1.1::float4 + 1.1, 1.1::float4 * 1.1::float8, 0.1::float4 + 0.2::float4, 1.1::float4 / 3, 3 - 1.1::float4, pg_typeof(1::float4 + 1::float4), 1::float4 / 3::float4, 1.1::float4 + 1::bigint;
SELECT (-2147483648) % -1, (-9223372036854775808) % -1, mod(7, -1), 7 % NULL, NULL % -1, -32768::int2 % -1::int2;
SELECT 1::float4 / 0;
SELECT chr(-1);
SELECT ntile(0) OVER ();
SELECT ntile(NULL) OVER (), ntile(2) OVER (ORDER BY x) FROM (VALUES (1), (2), (3)) v(x) ORDER BY 2;
SELECT '"x"'::jsonb -> 0, '1'::jsonb -> -1, '1'::jsonb -> 1, 'null'::jsonb -> 0, '"x"'::jsonb ->> 0, '"{}"'::jsonb ->> 0, '{"a":1}'::jsonb -> 0, '[[1]]'::jsonb -> 0 -> 0 -> 0, '[null]'::jsonb -> 0, '[null]'::jsonb ->> 0, '"x"'::json -> 0;
SELECT attrs -> 'n' -> 0, attrs -> 'tags' ->> 0, attrs -> 'tags' -> -1, attrs -> 'city' ->> 0, attrs -> 'deep' -> 0 FROM customer ORDER BY id;
SELECT attrs['n'][0], attrs['tags'][0], ('1'::jsonb)[0], ('[1,2]'::jsonb)[-1] FROM customer ORDER BY id;
SELECT jsonb_build_object(true, 'x', 1.50, 2, date '2024-01-01', 3), json_build_object(false, 'x', 1.50, 2, now() IS NULL, '2'), jsonb_object_agg(x, 1) FROM (VALUES (true)) v(x);
SELECT jsonb_build_object('{"a":1}'::jsonb, 1);
SELECT jsonb_build_object(ARRAY[1,2], 1);
SELECT json_build_object('{"a":1}'::json, 1);
SELECT json_object_agg(x, 1) FROM (VALUES (ARRAY[1])) v(x);
SELECT jsonb_object_agg(NULL::text, 1);
SELECT sum(x) FROM (VALUES (0.1::float4), (0.2::float4)) v(x);
SELECT x * 2 FROM (VALUES (0.1::float4), (0.2::float4)) v(x) ORDER BY 1;
SELECT nullif(1, 1.0), nullif(1, 2.5), nullif(1::int2, 2::int8), nullif(1, 2::float8), nullif(1.5, 2::float8), nullif(1::float4, 2::float8), nullif(1::float4, 2), nullif(2.5, 1), nullif('1', 1), nullif(1, '1'), nullif(NULL, 1);

# Floating-point numbers as texts; rows as lines; paths that fail in silence
SELECT x::text, x FROM (VALUES (1e15::float8), (1e16), (123456789012345.6), (1234567890123456.5), (12345678901234567), (1e-4), (1e-5), (0.00012345), (1e22), (1.5e300), (5e-324), (0.1), (100), (99999999999999999999), (-0.0), (-1e15), (1e14), (999999999999999), (1e100), (123456.789)) v(x) ORDER BY v.x;
SELECT x::text, x FROM (VALUES (1e5::float4), (1e6), (1e7), (16777216), (123456.7), (1e-4), (1e-5), (3.4e38), (1e-45), (0.1), (1234567), (9999999), (99999.99)) v(x) ORDER BY v.x;
SELECT to_json(1e15::float8), to_jsonb(1e-5::float8), to_json(1e6::float4), to_json(0.1::float4), concat(1e15::float8), format('%s', 1e15::float8), 1e15::float8 || '', ARRAY[1e15::float8]::text, to_jsonb(1e15::float8)::text;
SELECT row_to_json(v, true), row_to_json(v, false), row_to_json(ROW(1, 'a'), true), row_to_json(ROW(1), true) FROM (SELECT 1 AS a, 2 AS b) v;
SELECT jsonb_path_query_array('{"a":"x"}', 'strict $.b', '{}', true), jsonb_path_query_first('{"a":"x"}', 'strict $.b', '{}', true), jsonb_path_exists('{"a":"x"}', 'strict $.b', '{}', true), jsonb_path_match('{"a":"x"}', 'strict $.b', '{}', true);
SELECT * FROM jsonb_path_query('{"a":"x"}', 'strict $.b', '{}', true);
SELECT x::text, x::varchar, x || '' FROM (VALUES (1.5::float4), (1e10::float4), (0.1::float4)) v(x) ORDER BY 1;
SELECT 1e23::float8::text, 1e23::float8, 9007199254740993::float8::text, 0.3::float4::text, 'Infinity'::float4::text, 'NaN'::float4::text, '-Infinity'::float8::text, to_json('Infinity'::float4), to_jsonb('NaN'::float8);
