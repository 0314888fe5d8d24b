-- store: a copy
-- A tag is a name for a commit, and a point wherever a point may stand.
SELECT ontosql.tag('spring', 10, 'the first ten weeks');
SELECT * FROM ontosql.tag(name => 'summer', point => '2025-06-30');
SELECT ontosql.tag('now-and-here') AS commit;
SELECT name, commit_id, message FROM ontosql.tags;
SELECT count(*) FROM as_of.customer('spring');
SELECT count(*) FROM customer FOR SYSTEM_TIME AS OF 'spring' c;
SELECT count(*) FROM diff.customer('spring', 'summer');
SELECT table_name, inserted FROM ontosql.diff_stat('spring', 'summer') ORDER BY 1;
SET ontosql.as_of = 'spring';
SELECT count(*) FROM customer;
SELECT ontosql.tag('read-only');
RESET ontosql.as_of;
-- A tag is a commit, which says what it does unless its author does.
SELECT commit_id, message, types FROM ontosql.commits ORDER BY commit_id DESC LIMIT 2;
SELECT t.commit_id, c.message FROM ontosql.tag('joined', 12) t JOIN ontosql.commits c USING (commit_id);
SELECT ontosql.untag('joined');
-- It is part of a transaction.
BEGIN;
SELECT ontosql.untag('spring');
SELECT ontosql.tag('spring', 11);
SAVEPOINT s;
SELECT ontosql.untag('summer');
SELECT count(*) FROM as_of.customer('summer');
ROLLBACK TO s;
SELECT name, commit_id FROM ontosql.tags;
COMMIT;
PREPARE p AS SELECT ontosql.tag($1, $2);
EXECUTE p('prepared', 'HEAD~1');
EXPLAIN SELECT ontosql.tag('explained');
-- The database name.
\c -reuse-previous=on "dbname=onto@spring"
SELECT max(commit_id) FROM ontosql.commits;
SELECT name FROM ontosql.tags;
\c -reuse-previous=on "dbname=onto"
-- What is refused.
\set VERBOSITY verbose
SET ontosql.as_of = 'autumn';
SELECT * FROM as_of.customer('autumn');
SELECT ontosql.tag('spring');
SELECT ontosql.untag('autumn');
SELECT ontosql.tag('42');
SELECT ontosql.tag('head~1');
SELECT ontosql.tag('yesterday');
SELECT ontosql.tag('a@b');
SELECT ontosql.tag('x', 1000000);
SELECT ontosql.tag('x', 0);
SELECT ontosql.tag(NULL);
SELECT ontosql.tag('x', 1, 'm', 'n');
SELECT ontosql.tag(nam => 'x');
SELECT ontosql.tag(id) FROM customer;
SELECT 1 WHERE ontosql.untag('spring') > 0;
BEGIN READ ONLY;
SELECT ontosql.tag('x');
ROLLBACK;
\set VERBOSITY default
\d ontosql.tags
\df ontosql.*tag
