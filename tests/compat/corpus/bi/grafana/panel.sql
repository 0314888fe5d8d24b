# What the macros of a panel are expanded to.
SELECT floor(extract(epoch from added)/3600)*3600 AS "time", avg(weight) AS "value"
	FROM item WHERE added BETWEEN '2024-01-01T00:00:00Z' AND '2025-01-01T00:00:00Z'
	GROUP BY 1 ORDER BY 1;
SELECT floor(extract(epoch from added)/3600)*3600 AS time, title AS metric, count(*) AS "value"
	FROM item WHERE added BETWEEN '2024-01-01T00:00:00Z' AND '2025-01-01T00:00:00Z'
	GROUP BY 1, title ORDER BY 1, 2;
SELECT added AS "time", stock FROM item WHERE extract(epoch from added) >= 1704067200 AND extract(epoch from added) <= 1735689600 ORDER BY 1;
SELECT day::timestamptz AS "time", sum(stock) AS stock FROM item WHERE day >= '2024-01-01' GROUP BY 1 ORDER BY 1;
SELECT extract(epoch from added)::bigint*1000 AS "time", price AS "value" FROM item WHERE added IS NOT NULL ORDER BY 1;
SELECT added AS "time", lag(weight) OVER (ORDER BY added) AS before, weight - lag(weight) OVER (ORDER BY added) AS delta
	FROM item WHERE added IS NOT NULL ORDER BY added;
SELECT title AS __text, sku::text AS __value FROM item ORDER BY sku;
SELECT date_trunc('day', added) AS "time", count(*) FILTER (WHERE sold) AS sold, count(*) FILTER (WHERE NOT sold) AS unsold
	FROM item GROUP BY 1 ORDER BY 1;
SELECT generate_series('2024-02-27T00:00:00Z'::timestamptz, '2024-03-02T00:00:00Z'::timestamptz, '1d') AS "time", 0 AS "value" ORDER BY 1;
SELECT i.title, sum(s.places) AS places FROM item i JOIN stands s ON s.left_key = i.sku GROUP BY i.title ORDER BY places DESC, i.title LIMIT 5;
