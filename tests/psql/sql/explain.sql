-- store: a copy
-- Key bounds prune files that were seen before; the row store answers rows by their key,
-- not totals. A type that is read more than twice has a mirror, sooner or later.
SELECT count(*) FROM customer;
EXPLAIN SELECT max(balance) FROM customer WHERE id = 'c1';
EXPLAIN SELECT count(*) FROM history.purchase WHERE commit_id > 40;
EXPLAIN SELECT * FROM as_of.product(3);
EXPLAIN DELETE FROM customer;

-- WITH that writes: the parts, and what reads them.
EXPLAIN WITH t AS (SELECT max(code) AS code FROM store), x AS (UPDATE store SET open = false FROM t WHERE t.code = store.code RETURNING store.code) SELECT * FROM x;
EXPLAIN (FORMAT json) WITH x AS (INSERT INTO store VALUES ('e9', 'Faro', true) RETURNING code) UPDATE product SET title = x.code FROM x WHERE sku = 100;
EXPLAIN ANALYZE WITH x AS (INSERT INTO store VALUES ('e9', 'Faro', true) RETURNING code) SELECT * FROM x;
