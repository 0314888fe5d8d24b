-- What differs between two points, and who set each value.
SELECT id, diff, changed_fields, from_commit_id, to_commit_id, from_tier, to_tier FROM diff.customer('HEAD~3', 'HEAD') ORDER BY id;
SELECT id, diff, from_commit_id, to_commit_id FROM diff.customer('HEAD', 'HEAD~3') WHERE diff = 'delete' ORDER BY id;
SELECT count(*) FROM diff.customer(7, 7);
SELECT * FROM ontosql.diff_stat(30, 'HEAD') ORDER BY type_kind, type_name;
SELECT column_name, value, commit_id, message FROM blame.customer WHERE id = 'c1' ORDER BY column_name;
SELECT type_name, commit_id, actor, message FROM ontosql.last_change ORDER BY type_kind, type_name;
\df diff.store
\d blame.customer
\d ontosql.last_change
\df ontosql.*
SELECT * FROM diff.customer(1);
SELECT * FROM diff.customer(1, 'later');
SELECT * FROM ontosql.diff_stat(1);
SELECT * FROM diff.customer;
INSERT INTO blame.customer VALUES (1);
