-- store: a copy
\set VERBOSITY default
-- Out: a table, some columns, a window, a query.
\copy store to program 'sort'
\copy store (city, open) to program 'sort' (format csv, header)
COPY (SELECT id, tier FROM as_of.customer('2025-03-31') ORDER BY id LIMIT 2) TO STDOUT;
COPY (SELECT commit_id, id, tier FROM history.customer WHERE id = 'c1' ORDER BY commit_id LIMIT 2) TO STDOUT (FORMAT csv, FORCE_QUOTE *);
\copy (select 1, null, 'a,b') to stdout csv
-- In: text with its escapes, and what csv has instead.
COPY customer (id, balance, name, tier, email) FROM STDIN;
x1	1.5	tab\tnewline\nbackslash\\	Gold	\N
x2	2	\x41\101	Gold	
\.
COPY customer FROM STDIN (FORMAT csv, HEADER MATCH, NULL 'nil');
id,balance,email,name,tier
x3,3,nil,"a ""quote"", and
a line",Gold
x4,4,"nil",,Gold
\.
SELECT id, balance, email IS NULL AS none, name, tier FROM customer WHERE id LIKE 'x_' ORDER BY id;
-- It is one commit, with as many rows.
SELECT row_count FROM ontosql.commits ORDER BY commit_id DESC LIMIT 1;
-- Errors say where in the data they are.
COPY customer (id, balance, name, tier) FROM STDIN;
x5	5	fine	Gold
x6	six	not fine	Gold
\.
COPY customer (id, balance, name, tier) FROM STDIN;
x5	5	fine
\.
COPY customer (id, balance, name, tier) FROM STDIN;
x5	5	fine	Gold	plated
\.
COPY customer (id, balance, name, tier) FROM STDIN (FORMAT csv);
x5,5,"never closed,Gold
\.
COPY customer (id, balance, name, tier) FROM STDIN;
x5	5	\N	Gold
\.
COPY customer (id, balance, name, tier) FROM STDIN;
x5	5	new	Gold
x1	5	not new	Gold
\.
COPY customer (id, balance, name, tier) FROM STDIN;
x5	5	new	Gold
x5	5	twice	Gold
\.
SELECT count(*) FROM customer WHERE id LIKE 'x%';
-- In a transaction it is seen at once, and gone with it.
BEGIN;
COPY customer (id, balance, name, tier) FROM STDIN;
x7	7	seven	Gold
\.
SELECT name FROM customer WHERE id = 'x7';
ROLLBACK;
SELECT count(*) FROM customer WHERE id = 'x7';
-- Refused.
COPY customer FROM '/etc/passwd';
COPY customer TO PROGRAM 'cat';
COPY customer FROM STDIN (FREEZE);
COPY customer FROM STDIN WHERE balance > 0;
COPY customer FROM STDIN (ENCODING 'euc_jp');
COPY history.customer FROM STDIN;
COPY ontosql.commits FROM STDIN;
COPY pg_tables TO STDOUT;
BEGIN READ ONLY;
COPY customer FROM STDIN;
ROLLBACK;
SET ontosql.as_of = 3;
COPY customer FROM STDIN;
COPY (SELECT count(*) FROM customer) TO STDOUT;
