-- Key bounds prune files that were seen before.
SELECT count(*) FROM customer;
EXPLAIN SELECT id, balance FROM customer WHERE id = 'c1';
EXPLAIN SELECT count(*) FROM history.customer WHERE commit_id > 40;
EXPLAIN SELECT * FROM as_of.product(3);
EXPLAIN DELETE FROM customer;
