# Texts and literals as values; inputs.txt has the texts of each type.
SELECT 'a\101b'::bytea, '\x4142'::bytea, '\\'::bytea;
SELECT '\x123'::bytea;
SELECT '\xzz'::bytea;
SELECT 'a\9'::bytea;
SELECT '1e400'::float8;
SELECT '1e-400'::float8;
SELECT '1e39'::real;
SELECT x::float8 FROM (VALUES ('1'), ('1e400')) AS v(x);
SELECT x::bigint FROM (VALUES ('1'), ('1.5')) AS v(x);
SELECT x::bigint FROM (VALUES ('1'), (NULL), (' 7 ')) AS v(x);
SELECT max(x)::bigint, max(x || '0' || x || '0' || x || '0' || x || '0' || x || '0')::bigint FROM (VALUES ('1'), ('2')) AS v(x);
SELECT unnest(string_to_array('1,2,x', ','))::bigint;
SELECT unnest(string_to_array('1,2,3', ','))::bigint;
SELECT x::date, count(*) FROM (VALUES ('2026-01-01'), ('2026-01-02'), ('2026-01-01')) AS v(x) GROUP BY x::date ORDER BY 1;
SELECT (SELECT '5'::text)::bigint, (('5'::text::bigint)::text::bigint)::text::bigint;
SELECT c.id::bigint FROM customer c;
SELECT id FROM product WHERE id::text::bigint > 3 ORDER BY id;
SELECT '2026-02-30'::date;
SELECT DATE '2026-02-28', TIMESTAMP '2026-02-28 10:00', TIMESTAMPTZ '2026-02-28 10:00+02';
SELECT 99999.5::numeric(5,2);
SELECT 999.994::numeric(5,2), 5::numeric(5,2), 1.5::float8::numeric, 7::bigint::numeric;
SELECT 1e30::float8::numeric(10,2);

# Literals that no numeric of the engine can be.
SELECT 1e300::float8, -1e300::float8, 1e-300::float8, 0.00000000000000000000000000000000000000000001::float8;
SELECT 123456789012345678901234567890123456789012345678901234567890::float8;
SELECT 1e400::float8;
SELECT id FROM customer WHERE balance < 1e300 ORDER BY id;
SELECT balance * 1e100 FROM customer WHERE id = 'c2';
SELECT -12345678901234567890123456789012345678;
SELECT 1e300::int;
INSERT INTO customer (id, balance) VALUES ('w1', 1e300), ('w2', -1e300), ('w3', 2) RETURNING balance;
INSERT INTO customer (id, balance) VALUES ('w4', 1e309);
SELECT 1e300;

# Several arrays at once.
SELECT * FROM unnest(ARRAY['a', 'b'], ARRAY[1, 2, 3]);
SELECT * FROM unnest(ARRAY['a', 'b'], ARRAY[1, 2, 3]) AS u(a, b);
SELECT u.b, u.a FROM unnest('{a,NULL}'::text[], '{1,2,3}'::bigint[], ARRAY[true]) WITH ORDINALITY AS u(a, b, c, n) WHERE n > 1 ORDER BY n;
SELECT * FROM unnest(ARRAY[]::text[], ARRAY[]::bigint[]) AS u(a, b);
SELECT * FROM unnest(NULL::text[], ARRAY[1]) AS u(a, b);
SELECT * FROM unnest(NULL::text[], NULL::bigint[]) WITH ORDINALITY AS u(a, b, n);
SELECT a, b FROM unnest(ARRAY['a', 'b'], ARRAY[1, 2]) AS u(a, b) ORDER BY b DESC;
SELECT p.id, u.x, u.y FROM product p, unnest(ARRAY[p.id], ARRAY[p.name, 'x']) AS u(x, y) WHERE p.id <= 5 ORDER BY p.id, u.y;
SELECT * FROM unnest(ARRAY[1], ARRAY[2]) AS u(a, b, c);
SELECT * FROM unnest(ARRAY[1], 5);
SELECT * FROM unnest(ARRAY[1], '{2}');
SELECT unnest(ARRAY[1], ARRAY[2]);
INSERT INTO product (id, name, stock) SELECT * FROM unnest('{901,902}'::bigint[], '{a,NULL}'::text[], '{5}'::bigint[]) AS u(a, b, c) RETURNING id, name, stock;
INSERT INTO product (id, price, launched) SELECT * FROM unnest('{903,904}'::bigint[], '{1.5,2}'::numeric[], '{2026-01-01,NULL}'::date[]) RETURNING id, price, launched;
