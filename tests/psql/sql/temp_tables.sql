-- store: a copy, and PostgreSQL's
-- Temporary tables: defined, written, read beside the ontology, rolled back and dropped.
SET timezone = 'UTC';
CREATE TEMP TABLE t (
    a int PRIMARY KEY, b text NOT NULL DEFAULT 'x', c numeric(5,2) CHECK (c > 0), d timestamp,
    e int[], f varchar(3), g char(4), h interval
);
INSERT INTO t VALUES (1, 'one', 1.5, '2024-01-02 03:04:05', '{1,2}', 'abc', 'ab', '1 day');
INSERT INTO t (a) VALUES (2), (3) RETURNING *;
SELECT * FROM t ORDER BY a;

-- Constraints.
\set VERBOSITY verbose
\set SHOW_CONTEXT never
CREATE TEMP TABLE u (a int, b int, UNIQUE (a, b), UNIQUE (b), CHECK (a < b), CONSTRAINT named CHECK (a > 0));
\set VERBOSITY default
INSERT INTO t (a) VALUES (1);
INSERT INTO t (a, b) VALUES (9, NULL);
INSERT INTO t (a, c) VALUES (9, -1);
INSERT INTO t (a, c) VALUES (9, 1234.5);
INSERT INTO t (a, f) VALUES (9, 'abcd');
INSERT INTO t (a, f, g) VALUES (9, 'ab   ', 'ab    ') RETURNING f || '|', g || '|', length(g);
INSERT INTO u VALUES (1, 2), (1, 2);
INSERT INTO u VALUES (5, 2);
INSERT INTO u VALUES (0, 2);
INSERT INTO u VALUES (NULL, 2), (NULL, NULL), (NULL, NULL);
SELECT * FROM u ORDER BY 1, 2;
UPDATE u SET b = 7;
UPDATE u SET b = b + 1 WHERE b IS NOT NULL RETURNING b;
INSERT INTO t (a, nosuch) VALUES (1, 1);
INSERT INTO t VALUES (2147483648);

-- Writes.
UPDATE t SET b = b || '!' WHERE a < 3 RETURNING a, b;
UPDATE t SET a = a + 10;
DELETE FROM t WHERE a = 12 RETURNING a;
SELECT a, b FROM t ORDER BY 1;
INSERT INTO t (a, b) VALUES (11, 'up'), (20, 'new') ON CONFLICT (a) DO UPDATE SET b = excluded.b RETURNING a, b;
INSERT INTO t (a, b) VALUES (11, 'up2'), (21, 'more'), (21, 'twice') ON CONFLICT DO NOTHING;
INSERT INTO t (a, b) VALUES (30, 'a'), (30, 'b') ON CONFLICT (a) DO UPDATE SET b = excluded.b;
INSERT INTO t (a) VALUES (1) ON CONFLICT (b) DO NOTHING;
MERGE INTO t USING (VALUES (11, 'm'), (13, 'kept'), (55, 'ins')) v(k, w) ON t.a = v.k
    WHEN MATCHED AND v.w = 'm' THEN DELETE WHEN MATCHED THEN UPDATE SET b = v.w WHEN NOT MATCHED THEN INSERT (a, b) VALUES (v.k, v.w);
SELECT a, b FROM t ORDER BY 1;
UPDATE t SET b = v.w FROM (VALUES (55, 'five')) v(k, w) WHERE t.a = v.k RETURNING t.a, t.b, v.w;
UPDATE t SET (b, d) = (SELECT 'both', '2020-01-01'::timestamp) WHERE a = 55 RETURNING b, d;
UPDATE t SET b = DEFAULT WHERE a = 55 RETURNING b;
DELETE FROM t USING u WHERE t.a = u.b + 10 RETURNING t.a;
PREPARE p(int, text) AS INSERT INTO t (a, b) VALUES ($1, $2);
EXECUTE p(77, 'seven');
EXECUTE p(77, 'again');
COPY t (a, b) FROM STDIN;
100	hundred
101	\N
\.
COPY t (a, b, c) FROM STDIN (FORMAT csv);
100,hundred,2.50
101,"a ""b""",
\.
COPY (SELECT a, b, c FROM t WHERE a >= 100 ORDER BY a) TO STDOUT;

