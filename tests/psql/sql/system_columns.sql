-- Columns that exist on every row and stand in no star.
SELECT commit_id, schema_version_id, entity_key, id FROM customer ORDER BY id LIMIT 2;
SELECT *, commit_id FROM store ORDER BY code;
SELECT c.committed_at::date, c.* FROM customer c WHERE c.commit_id = 2 ORDER BY c.id LIMIT 2;
SELECT fields_json FROM store WHERE code = 's1';
SELECT instance_key, left_key, order_no FROM purchase ORDER BY order_no LIMIT 2;
SELECT count(*) FROM customer WHERE commit_id > 50;
-- Not through a derived table.
SELECT commit_id FROM (SELECT * FROM customer) d;
-- A whole row is its text.
SELECT c FROM store c ORDER BY code;
