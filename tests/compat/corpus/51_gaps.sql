# Angles in degrees
SELECT sind(x), cosd(x) FROM (VALUES (0::float8), (30), (45), (60), (90), (120), (135), (150), (180), (210), (270), (300), (330), (360), (-30), (-90), (-400.5), (1e5), (12.34), ('NaN'), (NULL)) v(x) ORDER BY x;
SELECT tand(x), cotd(x) FROM (VALUES (0::float8), (30), (45), (60), (90), (120), (135), (180), (225), (270), (315), (360), (-30), (-45), (-90), (-135), (-400.5), (77.7), ('NaN'), (NULL)) v(x) ORDER BY x;
SELECT asind(x), acosd(x), atand(x) FROM (VALUES (0::float8), (0.5), (-0.5), (1), (-1), (0.25), (-0.75), (0.9), ('NaN'), (NULL)) v(x) ORDER BY x;
SELECT atand('Infinity'), atand(1), atan2d(1, 1), atan2d(-1, 0), atan2d(0, -1), atan2d(0.3, -2), atan2d(NULL, 1), sind(30), cosd(60::int), tand(45.0);
SELECT sind('Infinity');
SELECT cosd('-Infinity'::float8);
SELECT tand('Infinity'::float8);
SELECT cotd('Infinity'::float8);
SELECT asind(1.1);
SELECT acosd(-2);
SELECT sind('x');
SELECT sind(round(cosd(acosd(0.3))::numeric, 3)::float8), sind(sind(sind(sind(30)))), cosd(cosd(cosd(cosd(cosd(1)))));

# The scale of numerics
SELECT trim_scale(1.500), trim_scale(1.000), trim_scale(0.00), trim_scale(-12.3400), trim_scale(100), trim_scale(NULL), trim_scale(1.5::float8::numeric);
SELECT scale(1.500), min_scale(1.500), scale(8), min_scale(0.000), scale(NULL), min_scale(-0.0120);
SELECT trim_scale(price), scale(trim_scale(price)), trim_scale(price)::text, trim_scale(price * 2), min_scale(price) FROM product ORDER BY id;
SELECT trim_scale(8.4100) + 1, trim_scale(1.10) * 2, trim_scale(x) FROM (VALUES (1.50), (2.00)) v(x) ORDER BY x;
SELECT trim_scale(round(price, 2)), count(*) FROM product GROUP BY 1 ORDER BY 1;
SELECT trim_scale('x');
SELECT trim_scale(true);

# Hashes
SELECT hashtext(''), hashtext('a'), hashtext('hello world'), hashtext('twelve chars'), hashtext('thirteen char'), hashtext('Ünïcödé 東京 and more'), hashtext(NULL), hashtext('x'::varchar);
SELECT hashtextextended('', 0), hashtextextended('hello world', 0), hashtextextended('hello world', 42), hashtextextended('a', -7), hashtextextended('twenty-four characters!!', 9223372036854775807);
SELECT id, hashtext(name), abs(hashtext(name) % 10) FROM product ORDER BY id;
SELECT hashtext(1);

# Rows and subqueries of one row
SELECT id FROM product p WHERE (id, name) = (SELECT id, name FROM product WHERE id = 2);
SELECT (1, 2) = (SELECT 1, 2), (1, 'a') = (SELECT 1, 'b'), (1, NULL) = (SELECT 1, 2), (1, 2) = (SELECT 1, 2 WHERE false), (2, NULL) <> (SELECT 1, 2), ROW(1, 2) < (SELECT 1, 3), (1, 2, 3) >= (SELECT 1, 2, 4);
SELECT id FROM product p WHERE (p.id, p.price) = (SELECT q.id, max(q.price) FROM product q WHERE q.id = p.id GROUP BY q.id) ORDER BY id;
SELECT id FROM customer c WHERE (c.id, c.age) > (SELECT min(id), 0 FROM customer) ORDER BY id;
SELECT (1, 2) = (SELECT x, y FROM (VALUES (1, 2), (3, 4)) v(x, y));
SELECT (1, 2) = (SELECT 1);
SELECT (1, 2) = (SELECT 1, 2, 3);
SELECT (1, 2) = (SELECT 'a'::text, 2);
SELECT (1, 2) IS DISTINCT FROM (SELECT 1, 2);

# Conversions of encodings
SELECT convert('\xe9', 'LATIN1', 'LATIN2');
SELECT convert('\xe9', 'LATIN1', 'WIN1252');
SELECT convert('\xe9', 'LATIN1', 'LATIN1'), convert('\xe9', 'LATIN1', 'UTF8'), convert('\xc3a9', 'UTF8', 'LATIN1'), convert('\xe9', 'latin2', 'win1250'), convert('\xc1', 'KOI8R', 'WIN1251'), convert('\xc1', 'WIN866', 'ISO_8859_5');
SELECT convert('\xe9', 'LATIN9', 'LATIN1');
SELECT convert('\xe282ac', 'UTF8', 'LATIN1');
SELECT convert('\xff', 'UTF8', 'LATIN1');
SELECT convert('\xe9', 'KOI8R', 'LATIN1');
SELECT convert('\xe9', 'SQL_ASCII', 'LATIN1');
SELECT convert('\xe9', 'nonsense', 'LATIN1');
SELECT convert('\xe9', 'LATIN1', 'nonsense');
SELECT convert(NULL, 'LATIN1', 'LATIN2'), convert('\x61', 'LATIN1', 'SQL_ASCII');

