-- Calls within calls, as people and their tools write them.
SELECT jsonb_set(jsonb_set(jsonb_set('{"a": 1}', '{a}', '2'), '{b}', '3'), '{c,d}', '4');
SELECT jsonb_set_lax(jsonb_set('{"a": 1, "b": 2}', '{a}', '"x"'), '{b}', NULL, true, 'delete_key');
SELECT '{"a": 1, "b": 2, "c": 3, "d": 4}'::jsonb - 'a' - 'b' - 'c' #- '{d}';
SELECT '{"a": 1}'::jsonb || '{"b": 2}' || '{"c": 3}' || '{"a": 4}';
SELECT interval '1 day' * 2 * 3 * 4 / 2, interval '1 mon 3 days' * 1.5 * 2.5, interval '1 day' * (SELECT 2), NULL::interval * 2, interval '1 day' * NULL;
SELECT interval '1 day' * count(*) * 2 FROM customer;
SELECT ARRAY[1] || ARRAY[2] || 3 || ARRAY[4] || 5;
SELECT replace(replace(replace(upper(trim(initcap(' ab c '))), 'A', 'x'), 'B', 'y'), 'C', 'z');
SELECT coalesce(nullif(split_part(split_part('a=b;c=d', ';', 2), '=', 2), ''), substr(substr('abc', 2), 1, 1));
