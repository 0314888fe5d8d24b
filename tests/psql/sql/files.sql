-- store: a copy, and PostgreSQL's
\set QUIET off
-- Files that \copy writes and reads, in every format.
INSERT INTO document (id, body, raw, attrs, at, day, price, ref) VALUES
('plain', 'a line', '\x00ff5c27220a', '{"a": [1, "two"]}', '2026-01-02 03:04:05.678901+00', '2026-02-03', 12.75, '8d8ac610-566d-4ef0-9c22-186b2a5ed793'),
('quotes', E'"double" ''single'' , comma; tab\there\nnew line\r\nreturn \\ backslash', '', '"\"\\n"', 'epoch', '0001-01-01', -0.001, NULL),
('empty', '', NULL, '{}', NULL, NULL, NULL, NULL),
('nulls', 'NULL', NULL, NULL, '9999-12-31 23:59:59+00', '9999-12-31', 0, '00000000-0000-0000-0000-000000000000'),
('end', '\.', '\x5c2e', '[]', NULL, NULL, NULL, NULL),
('other', 'Åsa 😀 \N', '\xe298ba', '"☺"', NULL, NULL, NULL, NULL);
\copy (SELECT * FROM document ORDER BY id) TO 'all.txt'
\! cat all.txt
\copy (SELECT * FROM document ORDER BY id) TO 'all.csv' (FORMAT csv, HEADER)
\! cat all.csv
\copy (SELECT id, body, raw FROM document ORDER BY id) TO 'odd.csv' (FORMAT csv, DELIMITER ';', QUOTE '''', ESCAPE '\', NULL 'NULL', FORCE_QUOTE (id))
\! cat odd.csv
\copy (SELECT * FROM document WHERE id IN ('plain', 'nulls') ORDER BY id) TO 'two.bin' (FORMAT binary)
\! od -An -tx1 two.bin
-- The same rows under other keys.
\! sed 's/^\([a-z]*\)	/text-\1	/' all.txt > in.txt
\copy document FROM 'in.txt'
SELECT count(*) FROM document a JOIN document b ON b.id = 'text-' || a.id AND b.body = a.body AND b.raw IS NOT DISTINCT FROM a.raw AND b.attrs IS NOT DISTINCT FROM a.attrs AND b.at IS NOT DISTINCT FROM a.at AND b.day IS NOT DISTINCT FROM a.day AND b.price IS NOT DISTINCT FROM a.price AND b.ref IS NOT DISTINCT FROM a.ref;
\copy document FROM 'all.csv' (FORMAT csv, HEADER MATCH)
UPDATE document SET body = NULL WHERE id NOT LIKE 'text-%';
\copy (SELECT 'csv-' || id, at, attrs, body, day, price, raw, ref FROM document WHERE body IS NOT NULL ORDER BY id) TO 'again.csv' (FORMAT csv, FORCE_QUOTE *)
\copy document FROM 'again.csv' (FORMAT csv)
SELECT count(*), sum(length(body)), count(raw), sum(price) FROM document WHERE id LIKE 'csv-%';
\copy (SELECT 'bin-' || id AS id, at, attrs, body, day, raw, ref FROM document WHERE id LIKE 'text-%' ORDER BY id) TO 'again.bin' (FORMAT binary)
\copy document (id, at, attrs, body, day, raw, ref) FROM 'again.bin' (FORMAT binary)
SELECT count(*), sum(length(body)), count(raw), max(at) FROM document WHERE id LIKE 'bin-%';
-- A line of two megabytes, each way.
\copy (SELECT 'long', repeat('two megabytes, "quoted", ', 80000)) TO 'long.csv' csv
\! wc -c < long.csv
\copy document (id, body) FROM 'long.csv' csv
SELECT length(body), body = repeat('two megabytes, "quoted", ', 80000) AS same FROM document WHERE id = 'long';
-- NULL spelled in other ways, columns in another order, defaults.
\! printf 'n1|nil|2026-05-06\nn2||nil\n' > nil.txt
\copy document (id, body, day) FROM 'nil.txt' (DELIMITER '|', NULL 'nil')
\! printf 'id,body,raw\nn3,,\nn4,"",""\n' > forced.csv
\copy document (id, body, raw) FROM 'forced.csv' (FORMAT csv, HEADER, FORCE_NOT_NULL (body), FORCE_NULL (raw))
SELECT id, body IS NULL AS null, body = '' AS empty, raw IS NULL AS no_raw, day FROM document WHERE id ~ '^n[0-9]' ORDER BY id;
-- A byte order mark is text like any other.
\! printf '\357\273\277id,body\nb1,x\n' > bom.csv
\copy document (id, body) FROM 'bom.csv' (FORMAT csv, HEADER)
\! printf '\357\273\277b2\tx\n' > bom.txt
\copy document (id, body) FROM 'bom.txt'
SELECT length(id), id = E'\uFEFFb2' AS marked FROM document WHERE id LIKE '%b2';
-- Line ends of another system; a file that ends without one; what follows \.
\! printf 'w1,one\r\nw2,two\r\n' > crlf.csv
\copy document (id, body) FROM 'crlf.csv' csv
\! printf 'w3\tthree\nw4\tfour' > noend.txt
\copy document (id, body) FROM 'noend.txt'
\! printf 'w5\tfive\n\\.\nw6\tsix\n' > dot.txt
\copy document (id, body) FROM 'dot.txt'
SELECT id, body FROM document WHERE id LIKE 'w_' ORDER BY id;
-- What is wrong is named with its line, and nothing of the file stays.
\! printf 'e1\tone\ne2\n' > few.txt
\copy document (id, body) FROM 'few.txt'
\! printf 'e1\tone\ne2\ttwo\tthree\n' > many.txt
\copy document (id, body) FROM 'many.txt'
\! printf 'e1,2026-01-01\ne2,yesterday-ish\n' > value.csv
\copy document (id, day) FROM 'value.csv' csv
\! printf 'e1,"one\ntwo\n' > open.csv
\copy document (id, body) FROM 'open.csv' csv
\! printf 'e1\tone\n\\N\ttwo\n' > null.txt
\copy document (id, body) FROM 'null.txt'
\! printf 'e1\tone\ne1\tagain\n' > twice.txt
\copy document (id, body) FROM 'twice.txt'
\! printf 'e1\tone\nplain\tagain\n' > there.txt
\copy document (id, body) FROM 'there.txt'
\! printf 'e1\t\\\\xzz\n' > hex.txt
\copy document (id, raw) FROM 'hex.txt'
\! printf 'e1\t\377\n' > bytes.txt
\copy document (id, body) FROM 'bytes.txt'
\! printf 'not a header at all' > bad.bin
\copy document FROM 'bad.bin' binary
\! head -c 60 two.bin > cut.bin
\copy document FROM 'cut.bin' binary
\copy document FROM 'nosuch.txt'
\copy nosuch FROM 'all.txt'
\copy document (nosuch) FROM 'all.txt'
\copy document (id, id) FROM 'all.txt'
SELECT count(*) FROM document WHERE id LIKE 'e_';
-- In a transaction.
BEGIN;
\copy document (id, body) FROM 'crlf.csv' csv
ROLLBACK;
BEGIN;
UPDATE document SET body = 'before' WHERE id = 'w1';
SAVEPOINT s;
\copy document (id, body) FROM 'few.txt'
ROLLBACK TO s;
\copy document (id, body) FROM 'nil.txt' (DELIMITER '|')
ROLLBACK TO s;
COMMIT;
SELECT id, body FROM document WHERE id LIKE 'w_' ORDER BY id;
