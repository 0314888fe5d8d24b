# Each file of this folder begins with an empty shop, through the whole gateway (TestShopCorpus).
# INSERT.
INSERT INTO item (sku, title, price, stock, sold, day, added, code, raw, tags, weight) VALUES (1, 'Anvil', 12.5, 3, true, '2024-02-29', '2024-02-29 10:00:00+02', 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11', '\xdeadbeef', '{"b": [1, null], "a": "x"}', 1e20) RETURNING *;
INSERT INTO item (sku, title) VALUES (2, 'Bolt'), (3, 'Cog') RETURNING sku, title, price;
INSERT INTO item (title, sku, stock) SELECT 'n' || n, n, n * n FROM generate_series(4, 6) AS n;
INSERT INTO shelf VALUES ('s1', 1, 'low'), ('s2', 2, DEFAULT), ('s3', 3);
INSERT INTO stands VALUES (1, 's1', 'left', 4, '2024-01-01'), (1, 's1', 'right', 5, NULL), (2, 's9', 'left', 1, NULL) RETURNING left_key, right_key, slot;
INSERT INTO owns VALUES ('s1', 1, 0.5), ('s2', 1, NULL);
INSERT INTO shelf VALUES ('s1', 1);
INSERT INTO shelf VALUES ('s8', 1), ('s8', 2);
INSERT INTO stands VALUES (1, 's1', 'left', 4);
INSERT INTO owns VALUES ('s3', 1), ('s1', 1);
INSERT INTO shelf SELECT name, height FROM shelf;
SELECT * FROM item ORDER BY sku;

# ON CONFLICT.
INSERT INTO shelf VALUES ('s1', 9), ('s4', 4) ON CONFLICT DO NOTHING RETURNING *;
INSERT INTO shelf VALUES ('s5', 5), ('s5', 6) ON CONFLICT DO NOTHING;
INSERT INTO shelf VALUES ('s5', 9) ON CONFLICT (name) DO NOTHING;
INSERT INTO shelf VALUES ('s1', 10), ('s6', 6) ON CONFLICT (name) DO UPDATE SET height = shelf.height + excluded.height RETURNING *;
INSERT INTO shelf VALUES ('s1', 10), ('s2', 20) ON CONFLICT (name) DO UPDATE SET height = excluded.height WHERE shelf.height < 10 RETURNING *;
INSERT INTO shelf VALUES ('s1', 11) ON CONFLICT (name) DO UPDATE SET height = 11;
INSERT INTO shelf VALUES ('s1', 1) ON CONFLICT ON CONSTRAINT shelf_pkey DO UPDATE SET (height, note) = (SELECT count(*), max(title) FROM item) RETURNING *;
INSERT INTO stands VALUES (1, 's1', 'left', 40), (1, 's1', 'new', 41) ON CONFLICT (slot, left_key, right_key) DO UPDATE SET places = excluded.places RETURNING *;
INSERT INTO owns SELECT 's1', sku, 1 FROM item WHERE sku < 3 ON CONFLICT (left_key, right_key) DO UPDATE SET share = owns.share / 2 RETURNING *;
INSERT INTO shelf VALUES ('s7', 1), ('s7', 2) ON CONFLICT (name) DO UPDATE SET height = 5;
INSERT INTO shelf VALUES ('s1', 1), ('s1', 2) ON CONFLICT (name) DO UPDATE SET height = 5;
INSERT INTO shelf VALUES ('s1', 1), ('s1', 2) ON CONFLICT (name) DO UPDATE SET height = 5 WHERE false;
INSERT INTO shelf VALUES ('s1', NULL) ON CONFLICT (name) DO NOTHING;
INSERT INTO shelf VALUES ('s1', 1) ON CONFLICT (name) DO UPDATE SET height = NULL;
SELECT * FROM shelf ORDER BY name;

# UPDATE.
UPDATE item SET stock = stock + 1, title = upper(title) WHERE sku < 3 RETURNING sku, stock, title;
UPDATE item SET stock = 1 WHERE sku = 99;
UPDATE item SET stock = stock;
UPDATE item SET (price, day) = (1.5, '2024-03-01') WHERE sku IN (SELECT left_key FROM stands) RETURNING sku, price, day;
UPDATE item SET stock = s.height, title = s.note FROM shelf s WHERE s.name = 's' || sku AND s.note IS NOT NULL RETURNING sku, s.name, stock;
UPDATE shelf SET height = (SELECT count(*) FROM stands WHERE right_key = name) RETURNING *;
UPDATE item SET (stock, price) = (SELECT max(height), avg(height) FROM shelf WHERE height < item.sku) WHERE sku > 4 RETURNING sku, stock;
UPDATE item SET tags['b'][1] = '"set"', tags['n'] = to_jsonb(sku) WHERE sku = 1 RETURNING tags;
UPDATE item SET tags = jsonb_set(tags, '{b,0}', '{"deep": true}') || '{"z": 1}' WHERE sku = 1 RETURNING tags;
UPDATE item SET tags = tags - 'z' #- '{b,0,deep}' WHERE sku = 1 RETURNING tags;
UPDATE item SET sku = sku, sold = NOT sold WHERE sku = 1 RETURNING sku, sold;
WITH w(k, v) AS (VALUES (5, 50), (6, 60)) UPDATE item SET stock = v FROM w WHERE k = sku RETURNING sku, stock, v;
UPDATE stands SET places = places * 2, since = '2024-05-05' WHERE (left_key, right_key) = (1, 's1') RETURNING *;
SELECT * FROM item ORDER BY sku;

# MERGE.
MERGE INTO shelf USING (VALUES ('s1', 1), ('s2', 2), ('m1', 3), ('m2', 4)) AS v(k, n) ON k = name WHEN MATCHED AND n = 1 THEN DO NOTHING WHEN MATCHED THEN UPDATE SET height = n, note = 'merged' WHEN NOT MATCHED AND n = 4 THEN DO NOTHING WHEN NOT MATCHED THEN INSERT (name, height) VALUES (k, n);
MERGE INTO item USING shelf s ON s.name = 's' || sku WHEN MATCHED THEN UPDATE SET (stock, title) = (s.height, coalesce(s.note, title)) WHEN NOT MATCHED THEN INSERT (sku, title) VALUES (100 + s.height, s.name);
WITH q AS (SELECT sku FROM item WHERE sku < 3) MERGE INTO owns USING q ON right_key = sku AND left_key = 's1' WHEN MATCHED THEN UPDATE SET share = 1 WHEN NOT MATCHED THEN INSERT VALUES ('s1', sku, DEFAULT);
MERGE INTO shelf USING (VALUES ('s1'), ('s1')) AS v(k) ON k = name WHEN MATCHED THEN UPDATE SET height = 7;
MERGE INTO shelf USING (VALUES ('m9'), ('m9')) AS v(k) ON k = name WHEN NOT MATCHED THEN INSERT VALUES (k, 1);
SELECT * FROM shelf ORDER BY name;
SELECT * FROM item ORDER BY sku;
SELECT * FROM owns ORDER BY 1, 2;

# What an append-only store refuses: listed as different.
DELETE FROM item WHERE sku = 1;
DELETE FROM item;
TRUNCATE item;
MERGE INTO shelf USING item ON title = name WHEN MATCHED THEN DELETE;
WITH gone AS (DELETE FROM shelf RETURNING *) SELECT count(*) FROM gone;
UPDATE item SET sku = 50 WHERE sku = 6;