-- Transactions and savepoints.
BEGIN;
DELETE FROM t;
SELECT count(*) FROM t;
SAVEPOINT s;
INSERT INTO t (a) VALUES (1), (2);
SAVEPOINT s2;
UPDATE t SET a = a + 100;
SELECT a FROM t ORDER BY 1;
ROLLBACK TO s2;
SELECT a FROM t ORDER BY 1;
INSERT INTO t (a) VALUES (2);
ROLLBACK TO s;
SELECT count(*) FROM t;
ROLLBACK;
SELECT count(*) FROM t;
BEGIN;
CREATE TEMP TABLE r (i int);
INSERT INTO r VALUES (1);
ROLLBACK;
SELECT * FROM r;
BEGIN;
DROP TABLE u;
SELECT * FROM u;
ROLLBACK;
SELECT count(*) FROM u;
BEGIN;
TRUNCATE u;
INSERT INTO u VALUES (1, 2);
SAVEPOINT q;
DROP TABLE u;
ROLLBACK TO q;
SELECT * FROM u;
ROLLBACK;
SELECT count(*) FROM u;
BEGIN;
DECLARE c CURSOR FOR SELECT a FROM t ORDER BY a;
FETCH 2 FROM c;
DELETE FROM t;
FETCH 2 FROM c;
ROLLBACK;
BEGIN READ ONLY;
INSERT INTO t (a) VALUES (500);
SELECT count(*) FROM t WHERE a = 500;
CREATE TEMP TABLE no (a int);
ROLLBACK;
BEGIN;
CREATE TEMP TABLE tc (x int) ON COMMIT DROP;
CREATE TEMP TABLE td (x int UNIQUE) ON COMMIT DELETE ROWS;
INSERT INTO tc VALUES (1);
INSERT INTO td VALUES (1);
SELECT * FROM tc, td;
COMMIT;
SELECT * FROM td;
SELECT * FROM tc;

-- From queries, and beside the ontology.
CREATE TEMP TABLE q AS SELECT id, tier, 'lit' AS l, balance * 2 AS twice FROM customer ORDER BY id LIMIT 3;
SELECT * FROM q ORDER BY id;
SELECT q.id, c.name FROM q JOIN customer c USING (id) WHERE c.tier = q.tier ORDER BY 1;
SELECT id, tier INTO TEMP q2 FROM q;
TRUNCATE q2;
INSERT INTO q2 SELECT code, city FROM store;
SELECT count(*) > 0 FROM q2;
CREATE TEMP TABLE avgs AS SELECT tier, avg(length(name)) AS a, sum(length(name)) AS s, count(*) AS n FROM customer GROUP BY tier;
SELECT pg_typeof(a), pg_typeof(s), a = s::numeric / n AS exact FROM avgs LIMIT 1;
CREATE TEMP TABLE named (x) AS SELECT 1, 'two';
SELECT * FROM named;
CREATE TEMP TABLE none AS SELECT 1 AS a WITH NO DATA;
SELECT * FROM none;
CREATE TEMP TABLE IF NOT EXISTS none AS SELECT 2 AS a;
CREATE TEMP TABLE v AS VALUES (1, 'a'), (2, 'b');
SELECT * FROM v;
CREATE TEMP TABLE l (LIKE t INCLUDING ALL);
INSERT INTO l (a) VALUES (1), (1);
INSERT INTO l (a) VALUES (1) RETURNING a, b;
INSERT INTO customer (id, name, tier, balance) SELECT 'temp' || a, b, 'Gold', 0 FROM l;
SELECT name FROM customer WHERE id = 'temp1';

