-- store: a copy
-- Key bounds prune files that were seen before. A type that is read more than twice
-- has a mirror, sooner or later.
SELECT count(*) FROM customer;
EXPLAIN SELECT id, balance FROM customer WHERE id = 'c1';
EXPLAIN SELECT count(*) FROM history.purchase WHERE commit_id > 40;
EXPLAIN SELECT * FROM as_of.product(3);
EXPLAIN DELETE FROM customer;
