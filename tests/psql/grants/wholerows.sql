\set VERBOSITY verbose
CREATE ROLE gr_w;
CREATE TABLE gr_t (id int PRIMARY KEY, a text, b int);
CREATE TABLE gr_o (id int PRIMARY KEY, c int);
INSERT INTO gr_t VALUES (1, 'secret', 1);
INSERT INTO gr_o VALUES (1, 5);
GRANT SELECT (id, b), UPDATE (b), INSERT (id, b) ON gr_t TO gr_w;
GRANT SELECT ON gr_o TO gr_w;
SET ROLE gr_w;
-- a whole row, by the name of the table and by an alias
UPDATE gr_t SET b = 1 WHERE id = 1 RETURNING to_json(gr_t);
UPDATE gr_t x SET b = 1 WHERE id = 1 RETURNING x;
UPDATE gr_t SET b = 1 WHERE gr_t::text LIKE '%secret%';
UPDATE gr_t x SET b = 1 WHERE to_json(x)::text LIKE '%secret%';
INSERT INTO gr_t (id, b) VALUES (2, 2) RETURNING to_json(gr_t);
INSERT INTO gr_t (id, b) VALUES (1, 2) ON CONFLICT (id) DO UPDATE SET b = 3 WHERE gr_t::text LIKE '%secret%';
MERGE INTO gr_t x USING (VALUES (1)) v (i) ON x.id = v.i WHEN MATCHED AND x::text LIKE '%secret%' THEN UPDATE SET b = 3;
-- an alias that is a word elsewhere
UPDATE gr_t AS excluded SET b = 1 RETURNING excluded.a;
UPDATE gr_t AS excluded SET b = 1 WHERE excluded.a = 'secret';
-- columns of other relations are not the target's
UPDATE gr_t SET b = o.c FROM gr_o o WHERE o.id = gr_t.id RETURNING o.*;
UPDATE gr_t SET b = o.c FROM gr_o o WHERE o.id = gr_t.id RETURNING gr_t.id, o.c;
UPDATE gr_t SET b = o.c FROM gr_o o WHERE o.id = gr_t.id RETURNING gr_t.*;
INSERT INTO gr_t (id, b) VALUES (1, 7) ON CONFLICT (id) DO UPDATE SET b = excluded.b;
SELECT b FROM gr_t;
RESET ROLE;
SET ontosql.purge_history = on;
DROP TABLE gr_t, gr_o;
RESET ontosql.purge_history;
DROP ROLE gr_w;
