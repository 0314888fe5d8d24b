# ON CONFLICT, UPDATE and MERGE. What each leaves behind is read after it.
INSERT INTO product (id, name, stock) VALUES (801, 'a', 1), (802, 'b', 2), (803, 'c', NULL);
INSERT INTO product (id, name) VALUES (801, 'x'), (804, 'd') ON CONFLICT DO NOTHING;
INSERT INTO product (id, name) VALUES (801, 'x'), (805, 'e') ON CONFLICT (id) DO NOTHING RETURNING *;
INSERT INTO product (id, name) VALUES (801, 'x'), (802, 'y') ON CONFLICT ON CONSTRAINT product_pkey DO NOTHING RETURNING id;
INSERT INTO product (id, name) VALUES (801, 'x'), (806, 'f') ON CONFLICT (id) DO UPDATE SET name = excluded.name;
INSERT INTO product (id, name) VALUES (806, 'g'), (807, 'h'), (802, 'i') ON CONFLICT (id) DO UPDATE SET name = product.name || excluded.name, stock = coalesce(product.stock, 0) + 1 RETURNING *;
SELECT * FROM product WHERE id > 800 ORDER BY id;
INSERT INTO product AS p (id, name, stock) VALUES (801, 'z', 9), (802, 'z', 9), (808, 'z', 9) ON CONFLICT (id) DO UPDATE SET name = excluded.name, stock = excluded.stock WHERE p.stock IS NULL OR p.stock > 1 RETURNING p.id, p.name, p.stock + 1 AS next, upper(name);
INSERT INTO product (id, name) SELECT id + 1, 'from ' || name FROM product WHERE id BETWEEN 806 AND 808 ON CONFLICT (id) DO UPDATE SET (name, stock) = (excluded.name, DEFAULT) RETURNING id, name, stock;
INSERT INTO product (id) VALUES (801) ON CONFLICT (id) DO UPDATE SET (name, stock) = (SELECT name, age FROM customer WHERE customer.id = 'c1') RETURNING *;
INSERT INTO product (id) VALUES (801) ON CONFLICT (id) DO UPDATE SET (name, stock) = (SELECT c.name, c.age FROM customer c WHERE c.id = 'nobody' || excluded.id) RETURNING *;
INSERT INTO product (id) VALUES (801) ON CONFLICT (id) DO UPDATE SET name = (SELECT min(name) FROM customer), launched = '2024-05-06', price = 3 WHERE EXISTS (SELECT 1 FROM customer WHERE id = 'c1') RETURNING *, (SELECT count(*) FROM product AS q WHERE q.id < product.id AND q.id > 800);
INSERT INTO product (id, price) VALUES (801, 1 / 3.0) ON CONFLICT (id) DO UPDATE SET stock = 1 / (product.id - 801) WHERE product.id <> 801 RETURNING *;
INSERT INTO product (id) VALUES (801) ON CONFLICT (id) DO UPDATE SET id = excluded.id, name = 'same' RETURNING id, name;
INSERT INTO product (id) VALUES (801) ON CONFLICT ((id)) DO UPDATE SET id = product.id RETURNING id, name;
INSERT INTO product (id) VALUES (801) ON CONFLICT (id, id) WHERE name = 'x' DO UPDATE SET stock = 4 RETURNING id, stock;
INSERT INTO product DEFAULT VALUES ON CONFLICT (name) DO NOTHING;
WITH n AS (SELECT 801 AS k, 'with' AS v) INSERT INTO product (id, name) SELECT k, v FROM n ON CONFLICT (id) DO UPDATE SET name = excluded.name || (SELECT v FROM n) RETURNING name, (SELECT k FROM n);
INSERT INTO subscription VALUES ('c1', 1, '2025-01-01', 8, 'up'), ('c1', 77, '2025-01-02', 9, 'new') ON CONFLICT (right_key, left_key) DO UPDATE SET quantity = subscription.quantity + excluded.quantity, note = excluded.note RETURNING *;
INSERT INTO customer (id, attrs) VALUES ('c1', '{"new": true}') ON CONFLICT (id) DO UPDATE SET attrs = customer.attrs RETURNING id, name, attrs -> 'n';
SELECT * FROM product WHERE id > 800 ORDER BY id;
SELECT * FROM subscription ORDER BY left_key, right_key;
INSERT INTO product (id, name) VALUES (830, 'r'), (829, 'q'), (828, 'p'), (801, 'o') ON CONFLICT (id) DO UPDATE SET name = 'upd' RETURNING id, name;

