-- store: a copy
-- A row, several rows, rows of a query.
INSERT INTO customer (id, name, tier, balance) VALUES ('n1', 'Nora', 'gold', 12.5);
INSERT INTO customer VALUES ('n2', 1, NULL, 'Nils', 'silver'), ('n3', 2.5, 'n@x.org', 'Nina', 'gold');
INSERT INTO customer (id, name, tier, balance) SELECT id || '-b', name, tier, balance * 2 FROM customer WHERE id IN ('n1', 'n2');
\echo :ROW_COUNT
INSERT INTO customer DEFAULT VALUES;
SELECT * FROM customer WHERE id LIKE 'n%' ORDER BY id;
-- RETURNING, and its values in variables.
INSERT INTO product (sku, title, price) VALUES (501, 'Mallet', 9.5), (502, 'Nail', 0.05) RETURNING *;
INSERT INTO product (sku, title, price) SELECT max(sku) + 1, 'Oar', 30 FROM product RETURNING sku AS new_sku, price * 2 AS double \gset
\echo :new_sku :double
SHOW ontosql.last_commit_id;
-- One commit over several types. The transaction reads its own rows in every window.
BEGIN;
INSERT INTO customer (id, name, tier, balance) VALUES ('t1', 'Tom', 'gold', 1);
INSERT INTO product (sku, title, price) VALUES (601, 'Plane', 42);
INSERT INTO subscription (left_key, right_key, seats) VALUES ('t1', 601, 3);
INSERT INTO purchase (left_key, right_key, order_no, qty, store) VALUES ('t1', 601, 'o-t1', 2, 'OSL');
SELECT c.name, p.title, s.seats, b.qty
FROM customer c JOIN subscription s ON s.left_key = c.id JOIN product p ON p.sku = s.right_key
JOIN purchase b ON b.left_key = c.id WHERE c.id = 't1';
SELECT id, commit_id IS NULL AS uncommitted, valid_to, is_current FROM history.customer WHERE id IN ('t1', 'n1') ORDER BY id;
SELECT id, change, changed_fields, before FROM changes.customer WHERE id IN ('n1', 't1') ORDER BY id;
SELECT count(*) FROM as_of.customer('HEAD') WHERE id = 't1';
SELECT count(*) FROM customer FOR SYSTEM_TIME AS OF 'HEAD~1' WHERE id = 't1';
SELECT count(*) FROM customer FOR SYSTEM_TIME ALL WHERE id = 't1';
WITH mine AS (SELECT id FROM customer WHERE id = 't1') SELECT count(*) FROM mine;
SELECT count(*) FROM ontosql.commits WHERE 'Purchase' = ANY (types) AND message IS NULL;
SET LOCAL ontosql.commit_message = 'Tom comes';
SET LOCAL ontosql.commit_meta = '{"ticket": "OPS-7"}';
COMMIT;
SELECT message, actor, metadata->>'ticket' AS ticket, array_length(types, 1) AS types, 'Purchase' = ANY (types) AS purchase, row_count FROM ontosql.commits ORDER BY commit_id DESC LIMIT 1;
SELECT commit_id = current_setting('ontosql.last_commit_id')::bigint AS same FROM history.customer WHERE id = 't1';
SHOW ontosql.commit_message;
-- A rollback leaves nothing.
BEGIN;
INSERT INTO customer (id, name, tier, balance) VALUES ('r1', 'Rolf', 'gold', 1);
ROLLBACK;
SELECT count(*) FROM customer WHERE id = 'r1';
-- A transaction that changes nothing makes no commit.
SELECT max(commit_id) AS head FROM ontosql.commits \gset
BEGIN;
INSERT INTO customer SELECT * FROM customer WHERE false;
COMMIT;
SELECT max(commit_id) = :head AS same_head FROM ontosql.commits;
-- Settings of a commit.
SET ontosql.commit_meta = '{"actor": "me"}';
SET ontosql.commit_meta = '{"n": 1}';
SET ontosql.commit_meta = 'x';
SET ontosql.notice_commits = on;
INSERT INTO product (sku, title, price) VALUES (701, 'Quill', 1);
RESET ontosql.notice_commits;
SET ontosql.expect_head = '3';
INSERT INTO product (sku, title, price) VALUES (702, 'Rasp', 1);
\errverbose
RESET ontosql.expect_head;
SELECT max(commit_id) AS head FROM ontosql.commits \gset
SET ontosql.expect_head = :'head';
INSERT INTO product (sku, title, price) VALUES (702, 'Rasp', 1);
RESET ontosql.expect_head;
SELECT current_setting('ontosql.last_commit_id') AS mine \gset
SET ontosql.read_after = :'mine';
SET statement_timeout = '50ms';
SET ontosql.read_after = '999999';
RESET statement_timeout;
SELECT ontosql.commit_outcome('nonsense');
-- What is refused.
\set VERBOSITY verbose
INSERT INTO customer (id, name, tier, balance) VALUES ('n1', 'again', 'gold', 0);
INSERT INTO customer (id, name, tier, balance) VALUES ('n9', 'one', 'gold', 0), ('n9', 'two', 'gold', 0);
INSERT INTO purchase (left_key, right_key, order_no, qty, store) VALUES ('t1', 601, 'o-t1', 2, 'OSL');
INSERT INTO customer (id, name, tier) VALUES ('n9', 'x', 'gold');
INSERT INTO product (sku, title, price) VALUES (801, 'a', 1), (802, NULL, 2);
INSERT INTO product (sku, title, price) VALUES (801, 'a', 1), ('x', 'b', 2);
INSERT INTO product (sku, title, price) VALUES (801, 'a', 1), (1e20, 'b', 2);
INSERT INTO product (sku, title, price) VALUES (801, 'a', 1), ('99999999999999999999', 'b', 2);
INSERT INTO product (sku, title, price) VALUES (801, 'a', 1), (802, 'b', 1 / 0);
INSERT INTO product (sku, title, price) SELECT 801, 'a', title::float8 FROM product WHERE sku = 501;
INSERT INTO product (sku, name) VALUES (801, 'a');
INSERT INTO product (sku, title, price) VALUES (801, 'a', true);
INSERT INTO product (sku, title, price, commit_id) VALUES (801, 'a', 1, 1);
INSERT INTO nowhere VALUES (1);
INSERT INTO history.customer (id) VALUES ('x');
INSERT INTO changes.customer (id) VALUES ('x');
INSERT INTO ontosql.commits VALUES (1);
INSERT INTO pg_class VALUES (1);
SET ontosql.as_of = '3';
INSERT INTO product (sku, title, price) VALUES (801, 'a', 1);
RESET ontosql.as_of;
BEGIN READ ONLY;
INSERT INTO product (sku, title, price) VALUES (801, 'a', 1);
ROLLBACK;
DELETE FROM product;
\set VERBOSITY default
-- A failed transaction.
BEGIN;
INSERT INTO product (sku, title, price) VALUES (803, 'Saw', 1);
INSERT INTO product (sku, title, price) VALUES (803, 'Saw', 1);
INSERT INTO product (sku, title, price) VALUES (804, 'Saw', 1);
SELECT count(*) FROM product;
COMMIT;
SELECT count(*) FROM product WHERE sku IN (803, 804);
-- Several statements in one string are one transaction and one commit.
SELECT max(commit_id) AS head FROM ontosql.commits \gset
INSERT INTO product (sku, title, price) VALUES (901, 'Tongs', 5)\; INSERT INTO store (code, city, open) VALUES ('TRD', 'Trondheim', true)\; SELECT count(*) FROM store;
SELECT max(commit_id) - :head AS commits FROM ontosql.commits;
INSERT INTO product (sku, title, price) VALUES (902, 'Vise', 5)\; INSERT INTO product (sku, title, price) VALUES (903, NULL, 5);
INSERT INTO product (sku, title, price) VALUES (903, 'Vise', 5)\; BEGIN\; INSERT INTO product (sku, title, price) VALUES (904, 'Wrench', 5);
SELECT sku FROM product WHERE sku > 900 ORDER BY sku;
ROLLBACK;
SELECT sku FROM product WHERE sku > 900 ORDER BY sku;
-- The first committer wins, here a second psql.
BEGIN;
INSERT INTO customer (id, name, tier, balance) VALUES ('w1', 'mine', 'gold', 1);
\! psql -X -q -c "INSERT INTO customer (id, name, tier, balance) VALUES ('w1', 'theirs', 'gold', 2) RETURNING id, name"
SELECT name FROM customer WHERE id = 'w1';
COMMIT;
\errverbose
SELECT name FROM customer WHERE id = 'w1';
-- Other identities never conflict.
BEGIN;
INSERT INTO customer (id, name, tier, balance) VALUES ('w2', 'mine', 'gold', 1);
\! psql -X -q -c "INSERT INTO customer (id, name, tier, balance) VALUES ('w3', 'theirs', 'gold', 2)"
COMMIT;
SELECT id, name FROM customer WHERE id IN ('w2', 'w3') ORDER BY id;
-- psql -c with several statements.
\! psql -X -c "INSERT INTO customer (id, name, tier, balance) VALUES ('x1', 'a', 'gold', 1); INSERT INTO customer (id, name, tier, balance) VALUES ('x2', 'b', 'gold', 1); SELECT count(*) FROM customer WHERE id LIKE 'x_'"
\! psql -X -c "INSERT INTO customer (id, name, tier, balance) VALUES ('x3', 'a', 'gold', 1); INSERT INTO customer (id, name, tier, balance) VALUES ('x1', 'b', 'gold', 1)"
SELECT id FROM customer WHERE id LIKE 'x_' ORDER BY id;
SELECT count(DISTINCT commit_id) FROM history.customer WHERE id LIKE 'x_';
