-- store: a copy
-- Tables of an ontology, and the past of a table that changes.
CREATE TABLE "Person" (id text PRIMARY KEY, name text NOT NULL, age integer);
CREATE TABLE lives_in (person text REFERENCES "Person", shop text REFERENCES store (code), since date, PRIMARY KEY (person, shop));
CREATE TABLE visited (left_key text REFERENCES "Person", right_key text REFERENCES store, trip text, nights smallint, PRIMARY KEY (left_key, right_key, trip));
\d lives_in
\d visited
SELECT type_kind, type_name, table_name, schema_version_id, key_columns FROM ontosql.types WHERE type_name IN ('Person', 'lives_in', 'visited');
SELECT type_name, schema_json FROM ontosql.schema_versions WHERE type_name IN ('Person', 'visited');
INSERT INTO "Person" VALUES ('p1', 'Pia', 30), ('p2', 'Per', NULL);
INSERT INTO visited VALUES ('p1', 'OSL', 'summer', 3), ('p1', 'OSL', 'winter', 1);
INSERT INTO visited VALUES ('p1', 'OSL', ' ', 3);
SELECT * FROM visited ORDER BY trip;
CREATE TABLE lone (id text PRIMARY KEY, phone text);
INSERT INTO lone VALUES ('l1', NULL);
-- A migration is one commit; the rows before it keep what they were.
SELECT max(commit_id) AS before FROM ontosql.commits \gset
ALTER TABLE person ADD COLUMN nick text DEFAULT 'none', ALTER COLUMN age TYPE text USING 'a' || age;
SELECT max(commit_id) - :before AS commits FROM ontosql.commits;
SELECT * FROM person ORDER BY id;
SELECT commit_id - :before AS after, id, name, age, nick, schema_version_id FROM history.person ORDER BY id, commit_id;
SELECT * FROM as_of.person(:before) ORDER BY id;
SELECT id, change, changed_fields FROM changes.person WHERE commit_id > :before ORDER BY id;
SELECT schema_version_id, reason FROM ontosql.schema_versions WHERE type_name = 'Person' ORDER BY 1;
-- Adding a column that may be NULL writes no row again.
SELECT max(commit_id) AS before FROM ontosql.commits \gset
ALTER TABLE person ADD COLUMN phone text;
SELECT row_count FROM ontosql.commits WHERE commit_id > :before;
SELECT * FROM person ORDER BY id;
-- A value that cannot be changed names its row, and nothing changes.
ALTER TABLE person ALTER COLUMN name TYPE bigint USING CASE id WHEN 'p2' THEN name ELSE '1' END::bigint;
\errverbose
ALTER TABLE person ALTER COLUMN name TYPE varchar(2);
ALTER TABLE lone ADD COLUMN weight bigint NOT NULL;
ALTER TABLE lone ALTER COLUMN phone SET NOT NULL;
ALTER TABLE person ALTER COLUMN nick TYPE bigint;
ALTER TABLE person ALTER COLUMN nick TYPE bigint USING 1;
SELECT max(commit_id) - :before AS commits FROM ontosql.commits;
-- A table of a query. Its key is the column id, or else the first.
CREATE TABLE gold AS SELECT id, name, balance FROM customer WHERE tier = 'Gold';
\d gold
SELECT count(*) > 0 AS some FROM gold;
CREATE TABLE tiers (tier, customers) AS SELECT tier, count(*) FROM customer GROUP BY tier;
SELECT * FROM tiers ORDER BY tier;
CREATE TABLE IF NOT EXISTS tiers AS SELECT 1 AS x;
CREATE TABLE twice AS SELECT tier, 1 AS n FROM customer WHERE tier = 'Gold';
CREATE TABLE nothing AS SELECT id FROM customer WITH NO DATA;
SELECT * FROM nothing;
-- Values that do not fit.
CREATE TABLE city (id text PRIMARY KEY, name varchar(12) NOT NULL, area numeric(8,2), people bigint DEFAULT 0 NOT NULL, notes jsonb NOT NULL);
INSERT INTO city (notes, id, name) VALUES ('{}', 'x', 'A name too long');
INSERT INTO city (notes, id, name, area) VALUES ('{}', 'x', 'X', 1234567);
INSERT INTO city (notes, id, name) VALUES ('{}', 'x', NULL);
INSERT INTO city (notes, id, name, people) VALUES ('{}', 'x', 'X', NULL);
INSERT INTO city (id, name) VALUES ('x', 'X');
INSERT INTO city (id, name, area, notes) VALUES ('x', 'X', 1.005, '[1]') RETURNING area, people;
\copy city (id, name, notes) from stdin
y	Ypres	{}
\.
\copy city (id, name, notes) from stdin
z	A name too long	{}
\.
SELECT id, people FROM city ORDER BY id;
-- What no ontology has.
CREATE TABLE keyless (a text);
CREATE TABLE t (a text, b text, PRIMARY KEY (a, b));
CREATE TABLE t (a text REFERENCES customer, b text, PRIMARY KEY (a, b));
CREATE TABLE t (id text PRIMARY KEY, c text REFERENCES customer);
CREATE TABLE t (a bigint REFERENCES customer, b text REFERENCES customer, PRIMARY KEY (a, b));
CREATE TABLE t (a text REFERENCES nothing_such, b text REFERENCES customer, PRIMARY KEY (a, b));
CREATE TABLE t (id serial PRIMARY KEY);
CREATE TABLE t (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY);
CREATE TABLE t (id text PRIMARY KEY, u text UNIQUE);
CREATE TABLE t (id text PRIMARY KEY, n bigint CHECK (n > 0));
CREATE TABLE t (id text PRIMARY KEY, at timestamp);
CREATE TABLE t (id text PRIMARY KEY, a text[]);
CREATE TABLE t (id double precision PRIMARY KEY);
CREATE TABLE t (id text PRIMARY KEY, commit_id bigint);
CREATE TABLE "a/b" (id text PRIMARY KEY);
CREATE UNLOGGED TABLE t (id text PRIMARY KEY);
CREATE TABLE history.t (id text PRIMARY KEY);
ALTER TABLE person RENAME TO people;
ALTER TABLE person DROP COLUMN id;
ALTER TABLE person ALTER COLUMN id TYPE bigint USING 1;
ALTER TABLE history.person ADD COLUMN x text;
ALTER TABLE pg_class ADD COLUMN x text;
CREATE VIEW v AS SELECT 1;
CREATE INDEX ON person (name);
-- Not in the past.
SET ontosql.as_of = 'HEAD~1';
CREATE TABLE t (id text PRIMARY KEY);
ALTER TABLE person ADD COLUMN x text;
DROP TABLE person;
RESET ontosql.as_of;
BEGIN READ ONLY;
CREATE TABLE t (id text PRIMARY KEY);
ROLLBACK;