# Texts of a fixed length
SELECT 'a'::char(3) = 'a', 'a'::char(3) = 'a  '::char(5), 'a'::char(3) = 'a  '::text, 'a  '::text = 'a'::char(3), 'a'::char(3) = 'a  '::varchar, 'a'::char(3) = 'a '::name;
SELECT 'a'::char(3) LIKE 'a', 'a'::char(3) LIKE 'a  ', 'a'::char(3) LIKE 'a%', 'a'::char(3) LIKE 'a__', 'ab '::char(3) NOT LIKE 'ab_', 'a'::char(3) ILIKE 'A', 'a'::char(3) LIKE 'a '::char(5);
SELECT 'a'::char(3) ~ '^a$', 'a'::char(3) ~ 'a  ', 'a'::char(3) ~* 'A..', 'a'::char(3) !~ 'a$', 'a'::char(3) SIMILAR TO 'a__', 'a'::char(3) SIMILAR TO 'a';
SELECT 'a'::char(3) < 'a'::char(5), 'a'::char(3) < E'a\n'::char(3), 'a '::char(3) <> 'a'::char(1), 'a'::char(3) IN ('a', 'b'), 'a'::char(3) IN ('a  '), 'a'::char(3) BETWEEN 'a' AND 'b', 'a'::char(3) IS DISTINCT FROM 'a '::char(2);
SELECT length('a'::char(3)), octet_length('a'::char(3)), char_length('a '::char(3)), 'a'::char(3) || 'b', concat('a'::char(3), 'b'), upper('a'::char(3)) || '|', 'a'::char(3)::text || '|', bit_length('é'::char(3)), 'a'::char(3)::varchar || '|';
SELECT DISTINCT x::text FROM (VALUES ('a'::char(3)), ('a '), ('b')) v(x) ORDER BY 1;
SELECT CASE 'a'::char(3) WHEN 'a' THEN 1 END, nullif('a'::char(3), 'a'), coalesce(NULL, 'a'::char(3)) || '|', greatest('a'::char(3), 'a'), position('a' IN 'ba'::char(4)), replace('a b'::char(5), ' ', '_'), to_json('a'::char(3)), md5('a'::char(3)) = md5('a');

# What a path found before a silent error
SELECT jsonb_path_query_array('[1, "a", 2]', '$[*].double()', '{}', true), jsonb_path_query_first('[1, "a", 2]', '$[*].double()', '{}', true), jsonb_path_query_array('["a", 2]', '$[*].double()', '{}', true), jsonb_path_query_first('["a", 2]', '$[*].double()', '{}', true);
SELECT jsonb_path_query('[1, "a", 2]', '$[*].double()', '{}', true);
SELECT jsonb_path_query_array('[{"a": 1}, {"a": "2"}, {"b": 3}, {"a": 4}]', 'strict $[*].a.double()', '{}', true), jsonb_path_query_array('[{"a": [1, 2]}, {"a": "x"}, 5]', 'strict $[*].a[*]', '{}', true);
SELECT jsonb_path_query_array('[1, {"a": 2}, 3]', 'strict $[*].a', '{}', true), jsonb_path_query_array('[{"a": 2}, 3]', 'strict $[*].a', '{}', true), jsonb_path_query_array('[1, 0, 2]', '$[*] ? (10 / @ > 1)'), jsonb_path_query_array('[1, 2]', '$ + 1', '{}', true);
SELECT jsonb_path_exists('[1, "a"]', '$[*].double()'), jsonb_path_exists('["a", 1]', '$[*].double()', '{}', true), jsonb_path_exists('[1, "a"]', 'strict $[*].double()', '{}', true), '[1, "a"]'::jsonb @? '$[*].double()', '["a", 1]'::jsonb @? '$[*].double()';
SELECT jsonb_path_exists('["a", 1]', '$[*].double()');
SELECT jsonb_path_exists('[1, "a"]', 'strict $[*].double()');
SELECT jsonb_path_match('[1, "a"]', '$[*].double()', '{}', true), jsonb_path_match('[true, 1]', '$[0]', '{}', true), jsonb_path_match('[1]', '$[*].double() > 0', '{}', true);
SELECT jsonb_path_query_array('[[1, "a"], [2, 3], ["b"]]', '$[*] ? (exists(@[*].double()))'), jsonb_path_query_array('[[1, "a"], [2, 3], ["b"]]', 'strict $[*] ? (exists(@[*].double()))');
SELECT jsonb_path_query_array('{"a": [1, 2], "b": "x"}', '$.*[*].double()', '{}', true), jsonb_path_query_array('[3, 1, 2]', 'strict $[0, 5, 1]', '{}', true), jsonb_path_query_array('[3, 1, 2]', 'strict $[0 to 5]', '{}', true);
SELECT jsonb_path_query('{"a": 1, "b": {"c": 2}}', '$.keyvalue()');
SELECT jsonb_path_query_array('[1, {"a": 1}]', '$[*].keyvalue()', '{}', true), jsonb_path_query_array('[{"a": 1}, 1]', '$[*].keyvalue().key', '{}', true);

# DISTINCT among jsonb
SELECT array_agg(DISTINCT x) FROM (VALUES ('10'::jsonb), ('10.0'), ('9')) v(x);
SELECT jsonb_agg(DISTINCT x), json_agg(DISTINCT x), count(DISTINCT x) FROM (VALUES ('{"a":1,"b":2}'::jsonb), ('{"b":2,"a":1}'), ('[1]'), ('"b"'), (NULL), ('"a"'), ('null'), ('true'), ('[]'), ('{}')) v(x);
SELECT array_agg(DISTINCT attrs), array_agg(DISTINCT attrs ORDER BY attrs DESC) FROM customer;
SELECT g, array_agg(DISTINCT x) FILTER (WHERE x IS NOT NULL), string_agg(DISTINCT x::text, ',') FROM (VALUES (1, '{"b":2,"a":1}'::jsonb), (1, '{"a": 1, "b": 2}'), (2, NULL), (1, '[2]')) v(g, x) GROUP BY g ORDER BY g;
