# INSERT ... ON CONFLICT into views.
CREATE SCHEMA c;
CREATE TABLE c.t (id int PRIMARY KEY, a int, b text DEFAULT 'tb', UNIQUE (a));
CREATE VIEW c.v AS SELECT id, a AS x, b, a * 2 AS twice FROM c.t WHERE a > 0;
CREATE VIEW c.chk AS SELECT id, a, b FROM c.t WHERE a > 0 WITH CHECK OPTION;
INSERT INTO c.v VALUES (1, 1, 'one'), (2, 2, 'two');
INSERT INTO c.v (id, x) VALUES (1, 9) ON CONFLICT DO NOTHING RETURNING *;
INSERT INTO c.v (id, x) VALUES (1, 9), (3, 3) ON CONFLICT (id) DO NOTHING RETURNING *;
INSERT INTO c.v (id, x) VALUES (1, 9) ON CONFLICT (x) DO UPDATE SET b = 'conf' RETURNING *;
INSERT INTO c.v (id, x) VALUES (9, 1) ON CONFLICT (x) DO UPDATE SET b = 'conf' RETURNING *;
INSERT INTO c.v (id, x) VALUES (1, 9) ON CONFLICT (a) DO NOTHING;
INSERT INTO c.v (id, x) VALUES (1, 9) ON CONFLICT (twice) DO NOTHING;
INSERT INTO c.v (id, x) VALUES (1, 9) ON CONFLICT (b) DO NOTHING;
INSERT INTO c.v (id, x) VALUES (1, 9) ON CONFLICT (id) DO UPDATE SET x = excluded.x, b = excluded.b || v.b RETURNING *;
INSERT INTO c.v (id, x) VALUES (1, 9) ON CONFLICT (id) DO UPDATE SET twice = 3;
INSERT INTO c.v (id, x) VALUES (1, 11) ON CONFLICT (id) DO UPDATE SET x = excluded.twice + v.twice RETURNING *;
INSERT INTO c.v AS w (id, x) VALUES (1, 11) ON CONFLICT (id) DO UPDATE SET b = w.x::text || excluded.b WHERE w.twice > 5 RETURNING *, w.twice;
INSERT INTO c.v AS w (id, x) VALUES (1, 11) ON CONFLICT (id) DO UPDATE SET b = 'q' WHERE excluded.twice > 500 RETURNING *, w.twice;
INSERT INTO c.v AS w (id, x) VALUES (1, 11) ON CONFLICT (id) DO UPDATE SET (x, b) = (SELECT excluded.x + 100, w.b || '!') RETURNING *;
INSERT INTO c.v AS w (id, x) VALUES (1, 11) ON CONFLICT (id) DO UPDATE SET (x, b) = (excluded.x + 100, w.b || '?') RETURNING *;
INSERT INTO c.v (id, x) VALUES (1, 11) ON CONFLICT ON CONSTRAINT t_pkey DO NOTHING;
INSERT INTO c.v (id, x) VALUES (1, 11) ON CONFLICT (id) DO UPDATE SET nope = 1;
INSERT INTO c.v (id, x) VALUES (1, 11) ON CONFLICT (id) DO UPDATE SET a = 1;
INSERT INTO c.v (id, x) VALUES (1, 11) ON CONFLICT (id) DO UPDATE SET b = excluded.nope;
INSERT INTO c.v (id, x) VALUES (1, 11) ON CONFLICT (id) DO UPDATE SET b = excluded.a;
INSERT INTO c.v (id, x) VALUES (1, 11) ON CONFLICT (id) DO UPDATE SET b = t.b;
INSERT INTO c.v (id, x) VALUES (1, 11) ON CONFLICT (id) DO NOTHING RETURNING excluded.x;
INSERT INTO c.v (id, x, twice) VALUES (1, 11, 3) ON CONFLICT (id) DO NOTHING;
INSERT INTO c.v (id, x) VALUES (20, 20), (20, 21) ON CONFLICT (id) DO UPDATE SET x = excluded.x;
INSERT INTO c.v (id, x) VALUES (20, 20), (20, 21) ON CONFLICT (id) DO NOTHING RETURNING *;
INSERT INTO c.v (id, x) SELECT n, n * 10 FROM generate_series(1, 4) n ON CONFLICT (id) DO UPDATE SET x = excluded.x, b = 'series' RETURNING *;
SELECT * FROM c.t ORDER BY id;

