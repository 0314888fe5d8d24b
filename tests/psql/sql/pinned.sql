-- database: onto@2025-06-30
-- A session at a point of the past.
SELECT count(*) FROM customer;
SELECT max(commit_id), max(created_at) FROM ontosql.commits;
SELECT head_commit_id FROM ontosql.storage_info;
SELECT table_name, last_commit_id FROM ontosql.types ORDER BY 1;
SELECT count(*) FROM as_of.customer('HEAD');
SELECT count(*) FROM as_of.customer(100000);
SET ontosql.as_of = '3';
INSERT INTO customer (id) VALUES ('x');
