-- store: a copy
-- Rows get the values that they had at a point.
SELECT ontosql.tag('before', 50);
SELECT id, changed_fields, from_tier, to_tier FROM diff.customer('HEAD', 'before') WHERE diff = 'update' AND id IN ('c1', 'c10', 'c11', 'c5');
SELECT * FROM ontosql.revert('before');
SELECT * FROM ontosql.revert('before', 'subscription');
SELECT * FROM ontosql.revert('before', 'customer', 'c5');
SELECT * FROM ontosql.revert('before', keep_new => true);
SELECT table_name, inserted, updated FROM ontosql.diff_stat('before', 'HEAD') ORDER BY type_kind, type_name;
SELECT message, types FROM ontosql.commits ORDER BY commit_id DESC LIMIT 3;
-- It is undone by another one.
SELECT table_name, reverted FROM ontosql.revert('HEAD~1');
SELECT table_name, updated FROM ontosql.diff_stat(54, 'HEAD') ORDER BY type_kind, type_name;
-- In a transaction.
BEGIN;
SET LOCAL ontosql.commit_message = 'back to week 50';
SELECT sum(reverted) > 0 AS some FROM ontosql.revert('before', keep_new => true);
SELECT ontosql.tag('after');
COMMIT;
SELECT message FROM ontosql.commits ORDER BY commit_id DESC LIMIT 1;
PREPARE p AS SELECT reverted FROM ontosql.revert($1, $2, $3);
EXPLAIN EXECUTE p('before', 'customer', 'c5');
\set VERBOSITY verbose
SELECT * FROM ontosql.revert('before', 'subscription', 'c1');
SELECT * FROM ontosql.revert('before', 'subscription', ARRAY['c1']);
SELECT * FROM ontosql.revert('before', 'product', 'p');
SELECT ontosql.revert('before');
CREATE VIEW reverting AS SELECT * FROM ontosql.revert('before');
COPY (SELECT * FROM ontosql.revert('before', 'nobody')) TO STDOUT;
\df ontosql.revert
