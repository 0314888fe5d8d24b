# Views WITH CHECK OPTION.
CREATE SCHEMA w;
CREATE TABLE w.t (id int PRIMARY KEY, a int CHECK (a < 1000), b text DEFAULT 'none');
CREATE VIEW w.plain AS SELECT * FROM w.t WHERE a > 0;
CREATE VIEW w.v AS SELECT * FROM w.t WHERE a > 0 WITH CHECK OPTION;
CREATE VIEW w.local AS SELECT id, a AS x, b, a * 2 AS twice FROM w.plain WHERE a < 100 WITH LOCAL CHECK OPTION;
CREATE VIEW w.cascaded AS SELECT id, a, b FROM w.plain WHERE a < 100 WITH CASCADED CHECK OPTION;
CREATE VIEW w.option (id, a) WITH (check_option = local, security_barrier) AS SELECT id, a FROM w.t WHERE a > 10;
CREATE VIEW w.below AS SELECT * FROM w.v WHERE a < 50;
CREATE VIEW w.nowhere AS SELECT id, a FROM w.plain WITH CHECK OPTION;
CREATE VIEW w.localnowhere AS SELECT id, a FROM w.plain WITH LOCAL CHECK OPTION;
CREATE VIEW w.both AS SELECT id, a FROM w.local JOIN w.v USING (id) WITH CHECK OPTION;
CREATE VIEW w.grouped AS SELECT count(*) AS n FROM w.t WITH CHECK OPTION;
CREATE VIEW w.expression AS SELECT a + 1 AS b FROM w.t WITH CHECK OPTION;
CREATE VIEW w.twice WITH (check_option = local) AS SELECT id FROM w.t WITH CHECK OPTION;
CREATE VIEW w.wrong WITH (check_option = nothing) AS SELECT id FROM w.t;
SELECT relname, reloptions FROM pg_class WHERE relnamespace = 'w'::regnamespace AND relkind = 'v' ORDER BY 1;
SELECT table_name, check_option FROM information_schema.views WHERE table_schema = 'w' ORDER BY 1;

INSERT INTO w.v VALUES (1, 1), (2, 200, 'two');
INSERT INTO w.v VALUES (3, 0);
INSERT INTO w.v VALUES (3, NULL);
INSERT INTO w.v VALUES (4, 4), (5, -5), (6, -6);
INSERT INTO w.v (id) VALUES (7);
INSERT INTO w.v VALUES (1, -1);
INSERT INTO w.v VALUES (8, 2000);
INSERT INTO w.v VALUES (NULL, -1);
INSERT INTO w.v SELECT id + 10, a - 1 FROM w.t;
INSERT INTO w.plain VALUES (9, -9);
SELECT * FROM w.t ORDER BY id;
UPDATE w.v SET a = a - 1 WHERE id = 1;
UPDATE w.v SET a = a - 100;
UPDATE w.v SET a = a - 100 WHERE a > 100 RETURNING *;
UPDATE w.v SET b = 'b' WHERE id = 1 RETURNING id, a, b;
UPDATE w.v SET a = NULL;
UPDATE w.v SET id = 2 WHERE id = 1;
SELECT * FROM w.t ORDER BY id;
INSERT INTO w.v VALUES (20, -1, repeat('x', 100));

# LOCAL checks the view, CASCADED those below, too.
INSERT INTO w.local (id, x) VALUES (30, -30) RETURNING *;
INSERT INTO w.local (id, x) VALUES (31, 300);
INSERT INTO w.cascaded VALUES (32, -32);
INSERT INTO w.cascaded VALUES (32, 320);
INSERT INTO w.cascaded VALUES (32, 32) RETURNING *;
INSERT INTO w.option VALUES (33, 5);
INSERT INTO w.option VALUES (33, 50);
INSERT INTO w.below VALUES (34, -34);
INSERT INTO w.below VALUES (34, 340);
INSERT INTO w.nowhere VALUES (35, -35);
INSERT INTO w.localnowhere VALUES (35, -35);
UPDATE w.nowhere SET a = -1 WHERE id = 1;
UPDATE w.local SET x = 100 WHERE id = 1;
UPDATE w.local SET x = -100 WHERE id = 1;
UPDATE w.cascaded SET a = -1 WHERE id = 32;
UPDATE w.cascaded SET b = 'thirty two' WHERE id = 32 RETURNING *;
DELETE FROM w.v WHERE id = 2;
SELECT * FROM w.t ORDER BY id;

