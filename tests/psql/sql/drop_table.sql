-- store: a copy
-- Rows hold a table, until they are let go of.
CREATE TABLE note (id text PRIMARY KEY, body text);
INSERT INTO note VALUES ('a', 'first');
DROP TABLE note;
\errverbose
SET ontosql.purge_history = on;
DROP TABLE note;
RESET ontosql.purge_history;
SELECT * FROM note;
SELECT * FROM history.note;
-- A table of the same name is another one.
CREATE TABLE note (id text PRIMARY KEY, text text);
SELECT * FROM note;
SELECT * FROM history.note;
INSERT INTO note VALUES ('a', 'second');
SELECT id, text, schema_version_id FROM history.note;
SELECT type_name, schema_version_id, reason FROM ontosql.schema_versions WHERE type_name = 'note';
-- Tables that link it go first, or with it.
CREATE TABLE person (id text PRIMARY KEY);
CREATE TABLE knows (left_key text REFERENCES person, right_key text REFERENCES person, since date, PRIMARY KEY (left_key, right_key));
DROP TABLE person;
\errverbose
DROP TABLE person CASCADE;
SELECT * FROM knows;
CREATE TABLE person (id text PRIMARY KEY);
CREATE TABLE knows (left_key text REFERENCES person, right_key text REFERENCES person, PRIMARY KEY (left_key, right_key));
DROP TABLE person, knows;
-- What cannot be dropped.
DROP TABLE nothing;
DROP TABLE IF EXISTS nothing, nothing_else;
DROP TABLE history.customer;
DROP TABLE pg_catalog.pg_class;
DROP TABLE ontosql.commits;
DROP VIEW customer;
-- Created and dropped in one transaction: no trace.
SELECT max(commit_id) AS head FROM ontosql.commits \gset
BEGIN;
CREATE TABLE brief (id text PRIMARY KEY);
INSERT INTO brief VALUES ('a');
ROLLBACK;
SELECT max(commit_id) = :head AS same_head FROM ontosql.commits;
-- Dropped and created again in one transaction.
SET ontosql.purge_history = on;
BEGIN;
DROP TABLE note;
CREATE TABLE note (id bigint PRIMARY KEY, n bigint);
INSERT INTO note VALUES (1, 2);
SELECT * FROM note;
COMMIT;
SELECT * FROM note;
SELECT id, n, schema_version_id, fields_json FROM history.note;
SELECT types, row_count FROM ontosql.commits ORDER BY commit_id DESC LIMIT 1;