-- Names.
CREATE TEMP TABLE customer (id int);
SELECT count(*) FROM customer;
SELECT count(*) > 1 FROM public.customer;
SET search_path = public, pg_temp;
SELECT count(*) > 1 FROM customer;
SELECT count(*) FROM pg_temp.customer;
RESET search_path;
DROP TABLE customer;
SELECT count(*) > 1 FROM customer;
CREATE TABLE pg_temp.viaschema (z int);
INSERT INTO viaschema VALUES (1);
SELECT * FROM pg_temp.viaschema;
CREATE TEMP TABLE viaschema (x int);
CREATE TEMP TABLE IF NOT EXISTS viaschema (x int);
CREATE TEMP TABLE public.no (a int);
CREATE TABLE no (a int) ON COMMIT DROP;
CREATE TEMP TABLE no (a int, a text);
CREATE TEMP TABLE no (a nosuch);
CREATE TEMP TABLE no (a int PRIMARY KEY, b int PRIMARY KEY);
CREATE TEMP TABLE no (a int, UNIQUE (zz));
DROP TABLE nosuch;
DROP TABLE q, q2;
SELECT * FROM q;

-- Types.
CREATE TEMP TABLE j (k jsonb, l json, m uuid, n bytea, o float8, p bool, q date, r time, s timestamptz, u smallint, v text[]);
INSERT INTO j VALUES ('{"a":  1}', '{"a":  1}', '00112233-4455-6677-8899-aabbccddeeff', '\x01', 1.5, true, '2024-02-03', '04:05', '2024-01-01 00:00Z', 7, '{a,NULL,"b c"}');
SELECT * FROM j;
SELECT k->>'a', v[3], s AT TIME ZONE 'Europe/Oslo' FROM j;
UPDATE j SET v = v || 'z', k = k || '{"b": 2}' RETURNING v, k;
INSERT INTO j (u) VALUES (40000);
INSERT INTO j (m) VALUES ('x');

-- In the catalog.
CREATE TEMP TABLE ct (a int PRIMARY KEY, b text NOT NULL DEFAULT 'x', c numeric(5,2) CHECK (c > 0), d timestamp UNIQUE, e int[], f varchar(3), g char(4), CONSTRAINT two UNIQUE (a, b));
SELECT 'ct'::regclass, to_regclass('pg_temp.ct'), to_regclass('ct'), to_regclass('ct_pkey');
SELECT relname, relkind, relpersistence, relnatts, relchecks, relhasindex, pg_table_is_visible(oid) FROM pg_class WHERE relname LIKE 'ct%' AND relpersistence = 't' ORDER BY 1;
SELECT attname, atttypid::regtype, atttypmod, attnotnull, atthasdef FROM pg_attribute WHERE attrelid = 'ct'::regclass AND attnum > 0 ORDER BY attnum;
SELECT format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 'ct'::regclass AND attnum > 0 ORDER BY attnum;
SELECT conname, contype, conkey FROM pg_constraint WHERE conrelid = 'ct'::regclass ORDER BY 1;
SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'ct'::regclass AND contype <> 'c' ORDER BY 1;
SELECT indexrelid::regclass, indisunique, indisprimary, indkey FROM pg_index WHERE indrelid = 'ct'::regclass ORDER BY 1::text;
SELECT table_type, is_insertable_into FROM information_schema.tables WHERE table_name = 'ct';
SELECT column_name, data_type, is_nullable, column_default, character_maximum_length, numeric_precision FROM information_schema.columns WHERE table_name = 'ct' ORDER BY ordinal_position;
SELECT constraint_name, constraint_type FROM information_schema.table_constraints WHERE table_name = 'ct' AND constraint_name NOT LIKE '%not_null' ORDER BY 1;
SELECT constraint_name, column_name FROM information_schema.key_column_usage WHERE table_name = 'ct' ORDER BY 1, 2;
SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'pg_temp%' AND oid = (SELECT relnamespace FROM pg_class WHERE oid = 'ct'::regclass);
SELECT pg_get_indexdef('ct_pkey'::regclass) LIKE 'CREATE UNIQUE INDEX ct_pkey ON pg_temp_%.ct USING btree (a)';
SELECT tablename FROM pg_tables WHERE schemaname LIKE 'pg_temp%' ORDER BY 1;
DROP TABLE ct;
SELECT to_regclass('ct');
CREATE TEMP TABLE customer2 AS SELECT 1 AS x;
SELECT count(*) FROM pg_class WHERE relname = 'customer2';
SELECT pg_my_temp_schema() <> 0;
SELECT 'pg_temp.customer2'::regclass;
DISCARD TEMP;
SELECT * FROM t;
SELECT count(*) FROM pg_class WHERE relpersistence = 't';
