-- store: a copy, and PostgreSQL's
-- A table, its columns in the order of declaration, and what psql says of it.
CREATE TABLE city (
  id text PRIMARY KEY,
  name varchar(12) NOT NULL,
  area numeric(8,2),
  people bigint DEFAULT 0 NOT NULL,
  founded date,
  open boolean DEFAULT true,
  seen timestamptz,
  mark uuid,
  photo bytea,
  height double precision DEFAULT 1.5,
  notes jsonb DEFAULT '{"by": "nobody"}'
);
\d city
INSERT INTO city (id, name) VALUES ('osl', 'Oslo');
INSERT INTO city VALUES ('lis', 'Lisboa', 100.456, DEFAULT, '1147-10-25', DEFAULT, '2026-01-02 03:04:05+00', '00000000-0000-0000-0000-000000000001', '\x0102', DEFAULT, DEFAULT);
\pset null NULL
SELECT id, name, people, founded, open, seen, mark, photo, height, notes FROM city ORDER BY id;
SELECT round(area, 2) AS area FROM city WHERE id = 'lis';
UPDATE city SET people = 5, open = NULL WHERE id = 'osl' RETURNING people, open;
UPDATE city SET people = DEFAULT, open = DEFAULT WHERE id = 'osl' RETURNING people, open;
INSERT INTO city (id, name) VALUES ('osl', 'Oslo');
INSERT INTO city (id, name) VALUES ('x', 'only spaces ');
SELECT length(name) FROM city WHERE id = 'x';
-- It exists.
CREATE TABLE city (id text PRIMARY KEY);
CREATE TABLE IF NOT EXISTS city (id bigint PRIMARY KEY);
SELECT count(*) FROM city;
-- Names are folded, or not.
CREATE TABLE Folded (Id text PRIMARY KEY, "Mixed Case" text);
SELECT id, "Mixed Case" FROM folded;
SELECT "mixed case" FROM folded;
CREATE TABLE "Quoted Name" (id text PRIMARY KEY, "select" bigint);
INSERT INTO "Quoted Name" VALUES ('a', 1) RETURNING "select";
SELECT * FROM quoted;
CREATE TABLE public.qualified (id bigint, PRIMARY KEY (id));
SELECT * FROM public.qualified;
-- Comments.
COMMENT ON TABLE city IS 'Where people live';
COMMENT ON COLUMN city.people IS 'How many';
SELECT obj_description('city'::regclass, 'pg_class');
SELECT col_description('city'::regclass, 4);
COMMENT ON COLUMN city.people IS NULL;
SELECT col_description('city'::regclass, 4);
COMMENT ON COLUMN city.nothing IS 'x';
COMMENT ON TABLE nothing IS 'x';
-- LIKE.
CREATE TABLE town (LIKE city INCLUDING ALL);
INSERT INTO town (id, name) VALUES ('a', 'A') RETURNING people, open, height;
CREATE TABLE village (LIKE city, PRIMARY KEY (id));
INSERT INTO village (id, name, people) VALUES ('a', 'A', 1) RETURNING people, open;
-- What the catalog says.
SELECT column_name, ordinal_position, column_default, is_nullable, data_type, character_maximum_length
FROM information_schema.columns WHERE table_schema = 'public' AND table_name = 'city' ORDER BY ordinal_position;
SELECT a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, pg_get_expr(d.adbin, d.adrelid)
FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
WHERE a.attrelid = 'city'::regclass AND a.attnum > 0 ORDER BY a.attnum;
SELECT conname, contype FROM pg_constraint WHERE conrelid = 'city'::regclass;
-- What is no table.
CREATE TABLE twice (id text PRIMARY KEY, a text, a bigint);
CREATE TABLE keys (id text PRIMARY KEY, b text PRIMARY KEY);
CREATE TABLE keys (id text PRIMARY KEY, b text, PRIMARY KEY (b));
CREATE TABLE missing (id text, PRIMARY KEY (nothing));
CREATE TABLE untyped (id nosuchtype PRIMARY KEY);
CREATE TABLE bad (id text PRIMARY KEY, n bigint DEFAULT 'x'::text);
CREATE TABLE bad (id text PRIMARY KEY, n bigint DEFAULT id);
CREATE TABLE bad (id text PRIMARY KEY, n bigint DEFAULT (SELECT 1));
CREATE TABLE bad (id text PRIMARY KEY, n bigint DEFAULT count(*));
CREATE TABLE nowhere.t (id text PRIMARY KEY);
CREATE TABLE t (id text PRIMARY KEY, n bigint NULL NOT NULL);
