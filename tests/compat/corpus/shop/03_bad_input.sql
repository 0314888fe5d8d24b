# Statements that cannot be, with all that is said about them.
INSERT INTO item (sku, title) VALUES (1, 'one');
INSERT INTO shelf VALUES ('s1', 1);

# Wrong types.
INSERT INTO item (sku, title, stock) VALUES (2, 'x', 'many');
INSERT INTO item (sku, title, stock) VALUES (2, 'x', true);
INSERT INTO item (sku, title, price) VALUES (2, 'x', '1.2.3');
INSERT INTO item (sku, title, day) VALUES (2, 'x', '2024-02-30');
INSERT INTO item (sku, title, day) VALUES (2, 'x', 12);
INSERT INTO item (sku, title, added) VALUES (2, 'x', 'soon');
INSERT INTO item (sku, title, code) VALUES (2, 'x', 'zz');
INSERT INTO item (sku, title, sold) VALUES (2, 'x', 'perhaps');
INSERT INTO item (sku, title, tags) VALUES (2, 'x', '{');
INSERT INTO item (sku, title, raw) VALUES (2, 'x', '\xabc');
INSERT INTO item (sku, title, weight) VALUES (2, 'x', 'heavy');
UPDATE item SET stock = 'many';
UPDATE item SET stock = title;
UPDATE item SET stock = title::bigint;
UPDATE item SET day = sku;
MERGE INTO item USING shelf ON false WHEN NOT MATCHED THEN INSERT (sku, title, stock) VALUES (2, name, name);
MERGE INTO item USING shelf ON true WHEN MATCHED THEN UPDATE SET stock = name::bigint;

# Values beyond the limits.
INSERT INTO item (sku, title) VALUES (9223372036854775808, 'x');
INSERT INTO item (sku, title, stock) VALUES (2, 'x', '99999999999999999999');
INSERT INTO item (sku, title, weight) VALUES (2, 'x', '1e999');
UPDATE item SET stock = 9223372036854775807 + sku;
UPDATE item SET stock = 10 / (sku - 1);

# Columns.
INSERT INTO shelf (name, name) VALUES ('a', 'b');
INSERT INTO shelf (name, nope) VALUES ('a', 'b');
INSERT INTO shelf (name, height) VALUES ('a');
INSERT INTO shelf (name, height) VALUES ('a', 1, 2);
INSERT INTO shelf (name, height) VALUES ('a', 1), ('b');
INSERT INTO shelf VALUES ('a', 1, 'b', 'c');
UPDATE shelf SET height = 1, height = 2;
UPDATE shelf SET nope = 1;
UPDATE shelf SET (height, note) = (1);
UPDATE shelf SET (height, note) = (SELECT 1);
MERGE INTO shelf USING item ON true WHEN NOT MATCHED THEN INSERT (name, height) VALUES ('a');
MERGE INTO shelf USING item ON true WHEN MATCHED THEN UPDATE SET nope = 1;

# NULL where there must be a value.
INSERT INTO shelf VALUES (NULL, 1);
INSERT INTO shelf (height) VALUES (1);
INSERT INTO shelf (name) VALUES ('a');
INSERT INTO shelf VALUES ('a', NULL);
INSERT INTO stands VALUES (1, NULL, 'a', 1);
INSERT INTO stands VALUES (1, 's1', NULL, 1);
INSERT INTO owns VALUES (NULL, 1);
UPDATE shelf SET height = NULL;
UPDATE shelf SET height = DEFAULT;
INSERT INTO shelf VALUES ('s1', 1) ON CONFLICT (name) DO UPDATE SET height = NULL;
INSERT INTO shelf VALUES ('s1', NULL) ON CONFLICT DO NOTHING;
INSERT INTO shelf (name) SELECT 's1' ON CONFLICT (name) DO NOTHING;
INSERT INTO shelf VALUES ('s1', NULL) ON CONFLICT (name) DO UPDATE SET height = 5;
MERGE INTO shelf USING (SELECT 's1' AS k) AS v ON k = name WHEN MATCHED THEN UPDATE SET height = NULL;
MERGE INTO shelf USING (SELECT 's2' AS k) AS v ON k = name WHEN NOT MATCHED THEN INSERT (name) VALUES (k);

# Keys.
INSERT INTO shelf VALUES ('s1', 2);
INSERT INTO shelf VALUES ('s2', 2), ('s2', 3);
INSERT INTO stands VALUES (1, 's1', 'a', 1), (1, 's1', 'b', 1), (1, 's1', 'a', 2);
INSERT INTO shelf VALUES ('s1', 1) ON CONFLICT (height) DO NOTHING;
INSERT INTO shelf VALUES ('s1', 1) ON CONFLICT (nope) DO NOTHING;
INSERT INTO stands VALUES (1, 's1', 'a', 1) ON CONFLICT (left_key, right_key) DO NOTHING;
INSERT INTO shelf VALUES ('s1', 1) ON CONFLICT ON CONSTRAINT nope DO NOTHING;
INSERT INTO shelf VALUES ('s1', 1) ON CONFLICT DO UPDATE SET height = 1;
INSERT INTO shelf VALUES ('s2', 1), ('s2', 2) ON CONFLICT (name) DO UPDATE SET height = 1;
MERGE INTO shelf USING (VALUES (1), (2)) AS v(n) ON name = 's1' WHEN MATCHED THEN UPDATE SET height = n;
MERGE INTO shelf USING (VALUES (1), (2)) AS v(n) ON name = 's3' WHEN NOT MATCHED THEN INSERT VALUES ('s3', n);

# Transactions.
ROLLBACK TO nothing;
BEGIN;
ROLLBACK TO nothing;
RELEASE nothing;
COMMIT;
BEGIN;
RELEASE SAVEPOINT nothing;
ROLLBACK;
BEGIN;
BEGIN;
BEGIN;
INSERT INTO shelf VALUES ('s1', 1);
COMMIT;
INSERT INTO nowhere VALUES (1);
UPDATE nowhere SET a = 1;
MERGE INTO nowhere USING shelf ON true WHEN MATCHED THEN DO NOTHING;
SELECT * FROM shelf;
SELECT * FROM item;

# An argument of EXECUTE is assigned to its parameter.
PREPARE argued (boolean, bigint, text) AS SELECT $1, $2, $3;
EXECUTE argued (1, 2, 3);
EXECUTE argued (NULL, true, 'x');
EXECUTE argued ('maybe', 1, 'x');
EXECUTE argued (true, date '2024-05-17', 'x');
EXECUTE argued (true, 2.5, 1 = 1);
EXECUTE argued (true, 'x' || 'y', 'x');