# UPDATE.
UPDATE product SET name = 'upd' WHERE id = 801;
UPDATE product SET name = upper(name), stock = stock + 1, price = 7 WHERE id > 825 RETURNING *;
UPDATE product AS p SET stock = p.id, price = p.price * 2, launched = DEFAULT WHERE p.id IN (801, 802) RETURNING p.id, p.stock, price, p.launched IS NULL AS gone;
UPDATE product SET (name, stock) = ('both', id - 800), price = NULL WHERE id BETWEEN 803 AND 804 RETURNING id, name, stock, price;
UPDATE product SET (name, stock) = ROW ('row', DEFAULT) WHERE id = 803 RETURNING id, name, stock;
UPDATE product SET (name, stock) = (SELECT c.name, c.age FROM customer c WHERE c.id = 'c' || (product.id - 800)) WHERE id IN (803, 804, 809) RETURNING id, name, stock;
UPDATE product SET (stock) = (SELECT 5) WHERE id = 803 RETURNING stock;
UPDATE product SET name = c.name, price = c.credit FROM customer c WHERE c.id = 'c' || (product.id - 800) RETURNING product.id, c.id, product.name, price, c.age;
UPDATE product SET stock = s.quantity FROM subscription s JOIN customer c ON c.id = s.left_key WHERE s.right_key = product.id AND s.left_key = 'c1' RETURNING *;
UPDATE product p SET stock = x.n FROM (SELECT 803 AS k, 30 AS n UNION ALL SELECT 804, 40) AS x WHERE x.k = p.id RETURNING p.*, x.*;
UPDATE product SET stock = n FROM (VALUES (803, 31), (804, 41)) AS v(id, n) WHERE v.id = product.id RETURNING product.id, v.n, stock;
UPDATE product SET stock = o.stock + 1 FROM product o WHERE o.id = product.id - 1 AND product.id BETWEEN 804 AND 805 RETURNING product.id, product.stock, o.stock;
WITH w AS (SELECT 803 AS k, 'with' AS v) UPDATE product SET name = v FROM w WHERE id = k RETURNING name, k, (SELECT v FROM w);
WITH w(k) AS (VALUES (803), (804)) UPDATE product SET name = name || '!' WHERE id IN (SELECT k FROM w) RETURNING id, name;
UPDATE product SET stock = (SELECT count(*) FROM subscription s WHERE s.right_key = product.id) WHERE id < 4 RETURNING id, stock;
UPDATE product SET stock = 1.5, price = '2.50', name = 7 WHERE id = 803 RETURNING stock, price, name;
UPDATE product SET id = id, name = 'k' WHERE id = 803 RETURNING id, name;
UPDATE product SET id = product.id WHERE id = 803;
UPDATE product SET name = 'none' WHERE false RETURNING *;
UPDATE product SET name = 'none' WHERE id = -5;
UPDATE ONLY product SET stock = 0 WHERE id = 803 RETURNING stock;
UPDATE product * SET stock = 1 WHERE id = 803 RETURNING stock;
UPDATE public.product SET stock = 2 WHERE public.product.id = 803 RETURNING product.stock;
UPDATE customer SET attrs = '{"k": 1}', active = NOT active WHERE id IN ('c4', 'c5') RETURNING id, attrs, active;
UPDATE customer SET attrs = NULL, created = '2024-01-01 00:00:00+02', birth = created WHERE id = 'c5' RETURNING attrs, created, birth;
UPDATE customer SET name = CASE WHEN age > 40 THEN 'old ' || name ELSE 'young' END WHERE tier = 'gold' RETURNING id, name;
UPDATE customer SET balance = 1 / 3.0, age = age + 1 WHERE id = 'c1' RETURNING balance, age;
UPDATE subscription SET note = c.name FROM customer c, product p WHERE c.id = left_key AND p.id = right_key AND p.id < 10 RETURNING left_key, right_key, note, p.name;
SELECT * FROM product ORDER BY id;
SELECT * FROM customer WHERE id LIKE 'c%' ORDER BY id;
SELECT * FROM subscription ORDER BY left_key, right_key;

