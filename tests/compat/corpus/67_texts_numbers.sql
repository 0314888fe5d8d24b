# Texts and numbers, as PostgreSQL's own tests ask for them.

# A number is rounded before it is asked whether it fits.
SELECT 32767.6::float8::smallint;
SELECT (-32768.6)::float8::smallint;
SELECT (-32768.4)::float8::smallint, 32767.4::float8::smallint, 32766.5::real::smallint, (-0.5)::float8::smallint;
SELECT 2147483647.6::float8::int;
SELECT int4(2147483647.5::float8);
SELECT (-2147483648.4)::float8::int, 2147483647.4::float8::int, 2147483646.5::float8::int, int2(-32768.5::real);
SELECT 1e300::float8::int;
SELECT '-Infinity'::float8::smallint;
SELECT 1e19::float8::bigint;
SELECT round(2147483647.7::float8)::int;
SELECT ARRAY[1.5, 2.5]::float8[]::int[];
