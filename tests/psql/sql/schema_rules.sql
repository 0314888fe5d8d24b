-- store: a copy
-- A COMMENT is seen in its own transaction, and nothing of it afterwards.
BEGIN;
COMMENT ON TABLE customer IS 'who buys';
COMMENT ON COLUMN customer.tier IS 'Gold or not';
CREATE TABLE badge (id text PRIMARY KEY, n numeric(6,2) DEFAULT 1);
SELECT obj_description('customer'::regclass, 'pg_class'), col_description('customer'::regclass, attnum) FROM pg_attribute WHERE attrelid = 'customer'::regclass AND attname = 'tier';
\d badge
ROLLBACK;
SELECT obj_description('customer'::regclass, 'pg_class') = 'who buys' AS stays, to_regclass('badge') AS badge;
-- What changes nothing is no commit.
SELECT max(commit_id) AS before FROM ontosql.commits \gset
ALTER TABLE customer ADD COLUMN IF NOT EXISTS tier text;
ALTER TABLE customer DROP COLUMN IF EXISTS nosuch;
ALTER TABLE customer ALTER COLUMN tier TYPE text;
ALTER TABLE customer ALTER COLUMN email DROP NOT NULL;
ALTER TABLE customer ALTER COLUMN tier DROP DEFAULT;
COMMENT ON COLUMN customer.tier IS NULL;
BEGIN;
CREATE TABLE fleeting (id text PRIMARY KEY);
DROP TABLE fleeting;
COMMIT;
SELECT max(commit_id) - :before AS commits FROM ontosql.commits;
-- Two types whose names fold to one: the one in lower case has it.
CREATE TABLE "Room" (id text PRIMARY KEY, big boolean);
SELECT 1 FROM room;
CREATE TABLE room (id text PRIMARY KEY);
DROP TABLE "Room";
CREATE TABLE room (id text PRIMARY KEY, small boolean);
CREATE TABLE "Room" (id text PRIMARY KEY, big boolean);
SELECT relname FROM pg_class WHERE lower(relname) = 'room' AND relnamespace = 'public'::regnamespace ORDER BY 1;
INSERT INTO "Room" VALUES ('b', true);
INSERT INTO room VALUES ('s', true);
SELECT * FROM "Room";
SELECT * FROM room;
-- ALTER of a relation's table.
CREATE TABLE stands (left_key text REFERENCES room, right_key text REFERENCES "Room", slot text, since text, PRIMARY KEY (left_key, right_key, slot));
INSERT INTO stands VALUES ('s', 'b', 'a', '2026-01-02'), ('s', 'b', 'b', NULL);
ALTER TABLE stands ALTER COLUMN since TYPE date USING since::date, ADD COLUMN n bigint DEFAULT 7;
SELECT * FROM stands ORDER BY slot;
ALTER TABLE stands RENAME COLUMN slot TO place;
SELECT place, since FROM stands ORDER BY place;
ALTER TABLE stands RENAME COLUMN left_key TO room;
ALTER TABLE stands DROP COLUMN right_key;
ALTER TABLE stands ALTER COLUMN place TYPE bigint USING 1;
ALTER TABLE stands ALTER COLUMN since SET NOT NULL;
-- A relation to a table that is gone.
DROP TABLE "Room";
SET ontosql.purge_history = on;
DROP TABLE "Room" CASCADE;
RESET ontosql.purge_history;
SELECT * FROM stands;
CREATE TABLE stands (left_key text REFERENCES room, right_key text REFERENCES "Room", PRIMARY KEY (left_key, right_key));
-- Names of 63 bytes and more.
CREATE TABLE n23456789_123456789_123456789_123456789_123456789_123456789_123 (id text PRIMARY KEY);
CREATE TABLE n23456789_123456789_123456789_123456789_123456789_123456789_1234 (id text PRIMARY KEY);
CREATE TABLE "N23456789_123456789_123456789_123456789_123456789_123456789_1234" (id text PRIMARY KEY, "c23456789_123456789_123456789_123456789_123456789_123456789_123Ä" text);
SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public' AND length(table_name) = 63 ORDER BY table_name COLLATE "C", ordinal_position;
CREATE TABLE "a/b" (id text PRIMARY KEY);
-- A thousand columns, and more than there can be.
SELECT 'CREATE TABLE wide (id text PRIMARY KEY, ' || string_agg('c' || g || ' bigint', ', ' ORDER BY g) || ')' FROM generate_series(1, 999) AS g \gexec
INSERT INTO wide (id, c1, c999) VALUES ('w', 1, 999);
SELECT id, c1, c500, c999 FROM wide;
SELECT 'CREATE TABLE wider (id text PRIMARY KEY, ' || string_agg('c' || g || ' bigint', ', ' ORDER BY g) || ')' FROM generate_series(1, 1600) AS g \gexec
-- Nothing had to be rolled forward.
SELECT count(*) FROM ontosql.recoveries;