# MERGE.
MERGE INTO product p USING (VALUES (803, 'key'), (855, 'keys')) AS s(id, name) ON p.id = s.id WHEN MATCHED THEN UPDATE SET id = s.id, name = s.name WHEN NOT MATCHED THEN INSERT (id, name) VALUES (s.id, s.name);
UPDATE product SET id = c.k, name = c.v FROM (VALUES (855, 'val')) AS c(k, v) WHERE id = k RETURNING id, name;
MERGE INTO product p USING (VALUES (803, 'merged', 1), (851, 'made', 2), (852, NULL, 3)) AS s(id, name, n) ON p.id = s.id WHEN MATCHED THEN UPDATE SET name = s.name, stock = p.stock + s.n WHEN NOT MATCHED THEN INSERT (id, name, stock) VALUES (s.id, s.name, s.n);
SELECT * FROM product WHERE id > 800 ORDER BY id;
MERGE INTO product USING customer c ON product.id = c.age WHEN NOT MATCHED AND c.age > 40 THEN INSERT VALUES (c.age + 1000, c.name, tier, credit) WHEN NOT MATCHED THEN DO NOTHING;
MERGE INTO product USING (SELECT id, stock FROM product WHERE id > 800) AS s ON s.id = product.id WHEN MATCHED AND product.stock IS NULL THEN DO NOTHING WHEN MATCHED AND product.stock > 10 THEN UPDATE SET stock = 10 WHEN MATCHED THEN UPDATE SET (stock, name) = (product.stock + 1, upper(product.name));
SELECT * FROM product WHERE id > 800 ORDER BY id;
WITH s AS (SELECT 861 + g AS k FROM generate_series(0, 2) AS g) MERGE INTO product USING s ON k = id WHEN NOT MATCHED AND k = 862 THEN DO NOTHING WHEN NOT MATCHED THEN INSERT (id, name) VALUES (k, 'k' || k);
MERGE INTO product USING (SELECT 803 AS k) AS s ON k = id WHEN MATCHED AND 1 / (id - 803) = 1 THEN DO NOTHING;
MERGE INTO product USING (SELECT id AS k FROM product WHERE id = 803) AS s ON k = id WHEN MATCHED AND id > 803 THEN UPDATE SET stock = 1 / (id - 803) WHEN MATCHED THEN UPDATE SET stock = 5 WHEN NOT MATCHED THEN INSERT (id, stock) VALUES (1, 1 / (k - 803));
MERGE INTO product USING (SELECT 870 AS k) AS s ON k = id WHEN NOT MATCHED THEN INSERT (id) VALUES (k) WHEN MATCHED THEN UPDATE SET stock = CAST('12' || name AS bigint);
MERGE INTO product USING (SELECT 871 AS k) AS s ON k = id WHEN NOT MATCHED THEN INSERT (id, name, price) VALUES (k, DEFAULT, '1.50') WHEN MATCHED THEN DO NOTHING;
MERGE INTO product USING (SELECT 872 AS k) AS s ON k = id WHEN NOT MATCHED THEN INSERT (id, stock) VALUES (k, (SELECT count(*) FROM customer WHERE id < 'c9'));
MERGE INTO product USING (product AS a JOIN customer c ON c.id = 'c' || (a.id - 800)) ON a.id = product.id WHEN MATCHED THEN UPDATE SET name = c.tier, id = product.id;
MERGE INTO subscription s USING customer ON s.left_key = customer.id AND s.right_key = 1 WHEN MATCHED THEN UPDATE SET quantity = s.quantity * 2 WHEN NOT MATCHED AND customer.age IS NOT NULL THEN INSERT (left_key, right_key, note) VALUES (id, 1, name);
MERGE INTO product USING (VALUES (803), (803)) AS s(k) ON k = id WHEN MATCHED THEN UPDATE SET stock = 1;
MERGE INTO product USING (VALUES (803), (803)) AS s(k) ON k = id WHEN MATCHED THEN DO NOTHING;
SELECT * FROM product ORDER BY id;
SELECT * FROM subscription ORDER BY left_key, right_key;

# What fails when it runs.
UPDATE product SET stock = (SELECT id FROM product);
UPDATE product SET stock = 1 / (id - id) WHERE id = 803;
UPDATE product SET stock = 99999999999999999999 WHERE id = 803;
MERGE INTO product USING customer c ON c.age = product.id WHEN NOT MATCHED THEN INSERT (id) VALUES (generate_series(1, 2));

# JSON's null.
INSERT INTO customer (id, attrs) VALUES ('z17', 'null') RETURNING attrs;
UPDATE customer SET attrs = 'null' WHERE id = 'z17' RETURNING attrs;
UPDATE customer SET attrs = attrs -> 'n' WHERE id IN ('c1', 'z17') RETURNING attrs;
UPDATE customer SET attrs = '{"a';