# With subqueries, parameters and WITH.
CREATE TABLE w.allowed (a int);
INSERT INTO w.allowed VALUES (1), (2), (3);
CREATE VIEW w.sub AS SELECT * FROM w.t WHERE a IN (SELECT a FROM w.allowed) WITH CHECK OPTION;
CREATE VIEW w.correlated AS SELECT * FROM w.t x WHERE EXISTS (SELECT FROM w.allowed y WHERE y.a = x.a) WITH CHECK OPTION;
INSERT INTO w.sub VALUES (40, 3), (41, 1) RETURNING *;
INSERT INTO w.sub VALUES (42, 4);
UPDATE w.sub SET a = a + 1 WHERE id = 41;
UPDATE w.sub SET a = a + 1 WHERE id = 40;
INSERT INTO w.correlated VALUES (43, 1), (44, 4);
INSERT INTO w.correlated VALUES (43, 1), (44, 2) RETURNING id;
UPDATE w.correlated SET a = 9 WHERE id = 43;
PREPARE p AS INSERT INTO w.v VALUES ($1, $2);
EXECUTE p (50, 5);
EXECUTE p (51, -5);
WITH i AS (INSERT INTO w.v VALUES (52, 52) RETURNING *) SELECT * FROM i;
WITH i AS (INSERT INTO w.v VALUES (53, -52) RETURNING *) SELECT * FROM i;
WITH n AS (SELECT 54 AS id, -54 AS a) INSERT INTO w.v SELECT * FROM n;
UPDATE w.v SET a = n.n FROM (VALUES (50, 55), (52, -2)) AS n (id, n) WHERE v.id = n.id;
UPDATE w.v SET a = n.n FROM (VALUES (50, 55), (52, 2)) AS n (id, n) WHERE v.id = n.id RETURNING v.*, n.n;

# The option is changed, and goes with CREATE OR REPLACE.
ALTER VIEW w.plain SET (check_option = cascaded);
INSERT INTO w.plain VALUES (60, -60);
ALTER VIEW w.plain RESET (check_option);
INSERT INTO w.plain VALUES (60, -60);
ALTER VIEW w.plain SET (check_option = elsewhere);
ALTER VIEW w.plain SET (check_option = 'LOCAL');
INSERT INTO w.plain VALUES (61, -61);
CREATE VIEW w.summed AS SELECT sum(a) AS a FROM w.t;
ALTER VIEW w.summed SET (check_option = local);
CREATE OR REPLACE VIEW w.v AS SELECT * FROM w.t WHERE a > 0;
INSERT INTO w.v VALUES (62, -62);
CREATE OR REPLACE VIEW w.v AS SELECT * FROM w.t WHERE a > 0 WITH LOCAL CHECK OPTION;
INSERT INTO w.v VALUES (63, -63);
ALTER VIEW w.v RENAME TO renamed;
ALTER TABLE w.t RENAME a TO amount;
INSERT INTO w.renamed VALUES (63, -63);
CREATE TEMP VIEW mine AS SELECT * FROM w.t WHERE amount > 0 WITH CHECK OPTION;
INSERT INTO mine VALUES (64, 64);
UPDATE mine SET amount = 0 WHERE id = 64;
CREATE TEMP RECURSIVE VIEW recursive (n) AS SELECT 1 WITH CHECK OPTION;
SELECT count(*) FROM pg_class WHERE relkind = 'v' AND relnamespace = 'w'::regnamespace AND pg_get_viewdef(oid) LIKE '%CHECK%';

# Over a table of the ontology.
SELECT * FROM item ORDER BY sku LIMIT 3;
CREATE VIEW w.items AS SELECT sku, title FROM item WHERE title LIKE 'W%' OR sku > 100 WITH CHECK OPTION;
INSERT INTO w.items VALUES (70, 'Anvil');
INSERT INTO w.items VALUES (70, 'Wheel'), (101, 'Anvil') RETURNING *;
INSERT INTO w.items VALUES (71, 'Wheel'), (72, 'Anvil');
UPDATE w.items SET title = 'Bolt' WHERE sku = 70;
UPDATE w.items SET title = 'Winch' WHERE sku = 70 RETURNING *;
PREPARE items AS INSERT INTO w.items VALUES ($1, $2);
EXECUTE items (73, 'Bolt');
EXECUTE items (73, 'Wire');
SELECT * FROM item WHERE sku IN (70, 71, 72, 73, 101) ORDER BY sku;
DROP VIEW w.items;

# Over generated columns.
CREATE TABLE w.g (a int, b int GENERATED ALWAYS AS (a * 2) STORED);
CREATE VIEW w.gv AS SELECT * FROM w.g WHERE b > 10 WITH CHECK OPTION;
INSERT INTO w.gv (a) VALUES (5);
INSERT INTO w.gv (a) VALUES (6) RETURNING *;
UPDATE w.gv SET a = a - 1;
UPDATE w.gv SET a = a + 1 RETURNING *;
