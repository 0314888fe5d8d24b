# Abbreviations of time zones
SELECT timestamp '2024-05-07 10:00' AT TIME ZONE 'EST', timestamptz '2024-05-07 10:00+00' AT TIME ZONE 'PST', timestamptz '2024-05-07 10:00+00' AT TIME ZONE 'CET', timestamptz '2024-05-07 10:00+00' AT TIME ZONE 'pdt', timestamptz '2024-05-07 10:00+00' AT TIME ZONE 'IST', timestamptz '2024-05-07 10:00+00' AT TIME ZONE 'NST';
SELECT timestamptz '2024-05-07 10:00+00' AT TIME ZONE 'MSK', timestamptz '2024-01-07 10:00+00' AT TIME ZONE 'EST5EDT', timestamptz '2024-05-07 10:00+00' AT TIME ZONE 'EST5EDT', timestamptz '2024-05-07 10:00+00' AT TIME ZONE 'GMT', timestamptz '2024-05-07 10:00+00' AT TIME ZONE 'Z', timezone('BST', timestamp '2024-05-07 10:00');
SELECT date_trunc('day', created AT TIME ZONE 'PST'), (created AT TIME ZONE 'UTC' AT TIME ZONE 'CEST')::text FROM customer ORDER BY id;
SELECT timestamptz '2024-05-07 10:00 EST', timestamptz '2024-05-07 10:00PDT', timestamptz '2024-05-07 10:00:00 cest', timestamp '2024-05-07 10:00 PST', timestamptz '2024-05-07 10:00 PM MSK', timestamptz '0044-03-15 10:00 EST BC', '{2024-05-07 10:00 EST}'::timestamptz[];
SELECT timestamptz '2024-05-07 10:00 XYZ';
SELECT timestamp '2024-05-07 10:00 nonsense';
SELECT timestamptz '2024-05-07 10:00+00' AT TIME ZONE 'XYZ';

# Rows as texts
SELECT ROW(1, 'a')::text, ROW(NULL, true, 1.50, 'a b', '')::varchar, (SELECT p::text FROM product p WHERE id = 1), ROW()::text;
SELECT p::text, md5(p::text), md5(ROW(id, name)::text), length(p::text), p::text || '!', CAST(p AS text) FROM product p ORDER BY id;
SELECT c::text FROM customer c ORDER BY id;
SELECT p.id, q::text FROM product p LEFT JOIN product q ON q.id = p.id AND q.id < 3 ORDER BY 1;
SELECT count(DISTINCT p::text), max(p::text), string_agg(p::text, ';' ORDER BY id) FROM product p;
SELECT p::text, count(*) FROM product p GROUP BY p::text ORDER BY 1;
SELECT ROW(1, 2)::int;
SELECT id FROM product p WHERE p::text LIKE '%Pro%';
SELECT concat(p, '!'), p || '?', ROW(id, stock > 7) || '', concat_ws('-', p, id), concat(1.50, true), format('%s', p), to_json(p)::text FROM product p ORDER BY id;
