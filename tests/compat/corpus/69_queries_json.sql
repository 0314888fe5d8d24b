# The condition of an outer join may name a query around, and any column where a side is LATERAL.
SELECT c.id, (SELECT sum(p.stock) FROM subscription s LEFT JOIN product p ON p.id = s.right_key AND p.stock > c.age WHERE s.left_key = c.id) FROM customer c ORDER BY 1;
SELECT c.id FROM customer c WHERE NOT EXISTS (SELECT 1 FROM subscription s LEFT JOIN product p ON p.id = s.right_key AND c.tier = 'gold' WHERE s.left_key = c.id AND p.id IS NULL) ORDER BY 1;
SELECT c.id, q.* FROM customer c, LATERAL (SELECT s.left_key, p.id AS p, d.id AS d FROM subscription s LEFT JOIN (product p JOIN customer d ON d.id <> p.name) ON p.id = s.right_key AND d.id = c.id) q ORDER BY 1, 2, 3, 4;
SELECT c.id, (SELECT count(p.name) FROM product p RIGHT JOIN subscription s ON p.id = s.right_key AND c.active) FROM customer c ORDER BY 1;
SELECT c.id, (SELECT string_agg(j.name, ',' ORDER BY j.name) FROM subscription s LEFT JOIN (product p CROSS JOIN (SELECT 1 AS one) o) AS j ON j.id = s.right_key AND j.one < c.age) FROM customer c ORDER BY 1;
SELECT v.n, f.i FROM (VALUES (10), (20)) v(n) LEFT JOIN generate_series(v.n, v.n + 3) f(i) ON v.n + f.i < 33 ORDER BY 1, 2;
SELECT v.n, f.i FROM (VALUES (10), (20)) v(n) LEFT JOIN LATERAL (SELECT v.n + 1 AS i) f ON v.n + f.i < 33 OR f.i IS NULL ORDER BY 1, 2;
SELECT c.id, t.v FROM customer c LEFT JOIN LATERAL jsonb_array_elements_text(c.attrs->'tags') t(v) ON t.v <> c.tier OR c.age > 40 ORDER BY 1, 2;
SELECT c.id, s.right_key FROM customer c LEFT JOIN LATERAL (SELECT * FROM subscription s WHERE s.left_key = c.id ORDER BY s.right_key LIMIT 1) s ON s.quantity > 1 OR c.active ORDER BY 1, 2;
SELECT c.id, x.n, y.n FROM customer c LEFT JOIN (VALUES (1), (2)) x(n) ON x.n < c.age LEFT JOIN LATERAL (SELECT x.n + 1 AS n) y ON y.n > 2 ORDER BY 1, 2, 3;
# What a query in FROM must not name.
SELECT f.i FROM customer c RIGHT JOIN LATERAL generate_series(1, c.age) f(i) ON true;
SELECT q.x FROM customer c FULL JOIN LATERAL (SELECT 1, tier AS x) q ON true;
SELECT q.x FROM customer c, LATERAL (SELECT p.id FROM product p RIGHT JOIN LATERAL (SELECT c.id, p.stock) q ON true) x;
SELECT 1 FROM customer c, (SELECT c.id) q;
SELECT 1 FROM customer c JOIN (SELECT customer.id) q ON true;
SELECT 1 FROM customer c, (SELECT tier) q;
SELECT 1 FROM customer c, product p LEFT JOIN subscription s ON s.right_key = p.id AND c.id = s.left_key;
SELECT 1 FROM customer c, product p LEFT JOIN subscription s ON s.right_key = p.id AND tier = s.left_key;
SELECT * FROM customer a JOIN product b USING (name) AS a;
# One column that is defined behind a function of records.
SELECT r.*, r, r.x FROM json_to_record('{"x": 1, "y": 2}') AS r(x int);
SELECT x FROM jsonb_to_recordset('[{"x": 4}, {"x": 5}]') AS r(x int) ORDER BY x;
SELECT c.id, r.n FROM customer c, jsonb_to_record(c.attrs) AS r(n numeric) ORDER BY 1;
SELECT * FROM ROWS FROM (jsonb_to_recordset('[{"x": 4}]') AS (x int)) r;
