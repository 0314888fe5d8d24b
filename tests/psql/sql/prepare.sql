-- store: a copy, and PostgreSQL's
-- PREPARE, EXECUTE and DEALLOCATE.
PREPARE q (text) AS SELECT id, tier FROM customer WHERE id = $1;
EXECUTE q ('c1');
EXECUTE q ('c' || 2);
EXECUTE q (NULL);
EXECUTE q (lower('C3'));
EXECUTE q;
EXECUTE q ('c1', 'c2');
EXECUTE missing (1);
SELECT name, parameter_types, from_sql FROM pg_prepared_statements;
PREPARE q AS SELECT 1;
-- The types of parameters are found, or given, and arguments become them.
PREPARE n (int, numeric) AS SELECT $1 + 1 AS a, round($2, 1) AS b, $3 || '!' AS c;
EXECUTE n (1.6, 2, 'x');
EXECUTE n ('7', '1.50', 3);
EXECUTE n ('seven', 1, 'x');
EXECUTE n (1 / 0, 1, 'x');
PREPARE d AS SELECT $1::date + 1 AS next, $2::int[] AS list, $3::jsonb ->> 'a' AS a;
EXECUTE d ('2026-02-28', '{1,2}', '{"a": 5}');
EXECUTE d (DATE '2026-12-31', ARRAY[3, NULL], '{}');
PREPARE unknown AS SELECT $1;
EXECUTE unknown ('a text');
PREPARE bad AS SELECT missing FROM customer;
PREPARE bad (nonsense) AS SELECT $1;
EXECUTE bad;
-- They write, too, and live as long as the session, not the transaction.
BEGIN;
PREPARE w (text, text) AS INSERT INTO store (code, city, open) VALUES ($1, $2, true) RETURNING code, open;
EXECUTE w ('p1', 'Lima');
EXECUTE w ('p1', 'Lima');
ROLLBACK;
EXECUTE w ('p2', 'Rome');
PREPARE u AS UPDATE store SET city = $2 WHERE code = $1;
EXECUTE u ('p2', 'Bari');
EXECUTE u ('none', 'Bari');
SELECT city FROM store WHERE code = 'p2';
PREPARE v AS VALUES (1, $1::text), (2, 'b');
EXECUTE v ('a');
EXECUTE v ('a') \gdesc
DEALLOCATE q;
DEALLOCATE q;
EXECUTE q ('c1');
DEALLOCATE PREPARE v;
SELECT name FROM pg_prepared_statements ORDER BY name;
DEALLOCATE ALL;
SELECT name FROM pg_prepared_statements ORDER BY name;
PREPARE x AS SELECT 1;
DISCARD PLANS;
EXECUTE x;
DISCARD ALL;
EXECUTE x;
