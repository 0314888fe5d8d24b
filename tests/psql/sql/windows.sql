-- Latest, history and changes of one customer.
SELECT id, tier, balance FROM customer WHERE id = 'c1';
SELECT id, tier, balance, commit_id, valid_from, valid_to, valid_to_commit, is_current
FROM history.customer WHERE id = 'c1' ORDER BY commit_id;
SELECT commit_id, change, changed_fields, before->>'tier' AS was, tier
FROM changes.customer WHERE id = 'c1' ORDER BY commit_id;
SELECT * FROM history.store WHERE code = 's2' ORDER BY commit_id;
-- Versions since a commit.
SELECT count(*) FROM history.customer WHERE commit_id > 40;
SELECT is_current, count(*) FROM history.product GROUP BY 1 ORDER BY 1;
