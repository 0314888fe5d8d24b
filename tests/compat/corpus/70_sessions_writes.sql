# What FOR UPDATE and its like refuse: rows that are no rows of a table.
SELECT DISTINCT name FROM customer FOR UPDATE;
SELECT count(*) FROM customer FOR NO KEY UPDATE;
SELECT tier, count(*) FROM customer GROUP BY tier FOR SHARE;
SELECT tier FROM customer GROUP BY GROUPING SETS ((tier), ()) FOR KEY SHARE;
SELECT 1 HAVING true FOR UPDATE;
SELECT rank() OVER (ORDER BY id) FROM customer FOR UPDATE;
SELECT generate_series(1, 2), id FROM customer FOR UPDATE;
SELECT 1 UNION SELECT 2 FOR UPDATE;
VALUES (1) FOR UPDATE;
SELECT * FROM (VALUES (1)) v FOR UPDATE OF v;
SELECT * FROM generate_series(1, 2) g FOR UPDATE;
SELECT * FROM generate_series(1, 2) g FOR UPDATE OF g;
WITH w AS (SELECT 1) SELECT * FROM w FOR UPDATE;
WITH w AS (SELECT 1) SELECT * FROM w FOR UPDATE OF w;
SELECT * FROM (customer a JOIN subscription b ON a.id = b.left_key) j FOR UPDATE OF j;
SELECT id FROM (SELECT id, count(*) FROM customer GROUP BY id) s FOR UPDATE;
SELECT s.id FROM (SELECT id FROM (SELECT DISTINCT id FROM customer) t) s FOR UPDATE OF s;
SELECT c.id FROM customer c JOIN (SELECT count(*) AS n FROM customer) s ON n > 0 WHERE c.id IN ('c1', 'c2') ORDER BY 1 FOR UPDATE OF c;
SELECT c.id FROM customer c JOIN (SELECT count(*) AS n FROM customer) s ON n > 0 WHERE c.id IN ('c1', 'c2') ORDER BY 1 FOR UPDATE;
SELECT id FROM customer WHERE age = (SELECT max(age) FROM customer WHERE id < 'c3') ORDER BY id FOR UPDATE;
SELECT id FROM customer WHERE id IN (SELECT id FROM customer ORDER BY id LIMIT 2 FOR UPDATE SKIP LOCKED) ORDER BY id;

# Amounts of bytes.
SELECT size, pg_size_bytes(size) FROM (VALUES ('1'), ('123bYteS'), ('1kb'), (' 1 Gb'), ('1.5 gB '), ('3000 tb'), ('1e3 mb'), ('99 pb'), ('-1.5kB'), ('-1.'), ('-.1kb'), ('-. 5e1'), ('1E-1 kB'), ('0.5'), ('+7')) x(size) WHERE size <> '-. 5e1' ORDER BY 1;
SELECT pg_size_bytes('1 AB');
SELECT pg_size_bytes('1 AB A   ');
SELECT pg_size_bytes('9223372036854775807.9');
SELECT pg_size_bytes('9223372036854775807');
SELECT pg_size_bytes('1e100');
SELECT pg_size_bytes('1e1000000000000000000');
SELECT pg_size_bytes('');
SELECT pg_size_bytes('kb');
SELECT pg_size_bytes('-.kb');
SELECT pg_size_bytes('+912+ kB');
SELECT pg_size_bytes('++123 kB');
SELECT pg_size_bytes('1e kB');
SELECT pg_size_bytes(NULL);

# A row of several columns as the source of SET.
UPDATE product SET (name, stock) = ROW(v.*) FROM (VALUES ('rows', 4)) v(a, b) WHERE id = 1 RETURNING name, stock;
UPDATE product SET (name, stock) = ROW('one', v.*) FROM (VALUES (5)) v(b) WHERE id = 1 RETURNING name, stock;
UPDATE product SET (name, stock) = ROW(v.*, DEFAULT) FROM (VALUES ('two')) v(b) WHERE id = 1 RETURNING name, stock;
UPDATE product SET (name, stock) = ROW(v.*) FROM (VALUES ('two', 2, 3)) v(a, b, c) WHERE id = 1;
UPDATE product SET (name, stock) = ROW(v.*) FROM (VALUES ('two', 'x'::text)) v(a, b) WHERE id = 1;
UPDATE product SET (name, stock) = ROW(nope.*) WHERE id = 1;
UPDATE product SET (name, stock) = ROW(1, 2, nope);
