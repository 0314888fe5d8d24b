# Abbreviations of time zones
SELECT timestamp '2024-05-07 10:00' AT TIME ZONE 'EST', timestamptz '2024-05-07 10:00+00' AT TIME ZONE 'PST', timestamptz '2024-05-07 10:00+00' AT TIME ZONE 'CET', timestamptz '2024-05-07 10:00+00' AT TIME ZONE 'pdt', timestamptz '2024-05-07 10:00+00' AT TIME ZONE 'IST', timestamptz '2024-05-07 10:00+00' AT TIME ZONE 'NST';
SELECT timestamptz '2024-05-07 10:00+00' AT TIME ZONE 'MSK', timestamptz '2024-01-07 10:00+00' AT TIME ZONE 'EST5EDT', timestamptz '2024-05-07 10:00+00' AT TIME ZONE 'EST5EDT', timestamptz '2024-05-07 10:00+00' AT TIME ZONE 'GMT', timestamptz '2024-05-07 10:00+00' AT TIME ZONE 'Z', timezone('BST', timestamp '2024-05-07 10:00');
SELECT date_trunc('day', created AT TIME ZONE 'PST'), (created AT TIME ZONE 'UTC' AT TIME ZONE 'CEST')::text FROM customer ORDER BY id;
SELECT timestamptz '2024-05-07 10:00 EST', timestamptz '2024-05-07 10:00PDT', timestamptz '2024-05-07 10:00:00 cest', timestamp '2024-05-07 10:00 PST', timestamptz '2024-05-07 10:00 PM MSK', timestamptz '0044-03-15 10:00 EST BC', '{2024-05-07 10:00 EST}'::timestamptz[];
SELECT timestamptz '2024-05-07 10:00 XYZ';
SELECT timestamp '2024-05-07 10:00 nonsense';
SELECT timestamptz '2024-05-07 10:00+00' AT TIME ZONE 'XYZ';

# make_timestamptz counts an offset to the east, and then looks for abbreviations, names and POSIX specifications
SELECT make_timestamptz(1973, 7, 15, 8, 15, 55.33, '+2'), make_timestamptz(1973, 7, 15, 8, 15, 55.33, 'EDT'), make_timestamptz(1973, 7, 15, 8, 15, 55.33, 'PST8PDT,M3.2.0,M11.1.0');
SELECT make_timestamptz(1973, 7, 15, 8, 15, 55.33, '2');
SELECT make_timestamptz(1973, 7, 15, 8, 15, 55.33, '+16');
SELECT '2011-03-27 02:30:00'::timestamp AT TIME ZONE 'MSK', '2011-03-27 02:30:00'::timestamp AT TIME ZONE 'Europe/Moscow';

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

# Texts that become dates when the statement runs
SELECT x::date, x::timestamp, x::timestamptz FROM (VALUES ('05/07/2024'), ('May 7, 2024'), ('2024-05-07'), ('20240507'), ('7-May-2024'), ('2024-02-29 10:30:15.25'), ('2024/05/07 22:30'), ('05/07/2024 10:30 PM'), (' 2024-05-07T10:30:00Z '), ('2024-05-07 10:30+02:30'), ('2024-05-07 10:30 Europe/Berlin'), ('2024-05-07 10:30 PST'), ('0044-03-15 BC'), ('infinity'), ('-Infinity'), ('epoch'), (NULL), ('2024-05-07 24:00'), ('12024-05-07'), ('2024-05-07 23:59:60'), ('Tuesday, May 7 2024'), ('2024-05-07 10:30:00.1234567')) v(x) ORDER BY x;
SELECT x::time FROM (VALUES ('10:30'), ('10:30:15.5'), ('1:02 PM'), ('24:00'), ('10:30+02'), (NULL)) v(x) ORDER BY 1;
SELECT x::date FROM (VALUES ('2024-02-30')) v(x);
SELECT x::date FROM (VALUES ('13/05/2024')) v(x);
SELECT x::date FROM (VALUES ('0000-05-13')) v(x);
SELECT x::date FROM (VALUES ('soon')) v(x);
SELECT x::date FROM (VALUES ('')) v(x);
SELECT x::timestamp FROM (VALUES ('2024-05-07 25:00')) v(x);
SELECT x::timestamptz FROM (VALUES ('2024-05-07 10:00+99')) v(x);
SELECT x::timestamptz FROM (VALUES ('2024-05-07 10:00 Europe/Nowhere')) v(x);
SELECT x::time FROM (VALUES ('25:00')) v(x);
SELECT x::date FROM (VALUES ('5874898-01-01')) v(x);
SELECT x::timestamp FROM (VALUES ('294277-01-01')) v(x);
SELECT string_to_array('05/07/2024,2024-05-08', ',')::date[], ('{' || '05/07/2024,NULL' || '}')::date[], (birth::text || ' 10:00')::timestamp, birth::text::date = birth, created::text::timestamptz = created FROM customer ORDER BY id;
SELECT ('2024-05-0' || n)::date + 1, ('0' || n || '/01/2024')::date FROM generate_series(1, 3) AS n ORDER BY 1;

# Zones in POSIX's manner count to the west.
SELECT timestamptz '2024-01-01 00:00+00' AT TIME ZONE 'UTC3';
SELECT timestamptz '2024-01-01 00:00+00' AT TIME ZONE 'ABC5';
SELECT timestamptz '2024-01-01 00:00+00' AT TIME ZONE 'AB5';
SELECT timestamptz '2024-01-01 00:00+00' AT TIME ZONE '5';
SELECT timestamptz '2024-01-01 00:00+00' AT TIME ZONE 'GMT+3';
SELECT timestamptz '2024-01-01 00:00+00' AT TIME ZONE 'GMT-0';
SELECT timestamptz '2024-01-01 00:00+00' AT TIME ZONE 'Etc/GMT+3';
SELECT timestamptz '2024-01-01 00:00+00' AT TIME ZONE 'EST5EDT';
SELECT timestamptz '2024-01-01 00:00+00' AT TIME ZONE 'EST5';
SELECT timestamptz '2024-01-01 00:00+00' AT TIME ZONE 'utc+03:30';
SELECT timestamptz '2024-01-01 00:00+00' AT TIME ZONE '<-03>3';
SELECT timestamptz '2024-01-01 00:00+00' AT TIME ZONE '<x>3';
SELECT timestamptz '2024-01-01 00:00+00' AT TIME ZONE 'UTC+30';
SELECT timestamptz '2024-01-01 00:00+00' AT TIME ZONE '+168';
SELECT timestamptz '2024-01-01 00:00+00' AT TIME ZONE '+99';
SELECT timestamptz '2024-01-01 00:00+00' AT TIME ZONE 'UTC+3:75';
SELECT timestamp '2024-01-01 00:00' AT TIME ZONE 'UTC+3';
SELECT '10:00+00'::timetz AT TIME ZONE 'UTC+3';
SELECT date_trunc('day', timestamptz '2024-01-01 01:00+00', 'UTC+3');
SELECT timestamptz '2024-01-01 00:00+00' AT TIME ZONE z FROM (VALUES ('UTC+3'), ('<+02>-02'), ('CET'), ('Asia/Kolkata')) v(z);
SELECT make_timestamptz(2024,1,1,0,0,0,'UTC+3');
