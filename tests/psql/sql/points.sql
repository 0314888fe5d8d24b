-- Five ways to name the past. This one is the function ...
SELECT count(*) FROM as_of.customer(10);
SELECT count(*) FROM as_of.customer('HEAD~3');
SELECT count(*) FROM as_of.customer('2025-03-01');
-- ... the setting ...
SET ontosql.as_of = '10';
SELECT count(*) FROM customer;
RESET ontosql.as_of;
BEGIN;
SET LOCAL ontosql.as_of = '2025-03-01T00:00:00Z';
SELECT count(*) FROM customer;
COMMIT;
SELECT count(*) FROM customer;
-- ... SQL:2011 ...
SELECT count(*) FROM customer FOR SYSTEM_TIME AS OF 10 c;
SELECT count(*) FROM customer FOR SYSTEM_TIME AS OF TIMESTAMP '2025-03-01 00:00:00' AS c;
SELECT count(*) FROM customer FOR SYSTEM_TIME ALL;
-- Two points of one table in one query.
SELECT n.sku, o.price AS old, n.price AS new
FROM product FOR SYSTEM_TIME AS OF 3 o JOIN product n USING (sku)
WHERE o.price <> n.price ORDER BY sku;
-- Before the beginning and after the end.
SELECT count(*) FROM as_of.customer(0);
SELECT count(*) FROM as_of.customer(-5);
SELECT count(*) FROM as_of.customer(100000);
-- ... the connection's options and the database name: \c
\c -reuse-previous=on "dbname=onto options='-c ontosql.as_of=10'"
SELECT count(*) FROM customer;
\c -reuse-previous=on "dbname=onto@10"
SELECT count(*) FROM customer;
SELECT max(commit_id) FROM ontosql.commits;
\c -reuse-previous=on "dbname=onto@HEAD~3"
SELECT max(commit_id) FROM ontosql.commits;
\c -reuse-previous=on "dbname=onto@nonsense"
