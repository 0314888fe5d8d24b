# SQL Lab and charts.
SELECT sku AS sku, title AS title, price AS price FROM public.item ORDER BY sku LIMIT 1001;
SELECT * FROM (SELECT * FROM item ORDER BY sku) AS inner_qry ORDER BY sku LIMIT 100;
SELECT DATE_TRUNC('day', added) AS __timestamp, COUNT(*) AS count
	FROM public.item WHERE added >= TO_TIMESTAMP('2024-01-01 00:00:00.000000', 'YYYY-MM-DD HH24:MI:SS.US') AND added < TO_TIMESTAMP('2025-01-01 00:00:00.000000',
		'YYYY-MM-DD HH24:MI:SS.US') GROUP BY DATE_TRUNC('day', added)
	ORDER BY count DESC, __timestamp LIMIT 10000;
SELECT DATE_TRUNC('quarter', day) AS day, title AS title, SUM(stock) AS "SUM(stock)"
	FROM public.item JOIN (SELECT title AS title__, SUM(stock) AS mme_inner__
		FROM public.item GROUP BY title ORDER BY mme_inner__ DESC NULLS LAST, title__
		LIMIT 5) AS series_limit ON title = title__
	GROUP BY DATE_TRUNC('quarter', day), title
	ORDER BY "SUM(stock)" DESC NULLS LAST, title
	LIMIT 10000;
SELECT title AS title, AVG(price) AS "AVG(price)", COUNT(DISTINCT sku) AS "COUNT_DISTINCT(sku)"
	FROM public.item WHERE title IN ('Anvil', 'Bolt')
	GROUP BY title ORDER BY title LIMIT 1000;
SELECT COUNT(*) AS rowcount FROM (SELECT title AS title FROM public.item GROUP BY title LIMIT 50000) AS rowcount_qry;
SELECT MIN(added), MAX(added) FROM item;
# differs: EXPLAIN shows files and commits instead of costs.
EXPLAIN SELECT * FROM item;
SELECT DATE_TRUNC('week', DATE_TRUNC('day', added) + INTERVAL '1 day') + INTERVAL '-1 day' AS week, count(*) FROM item GROUP BY 1 ORDER BY 1;
SELECT sold AS sold, sum(price) FILTER (WHERE stock > 1) AS m FROM item GROUP BY sold HAVING count(*) > 0 ORDER BY sold;
SELECT title, percentile_cont(0.9) WITHIN GROUP (ORDER BY weight) AS p90
	FROM item WHERE weight IS NOT NULL AND weight < 1e10
	GROUP BY title ORDER BY title;
