CREATE TABLE account (id text PRIMARY KEY, name varchar(20) NOT NULL, balance double precision DEFAULT 0, opened date);
INSERT INTO account VALUES ('a', 'Ada', 10.5, '2026-02-10'), ('b', 'Björn', NULL, NULL);
SELECT * FROM account ORDER BY id;
SELECT id, balance + 1 AS more, now() > '2020-01-01' AS past FROM account WHERE id = 'a';
\d
\dt
\d account
\gset
SELECT count(*) AS n FROM account \gset
\echo :n
BEGIN;
UPDATE account SET balance = 20 WHERE id = 'a';
SAVEPOINT s;
SELECT 1 / (count(*) - count(*)) FROM account;
SELECT 1;
ROLLBACK TO s;
SELECT balance FROM account WHERE id = 'a';
COMMIT;
SELECT nope FROM account;
SELEC 1;
INSERT INTO account VALUES ('a', 'again');
INSERT INTO account (id) VALUES ('c');
\copy account (id, name) FROM stdin (FORMAT csv)
c,Carol
d,"Da,n"
\.
COPY (SELECT * FROM account ORDER BY id) TO STDOUT;
\copy (SELECT id FROM account ORDER BY id) TO stdout (FORMAT csv, HEADER)
SELECT 1; SELECT 2; SELECT 'x' || id AS x FROM account ORDER BY id LIMIT 1;
\set FETCH_COUNT 2
SELECT id FROM account ORDER BY id;
\unset FETCH_COUNT
SELECT id, name FROM account \gdesc
SET application_name = 'traced';
SET DateStyle = 'German';
SELECT opened FROM account WHERE id = 'a';
SET client_encoding = 'LATIN1';
SELECT 2::bigint AS a, 1.50::numeric(5,2) AS b, NULL::text AS c, true AS d, '\xdead'::bytea AS e;
LISTEN news;
NOTIFY news;
DROP TABLE account;
