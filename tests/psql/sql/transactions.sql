-- One head for the whole transaction.
BEGIN;
SELECT count(*) FROM customer;
SELECT nosuch;
SELECT 1;
COMMIT;
START TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY;
SHOW transaction_isolation;
SHOW transaction_read_only;
INSERT INTO customer (id) VALUES ('x');
ROLLBACK;
COMMIT;
BEGIN;
BEGIN;
ROLLBACK;
