-- store: a copy, and PostgreSQL's
-- Indexes of temporary tables, VACUUM and ANALYZE.
CREATE TEMP TABLE t (a int, b text, c int, "D d" int, tags int[], doc jsonb);
INSERT INTO t (a, b, c, "D d") VALUES (1, 'x', 1, 1), (1, 'y', 2, 2);
CREATE INDEX ON t (a);
CREATE INDEX ON t (a);
CREATE INDEX ON t (a, lower(b));
CREATE INDEX ON t (lower(b), upper(b), (c));
CREATE INDEX ON t (a DESC NULLS LAST, b COLLATE "C" text_pattern_ops) INCLUDE (c);
CREATE INDEX part ON t (a NULLS FIRST, b DESC) WHERE a > 5;
CREATE INDEX ON t ("D d");
CREATE INDEX ON t USING hash (a);
CREATE INDEX ON t USING gin (doc);
CREATE INDEX ON t USING gin (tags);
CREATE INDEX ON t USING gin (a);
CREATE INDEX ON t USING nosuch (a);
CREATE UNIQUE INDEX ON t USING hash (a);
CREATE INDEX ON t USING hash (a, b);
CREATE UNIQUE INDEX ON t (a);
CREATE UNIQUE INDEX ON t (c);
CREATE UNIQUE INDEX u ON t (b, a);
CREATE UNIQUE INDEX u ON t (c);
CREATE UNIQUE INDEX IF NOT EXISTS u ON t (c);
CREATE INDEX t ON t (a);
CREATE INDEX ON t (nosuch);
CREATE INDEX ON t (a) INCLUDE (nosuch);
CREATE INDEX ON t ((nosuch + 1));
CREATE INDEX ON t (a) WHERE nosuch;
CREATE INDEX ON t (a) WHERE a;
CREATE INDEX ON t (a nosuch_ops);
CREATE INDEX ON t (ctid);
CREATE INDEX CONCURRENTLY ON t (a) WITH (fillfactor = 70);
CREATE INDEX ON t (a) WITH (nosuch = 70);
BEGIN;
CREATE INDEX CONCURRENTLY ON t (a);
ROLLBACK;
SELECT relname, relkind, relnatts, amname, indnatts, indnkeyatts, indisunique, indisprimary, indkey, indoption
  FROM pg_class c JOIN pg_am a ON a.oid = relam JOIN pg_index i ON i.indexrelid = c.oid WHERE indrelid = 't'::regclass ORDER BY relname;
SELECT indexname, indexdef FROM pg_indexes WHERE tablename = 't' ORDER BY 1;
SELECT attrelid::regclass, attname, attnum, atttypid::regtype FROM pg_attribute
  WHERE attrelid IN (SELECT indexrelid FROM pg_index WHERE indrelid = 't'::regclass) ORDER BY attrelid::regclass::text, attnum;
SELECT pg_get_indexdef('t_a_lower_idx'::regclass, 2, true), pg_get_indexdef('part'::regclass, 1, true);

-- Unique indexes.
INSERT INTO t (a, b, c) VALUES (9, 'z', 2);
INSERT INTO t (a, b, c) VALUES (1, 'y', 9);
INSERT INTO t (a, b, c) VALUES (5, 'up', 2) ON CONFLICT (c) DO UPDATE SET a = 100 RETURNING a, b, c;
INSERT INTO t (a, b, c) VALUES (5, 'up', 2) ON CONFLICT DO NOTHING;
INSERT INTO t (a, b, c) VALUES (1, 'x', 5) ON CONFLICT (a, b) DO NOTHING;
INSERT INTO t (a, b, c) VALUES (1, 'x', 5) ON CONFLICT (a) DO NOTHING;

-- Names and ends.
ALTER INDEX u RENAME TO v;
ALTER INDEX nosuch RENAME TO v;
ALTER INDEX IF EXISTS nosuch RENAME TO v;
ALTER INDEX v RENAME TO t;
ALTER TABLE v RENAME TO w;
CREATE TEMP TABLE k (a int PRIMARY KEY, b int);
DROP INDEX k_pkey;
ALTER INDEX k_pkey RENAME TO kk;
SELECT conname FROM pg_constraint WHERE conrelid = 'k'::regclass;
INSERT INTO k VALUES (1), (1);
DROP INDEX w, nosuch;
BEGIN;
DROP INDEX w;
INSERT INTO t (a, b, c) VALUES (1, 'x', 77);
ROLLBACK;
INSERT INTO t (a, b, c) VALUES (1, 'x', 77);
DROP INDEX IF EXISTS nosuch;
DROP INDEX w, part;
ALTER TABLE t RENAME b TO bb;
ALTER TABLE t DROP COLUMN c;
SELECT indexname, indexdef FROM pg_indexes WHERE tablename = 't' ORDER BY 1;
INSERT INTO t (a, bb) VALUES (1, 'x');
ALTER TABLE t ALTER a TYPE bigint;
CREATE UNIQUE INDEX tu ON t (a, bb, tags, doc);
ALTER TABLE k ADD CONSTRAINT tu UNIQUE (b);
DROP TABLE t;
SELECT count(*) FROM pg_indexes WHERE tablename = 't';
CREATE INDEX ON nosuch (a);

-- VACUUM and ANALYZE.
ANALYZE k;
ANALYZE k (a, b), k;
VACUUM k;
VACUUM (FULL, ANALYZE) k (a);
ANALYZE nosuch;
ANALYZE k (nosuch);
VACUUM nosuch;
VACUUM (nosuch) k;
ANALYZE (nosuch) k;
VACUUM k (a);
BEGIN;
ANALYZE k;
VACUUM k;
ROLLBACK;
