-- what TestRandomStatements found, reduced
-- functions of windows, within each other and in frames
SELECT sum(row_number() OVER ()) OVER () FROM product;
SELECT row_number() OVER (ORDER BY row_number() OVER ()) FROM product;
SELECT sum(count(*)) OVER (), sum(sum(stock)) OVER (ORDER BY category) FROM product GROUP BY category ORDER BY category;
SELECT id, sum(id) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND 1 PRECEDING) FROM product;
SELECT id, sum(id) OVER (ORDER BY id ROWS BETWEEN 1 FOLLOWING AND 1 PRECEDING) FROM product;
SELECT id, sum(id) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED FOLLOWING AND CURRENT ROW) FROM product;
SELECT id, sum(id) OVER (ORDER BY id, name RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM product;
SELECT id, sum(id) OVER (ORDER BY name RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM product;
SELECT id, sum(id) OVER (RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM product;
SELECT id, sum(id) OVER (GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM product;
SELECT id, sum(id) OVER (ORDER BY launched RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM product;
SELECT id, sum(id) OVER (ORDER BY id RANGE BETWEEN '1 day' PRECEDING AND CURRENT ROW) FROM product;
SELECT id, sum(id) OVER (ORDER BY id RANGE BETWEEN '1' PRECEDING AND CURRENT ROW) FROM product ORDER BY id;
SELECT id, sum(id) OVER (ORDER BY id RANGE BETWEEN -1 PRECEDING AND CURRENT ROW) FROM product;
SELECT id, sum(id) OVER (ORDER BY launched RANGE BETWEEN '-1 day' PRECEDING AND CURRENT ROW) FROM product;
SELECT id, sum(id) OVER (ORDER BY id RANGE BETWEEN 1.5 PRECEDING AND CURRENT ROW) FROM product;
SELECT id, sum(id) OVER (ORDER BY price RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM product ORDER BY id;
-- aggregates of distinct values that are computed, or constant
SELECT array_agg(DISTINCT launched - date '2024-01-01'), array_agg(DISTINCT stock % 3 ORDER BY stock % 3 DESC) FROM product;
SELECT string_agg(DISTINCT 'x', ','), array_agg(DISTINCT 7), array_agg(DISTINCT NULL::int) FROM product;
SELECT string_agg(DISTINCT tier, ','), string_agg(DISTINCT tier, ',' ORDER BY tier DESC), json_agg(DISTINCT tier), jsonb_agg(DISTINCT age % 3 ORDER BY age % 3 DESC NULLS LAST) FROM customer;
SELECT string_agg(DISTINCT tier, NULL), string_agg(DISTINCT tier, ',') FILTER (WHERE tier IS NULL), array_agg(DISTINCT tier) FILTER (WHERE false) FROM customer;
SELECT active, array_agg(DISTINCT tier) FILTER (WHERE id > 'c2'), array_agg(DISTINCT balance ORDER BY balance DESC) FROM customer GROUP BY active ORDER BY active;
SELECT json_agg(ARRAY[1,2]), jsonb_agg(ARRAY[1,2]), json_agg(id ORDER BY id) FROM product WHERE id < 3;
-- constants to sort by
SELECT id FROM product ORDER BY 'x'::text, id;
SELECT id FROM product ORDER BY NULL, id;
SELECT DISTINCT ON ('x'::text) 'k' FROM product;
SELECT string_agg(name, ',' ORDER BY 'x'::text, name), array_agg(7 ORDER BY 1), array_agg(name ORDER BY 'k', name) FROM product;
-- queries in the condition of an outer join
SELECT count(*) FROM customer t LEFT JOIN product u ON (SELECT max(stock) FROM product) > 5;
SELECT t.id, u.id FROM customer t LEFT JOIN product u ON EXISTS (SELECT 1 FROM product p WHERE p.stock > t.age) ORDER BY 1, 2;
SELECT t.id, u.id FROM customer t LEFT JOIN product u ON u.id IN (SELECT right_key FROM subscription s WHERE s.left_key = t.id) ORDER BY 1, 2;
SELECT t.id, u.id FROM customer t RIGHT JOIN product u ON EXISTS (SELECT 1 FROM product p WHERE p.stock > t.age AND p.id = u.id) ORDER BY 1, 2;
SELECT t.id, u.id, v.id FROM customer t LEFT JOIN product u ON u.id = (SELECT 1) LEFT JOIN product v ON v.id IN (SELECT 2 WHERE t.active) ORDER BY 1, 2;
-- the column of USING has the type of both
SELECT k FROM (SELECT 1 AS k) a FULL JOIN (SELECT 2::bigint AS k) b USING (k) ORDER BY 1;
SELECT k, a.k, b.k FROM (SELECT 1 AS k) a LEFT JOIN (SELECT 2.5 AS k) b USING (k) ORDER BY 1;
SELECT k, a.k, b.k FROM (SELECT 1 AS k) a RIGHT JOIN (SELECT 2.5 AS k) b USING (k) ORDER BY 1;
SELECT * FROM (SELECT 1 AS k) a NATURAL JOIN (SELECT 1::numeric AS k) b;
-- GROUPING, and constants in sets of groups
SELECT tier AS g, grouping(active) FROM customer GROUP BY ROLLUP (1);
SELECT grouping(id) FROM product;
SELECT grouping(active, tier), grouping(upper(tier)) FROM customer GROUP BY ROLLUP (active, tier, upper(tier)) ORDER BY 1, 2;
SELECT count(*), array_agg(c ORDER BY c), array_agg(d ORDER BY d) FROM (SELECT 7 AS c, 'x' AS d, tier, count(*) FROM customer GROUP BY ROLLUP (1, 2, 3)) AS q;
SELECT count(*), array_agg(c ORDER BY c) FROM (SELECT 1 + 1 AS c, tier FROM customer GROUP BY CUBE (1, 2)) AS q;
-- lambdas of the engine behind HAVING
SELECT category FROM product GROUP BY category HAVING 1 = ANY (array_remove(array_agg(id), 2)) ORDER BY 1;
SELECT count(*) FROM product HAVING percentile_cont(0.5) WITHIN GROUP (ORDER BY id) > 2;
SELECT count(*) FROM product HAVING array_position(array_agg(id ORDER BY id), 2) > 0 AND array_replace(array_agg(id), 1, 2) IS NOT NULL;
-- LIMIT of a query with columns of its own
SELECT id FROM product ORDER BY id LIMIT (SELECT count(*) FROM customer WHERE active) OFFSET (SELECT 1);
-- an operator before a query
SELECT -(SELECT 1), ~(SELECT 1), -(SELECT count(*) FROM product), 3 - (SELECT 1);
-- gcd is an integer, and may be added to a date
SELECT date '2024-01-01' + gcd(4, 6), date '2024-01-01' + (gcd(4, 6) % 1000)::int;
-- arrays are compared with those of their type
SELECT ARRAY[1] = ARRAY[1::bigint];
SELECT ARRAY[1] && ARRAY[1::bigint];
SELECT ARRAY['a'::text] < ARRAY['a'::char(3)];
SELECT ARRAY[1] || ARRAY[1::bigint], ARRAY[1] || 2::bigint, array_append(ARRAY[1], 2::bigint), array_remove(ARRAY[1], 1::bigint), array_position(ARRAY[1], 1::bigint), ARRAY[1] < '{2}';
-- operators and functions of nothing that has a type
SELECT '1' + '2';
SELECT '{}' -> 'a';
SELECT '{}' @> '{}';
SELECT '1' << '2';
SELECT - '1';
SELECT NULL + NULL;
SELECT date '2024-01-01' + '5';
SELECT date '2024-01-01' - '2023-01-01', timestamp '2024-01-01' + '1 day', interval '1 day' * '2', 1 + '2', '2' ^ '3', 'a' || 'b', '{"a":1}' ? 'a';
SELECT mod('5', '3');
SELECT date_trunc('month', NULL);
SELECT extract(year FROM NULL);
SELECT sum('1');
SELECT array_agg('x');
SELECT unnest('{1,2}');
SELECT json_agg('x');
SELECT to_jsonb('x');
SELECT array_length('{1}', 1);
SELECT first_value('x') OVER ();
SELECT mode() WITHIN GROUP (ORDER BY 'x');
SELECT max('x'), count('x'), string_agg('x', ','), bool_and('t'), array_append('{1}', '2'), lag(1, 1, '5') OVER (), concat('x', NULL), sqrt('4');
-- casts from and to "char", and what cannot be converted
SELECT 97::"char", 'y'::"char"::int, ''::"char"::int, 'y'::"char"::text, 'x'::name::"char";
SELECT 200::"char";
SELECT true::"char";
SELECT 'x'::"char"::bigint;
SELECT greatest(date '2024-01-01', time '10:00');
SELECT ARRAY[1e10, 5::oid];
SELECT CASE WHEN true THEN 300::bigint ELSE timestamp '2024-02-29' END;
SELECT true UNION SELECT 300::bigint ORDER BY 1;
SELECT NULL UNION SELECT NULL UNION SELECT 1 * 2 ORDER BY 1;
SELECT nullif('abc'::varchar(2), 'x'), nullif('ab'::char(4), 'x') || '|';
-- an expression is over the input, where the name of an output has two columns
SELECT t.id FROM customer t JOIN customer u ON t.id = u.id ORDER BY id COLLATE "C";
SELECT t.id FROM customer t JOIN customer u ON t.id = u.id ORDER BY id;
SELECT upper(name) AS name FROM customer ORDER BY name COLLATE "C";
