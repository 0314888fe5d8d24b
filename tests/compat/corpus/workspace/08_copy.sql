# COPY in and out.
CREATE SCHEMA w;
CREATE TABLE w.t (id int PRIMARY KEY, name text, price numeric(6,2) CHECK (price >= 0), tags text[], doc jsonb, at timestamptz, ok boolean DEFAULT true);
COPY w.t (id, name, price) FROM STDIN
1	one	1.5
2	\N	\N
3	tab\there	0
;
COPY w.t FROM STDIN (FORMAT csv, HEADER)
id,name,price,tags,doc,at,ok
4,"four, ""4""",4.00,"{a,b}","{""k"":1}",2024-01-01 00:00:00+00,f
5,,5,{},null,,
;
COPY w.t (id, name) FROM STDIN (DELIMITER '|', NULL 'nil')
6|nil
7|
;
COPY w.t TO STDOUT;
COPY w.t (id, name) TO STDOUT (FORMAT csv, HEADER);
COPY (SELECT id, price * 2 AS double FROM w.t WHERE price > 1 ORDER BY id) TO STDOUT WITH CSV HEADER;
COPY (SELECT name FROM w.t WHERE id = 4) TO STDOUT (FORMAT csv, FORCE_QUOTE *);
COPY w.t (id, nope) FROM STDIN
1	2
;
COPY w.t (id, name, price) FROM STDIN
10	ten	x
;
COPY w.t (id, name, price) FROM STDIN
10	ten	1
11	eleven	-1
;
COPY w.t (id, name, price) FROM STDIN
10	ten	1
10	again	1
;
COPY w.t (id, name, price) FROM STDIN
1	dup	1
;
COPY w.t (id, name, price) FROM STDIN
12	few
;
COPY w.t (id, name, price) FROM STDIN
12	many	1	2
;
COPY w.t (id, name, price) FROM STDIN
\N	nokey	1
;
COPY w.t (id, price) FROM STDIN
12	10000
;
COPY w.t (id, tags) FROM STDIN
12	{a
;
COPY w.t (id, doc) FROM STDIN
12	{"a":
;
COPY w.t (id, at) FROM STDIN
12	soon
;
COPY w.t (id, id) FROM STDIN
12	12
;
COPY w.nope FROM STDIN
1
;
COPY w.t FROM '/etc/passwd';
COPY w.t TO PROGRAM 'false';
COPY w.t FROM STDIN (FORMAT nope)
1
;
COPY w.t (id, name) FROM STDIN WHERE id > 20
20	no
;
SELECT count(*), sum(id), max(id) FROM w.t;
BEGIN;
COPY w.t (id) FROM STDIN
30
31
;
SAVEPOINT s;
COPY w.t (id) FROM STDIN
32
30
;
ROLLBACK TO s;
SELECT count(*) FROM w.t WHERE id >= 30;
ROLLBACK;
SELECT count(*) FROM w.t WHERE id >= 30;
CREATE VIEW w.v AS SELECT id FROM w.t;
COPY w.v TO STDOUT;
COPY w.v FROM STDIN
1
;
COPY (SELECT * FROM w.v ORDER BY id) TO STDOUT;
COPY (DELETE FROM w.t WHERE id < 3 RETURNING id, name) TO STDOUT;
COPY (DELETE FROM w.t WHERE id < 4) TO STDOUT;
SELECT count(*) FROM w.t;
CREATE TABLE w.padded (a char(4), b varchar(2), c bytea, d date, e float8, f interval);
COPY w.padded FROM STDIN
a	bc	\\x01ff	2024-02-29	1e-5	1 day 02:00:00
;
COPY w.padded FROM STDIN
a	bcd	\N	\N	\N	\N
;
COPY w.padded TO STDOUT;