# A row that the view does not show is a conflict, too.
INSERT INTO c.t VALUES (5, -5, 'neg');
INSERT INTO c.v (id, x) VALUES (5, 50) ON CONFLICT (id) DO NOTHING;
INSERT INTO c.v (id, x) VALUES (5, 50) ON CONFLICT (id) DO UPDATE SET b = 'updated though invisible' RETURNING *;
INSERT INTO c.chk VALUES (5, 50) ON CONFLICT (id) DO UPDATE SET b = 'x';
INSERT INTO c.chk VALUES (5, -50) ON CONFLICT (id) DO NOTHING;
INSERT INTO c.chk VALUES (6, -50) ON CONFLICT (id) DO NOTHING;
INSERT INTO c.chk VALUES (5, -51) ON CONFLICT (id) DO UPDATE SET a = 51 RETURNING *;
INSERT INTO c.chk VALUES (5, -51) ON CONFLICT (id) DO UPDATE SET a = excluded.a RETURNING *;
INSERT INTO c.chk VALUES (7, 7) ON CONFLICT (id) DO UPDATE SET a = excluded.a RETURNING *;

# Defaults of the view, views of views, indexes of expressions, parameters.
ALTER VIEW c.v ALTER b SET DEFAULT 'vb';
INSERT INTO c.v (id, x) VALUES (1, 11) ON CONFLICT (id) DO UPDATE SET b = DEFAULT RETURNING *;
INSERT INTO c.v (id, x) VALUES (1, 11) ON CONFLICT (id) DO UPDATE SET b = excluded.b || '!' RETURNING *;
INSERT INTO c.v (id, x) VALUES (1, 11) ON CONFLICT (id) DO UPDATE SET x = DEFAULT RETURNING *;
CREATE VIEW c.vv AS SELECT x AS y, id, twice + 1 AS t1, b FROM c.v WHERE x < 100;
INSERT INTO c.vv (id, y) VALUES (1, 12) ON CONFLICT (id) DO UPDATE SET y = excluded.y, b = excluded.t1::text || '/' || coalesce(vv.t1, 0) RETURNING *;
INSERT INTO c.vv (id, y) VALUES (1, 12) ON CONFLICT (y) DO UPDATE SET id = 99 RETURNING vv.*;
CREATE UNIQUE INDEX ON c.t ((lower(b))) WHERE id > 100;
INSERT INTO c.v VALUES (101, 101, 'Case') ON CONFLICT (lower(b)) WHERE id > 100 DO NOTHING RETURNING *;
INSERT INTO c.v VALUES (102, 102, 'CASE') ON CONFLICT (lower(b)) WHERE id > 100 DO UPDATE SET x = 103 RETURNING *;
INSERT INTO c.v VALUES (102, 102, 'CASE') ON CONFLICT (lower(b)) DO NOTHING;
PREPARE p AS INSERT INTO c.v (id, x, b) VALUES ($1, $2, $3) ON CONFLICT (id) DO UPDATE SET x = excluded.x, b = excluded.b;
EXECUTE p (200, 200, 'new');
EXECUTE p (200, 201, 'newer');
WITH i AS (INSERT INTO c.v (id, x) VALUES (200, 202), (201, 203) ON CONFLICT (id) DO UPDATE SET x = excluded.x RETURNING *) SELECT id, x, twice FROM i ORDER BY id;
SELECT * FROM c.t ORDER BY id;

# Over a table of the ontology.
CREATE VIEW c.items AS SELECT sku AS number, title, upper(title) AS loud FROM item WITH CHECK OPTION;
INSERT INTO c.items VALUES (90, 'Nail') ON CONFLICT DO NOTHING RETURNING *;
INSERT INTO c.items VALUES (90, 'Nut'), (91, 'Nut') ON CONFLICT (number) DO NOTHING RETURNING *;
INSERT INTO c.items (number, title) VALUES (90, 'Pin'), (92, 'Peg') ON CONFLICT (number) DO UPDATE SET title = excluded.loud || items.title RETURNING *;
CREATE VIEW c.checked AS SELECT sku, title FROM item WHERE title LIKE 'P%' WITH CHECK OPTION;
INSERT INTO c.checked VALUES (92, 'Plug') ON CONFLICT (sku) DO UPDATE SET title = 'Bug';
INSERT INTO c.checked VALUES (92, 'Plug') ON CONFLICT (sku) DO UPDATE SET title = excluded.title RETURNING *;
SELECT sku, title FROM item WHERE sku >= 90 ORDER BY sku;
