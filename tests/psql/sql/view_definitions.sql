-- store: a copy
-- pg_get_viewdef: a text that means the same with every search_path, after renames, and when it is read again.
CREATE SCHEMA x;
CREATE TABLE x.t (a int, b text, c int);
CREATE TABLE x.u (a int, z text);
SET search_path = x, public;
CREATE VIEW v1 (k, l) AS SELECT a, upper(b) FROM t WHERE c IS DISTINCT FROM 3;
CREATE VIEW v2 AS SELECT * FROM t;
CREATE VIEW v3 (p) AS SELECT t.*, u.z FROM t, u WHERE t.a = u.a;
CREATE VIEW v4 AS SELECT k FROM v1 UNION ALL SELECT 1;
CREATE VIEW v5 (n) AS VALUES (1), (2);
CREATE VIEW v6 AS SELECT t.a AS "Q", (SELECT max(z) FROM u WHERE u.a = t.a) AS m, customer.id FROM t JOIN customer ON customer.id = b;
CREATE RECURSIVE VIEW v7 (n) AS VALUES (1) UNION ALL SELECT n + 1 FROM v7 WHERE n < 3;
CREATE VIEW v8 AS SELECT name FROM customer FOR SYSTEM_TIME AS OF 3 AS then_ WHERE id = 'c1';
CREATE MATERIALIZED VIEW m1 AS SELECT a, b AS bb FROM t WITH NO DATA;
RESET search_path;
SELECT relname, pg_get_viewdef(oid) FROM pg_class WHERE relnamespace = 'x'::regnamespace AND relkind IN ('v', 'm') ORDER BY 1;
ALTER VIEW x.v2 RENAME COLUMN b TO bee;
ALTER TABLE x.t RENAME COLUMN a TO aa;
ALTER TABLE x.t RENAME TO t2;
ALTER MATERIALIZED VIEW x.m1 RENAME COLUMN bb TO cc;
SELECT relname, pg_get_viewdef(oid) FROM pg_class WHERE relnamespace = 'x'::regnamespace AND relkind IN ('v', 'm') ORDER BY 1;
SELECT 'CREATE TEMP VIEW ' || relname || '_again AS ' || pg_get_viewdef(oid) FROM pg_class WHERE relnamespace = 'x'::regnamespace AND relkind IN ('v', 'm') ORDER BY 1 \gexec
SELECT count(*) FROM (TABLE x.v6 EXCEPT TABLE v6_again) AS d;
SELECT * FROM v7_again;
