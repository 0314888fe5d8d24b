-- store: a copy, and PostgreSQL's
-- The texts of a client in another encoding than UTF8. This file's bytes are UTF-8, of
-- which LATIN1 makes two characters where one was.
SHOW client_encoding;
SET client_encoding = 'iso_8859-1';
SHOW client_encoding;
SELECT pg_client_encoding(), length('é');
INSERT INTO customer (id, name, balance, tier) VALUES ('latin', 'Zo' || chr(235), 1, 'Gold') RETURNING length(name) AS characters;
INSERT INTO customer (id, name, balance, tier) VALUES ('euro', '10 ' || chr(8364), 2, 'Gold');
SELECT name FROM customer WHERE id = 'euro';
SELECT chr(8364)::int;
SELECT 1 AS "€", 2 AS b;
\copy (SELECT name FROM customer WHERE id = 'euro') TO STDOUT
\copy (SELECT name FROM customer WHERE id = 'euro') TO STDOUT (ENCODING 'utf8')
-- The encoding is of the transaction, as every setting is.
BEGIN;
SET client_encoding TO win1252;
SAVEPOINT a;
SET LOCAL client_encoding TO utf8;
SELECT name FROM customer WHERE id = 'euro';
ROLLBACK TO a;
SHOW client_encoding;
SELECT 1/0;
ROLLBACK;
SHOW client_encoding;
RESET client_encoding;
SELECT name, length(name) FROM customer WHERE id IN ('latin', 'euro') ORDER BY id;
SET NAMES 'sql_ascii';
SELECT name, length('é') FROM customer WHERE id = 'euro';
SET client_encoding = 'klingon';
SET client_encoding = 'mule_internal';
SHOW client_encoding;
SET client_encoding = UTF8;
\copy customer (id, name, balance, tier) FROM STDIN (ENCODING 'win1252')
w1	10 €	3	Gold
\.
SELECT id, length(name) FROM customer WHERE id = 'w1';
