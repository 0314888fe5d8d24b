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
-- PostgreSQL's own: xmin is the commit, and a row has no place that stays its.
SELECT tableoid::regclass, xmin, cmin, xmax, cmax, code FROM store ORDER BY code LIMIT 2;
SELECT count(*) FROM store WHERE xmin::text::bigint = commit_id AND age(xmin) >= 0;
SELECT ctid FROM store;
SELECT s.ctid FROM store s;
SELECT xmin FROM history.store;
SELECT ctid, relname FROM pg_class WHERE relname = 'store' AND ctid IS NULL;
CREATE TABLE bad (id int8 PRIMARY KEY, xmin text);
