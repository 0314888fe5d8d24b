-- store: a copy, and PostgreSQL's
\set QUIET off
\set SHOW_CONTEXT never
UPDATE product SET price = price + 1 WHERE sku = 101;
UPDATE product SET title = upper(title), price = 7 WHERE sku IN (102, 103) RETURNING * \g | sort
UPDATE product AS p SET price = p.price * 2 WHERE p.sku = 103 RETURNING p.sku, price AS double, p.price > 10 AS dear;
UPDATE product SET (title, price) = ('both', sku) WHERE sku = 104 RETURNING *;
UPDATE product SET title = title WHERE sku = 104;
UPDATE product SET price = 1 WHERE sku = -1;
UPDATE product SET price = 1 WHERE false RETURNING sku;
-- Subqueries, FROM, WITH.
UPDATE store SET city = (SELECT max(name) FROM customer WHERE tier = 'Gold') WHERE code = 's1' RETURNING code, city = (SELECT max(name) FROM customer WHERE tier = 'Gold') AS same;
UPDATE customer SET email = 'none' WHERE id IN (SELECT left_key FROM subscription WHERE seats > 15) AND email IS NULL;
SELECT count(*) FROM customer WHERE email = 'none';
UPDATE customer c SET balance = c.balance + s.spent FROM (SELECT left_key, sum(qty) AS spent FROM purchase GROUP BY left_key) AS s WHERE s.left_key = c.id AND c.id IN ('c1', 'c2', 'c3') RETURNING c.id, s.spent \g | sort
UPDATE subscription SET note = p.title FROM product p WHERE p.sku = right_key AND left_key = 'c5' RETURNING left_key, right_key, note, p.title \g | sort
WITH dear AS (SELECT sku FROM product WHERE price > 180) UPDATE product SET price = 180 FROM dear WHERE dear.sku = product.sku RETURNING product.* \g | sort
UPDATE product SET price = n.price FROM (VALUES (110, 1.5), (111, 2.5)) AS n (sku, price) WHERE n.sku = product.sku;
SELECT * FROM product ORDER BY sku;
-- jsonb: a path, a key, what was there.
INSERT INTO document (id, attrs, body) VALUES ('d1', '{"a": {"b": 1}, "tags": ["x"]}', 'one'), ('d2', NULL, NULL);
UPDATE document SET attrs = jsonb_set(attrs, '{a,b}', '2') WHERE id = 'd1' RETURNING attrs -> 'a' ->> 'b' AS b, attrs @> '{"tags": ["x"]}' AS kept;
UPDATE document SET attrs = attrs || '{"c": 3}' WHERE attrs -> 'a' ->> 'b' = '2' RETURNING attrs ->> 'c' AS c, attrs #>> '{tags,0}' AS tag;
UPDATE document SET attrs = attrs - 'tags', raw = '\xdeadbeef', day = '2026-03-04' WHERE id = 'd1' RETURNING id, attrs ? 'tags' AS tags, raw, day;
-- RETURNING into variables.
UPDATE store SET open = NOT open WHERE code = 's2' RETURNING code AS gone, open \gset
\echo :gone :open :ROW_COUNT
-- Refused.
UPDATE product SET nosuch = 1;
UPDATE nosuch SET price = 1;
UPDATE product SET price = 'dear' WHERE sku = 101;
UPDATE product SET price = title WHERE sku = 101;
UPDATE product SET title = NULL WHERE sku = 101;
\echo :SQLSTATE
UPDATE product SET price = 1 / 0 WHERE sku = 101;
UPDATE product SET price = 1, price = 2;
UPDATE product SET price = (SELECT price FROM product) WHERE sku = 101;
\echo :SQLSTATE
UPDATE product SET price = max(price);
UPDATE product SET price = 1 FROM product;
SELECT * FROM product WHERE sku = 101;
