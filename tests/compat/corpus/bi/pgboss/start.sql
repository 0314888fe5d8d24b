# pg-boss locks a key that it computes.
SELECT pg_advisory_lock(hashtext('a'));
SELECT pg_try_advisory_lock(hashtext('a')), pg_advisory_unlock(hashtext('a'));
SELECT pg_advisory_unlock(hashtext('a')), pg_advisory_unlock(hashtext('a')::bigint);
SELECT pg_try_advisory_xact_lock(hashtext('a'), 1 + 1), pg_advisory_xact_lock_shared(length('abc'), 4);
SELECT pg_try_advisory_lock(('x' || substr(md5('name'), 1, 16))::bit(64)::bigint), pg_advisory_unlock(('x' || substr(md5('name'), 1, 16))::bit(64)::bigint);
SELECT pg_advisory_lock(1 + NULL::int), pg_try_advisory_lock(1, nullif(1, 1));
SELECT pg_advisory_lock('a' || 'b');
SELECT pg_advisory_lock(1.5 + 1);
SELECT pg_advisory_lock((SELECT 7)), pg_advisory_unlock((SELECT 7));
