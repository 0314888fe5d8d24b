# Explores: dates in the user's zone, symmetric aggregates, derived tables.
SELECT (DATE(item.added AT TIME ZONE 'UTC')) AS "item.added_date", COUNT(*) AS "item.count"
	FROM public.item AS item GROUP BY (DATE(item.added AT TIME ZONE 'UTC'))
	ORDER BY 1 DESC FETCH NEXT 500 ROWS ONLY;
SELECT (TO_CHAR(DATE_TRUNC('month', item.added AT TIME ZONE 'America/Los_Angeles'), 'YYYY-MM')) AS "item.added_month", COALESCE(SUM(item.stock), 0) AS
	"item.total" FROM public.item AS item WHERE ((( item.added ) >= ((SELECT (DATE_TRUNC('month', DATE_TRUNC('day', TIMESTAMPTZ '2024-03-15 12:00:00+00' AT
				TIME ZONE 'UTC')) + (-2 || ' month')::INTERVAL)) AT TIME ZONE 'UTC') AND ( item.added ) < ((SELECT ((DATE_TRUNC('month', DATE_TRUNC('day', TIMESTAMPTZ
				'2024-03-15 12:00:00+00' AT TIME ZONE 'UTC')) + (-2 || ' month')::INTERVAL) + (3 || ' month')::INTERVAL)) AT TIME ZONE 'UTC')))
	GROUP BY 1 ORDER BY 1 DESC FETCH NEXT 500 ROWS ONLY;
SELECT item.title AS "item.title", AVG(item.price ) AS "item.average_price", COUNT(DISTINCT item.sku ) AS "item.skus"
	FROM public.item AS item LEFT JOIN public.stands AS stands ON stands.left_key = item.sku
	GROUP BY 1 HAVING COUNT(DISTINCT item.sku ) > 0
	ORDER BY 3 DESC, 1 LIMIT 500;
SELECT CASE WHEN item.sold THEN 'Yes' ELSE 'No' END AS "item.sold", COUNT(*) AS "item.count"
	FROM public.item AS item GROUP BY 1 ORDER BY 2 DESC, 1
	LIMIT 500;
SELECT ('x' || MD5(item.sku::varchar))::bit(64)::bigint AS hi, ('x' || SUBSTR(MD5(item.sku::varchar),17))::bit(64)::bigint AS lo
	FROM item ORDER BY sku;
SELECT COALESCE(COALESCE(CAST( ( SUM(DISTINCT (CAST(FLOOR(COALESCE(item.stock ,0)*(1000000*1.0)) AS DECIMAL(65,0))) + ('x' || MD5(item.sku ::varchar))::bit(64)::bigint::DECIMAL(65)
				*18446744073709551616 + ('x' || SUBSTR(MD5(item.sku ::varchar),17))::bit(64)::bigint::DECIMAL(65) ) - SUM(DISTINCT ('x' || MD5(item.sku ::varchar))::bit(64)::bigint::DECIMAL(65)
				*18446744073709551616 + ('x' || SUBSTR(MD5(item.sku ::varchar),17))::bit(64)::bigint::DECIMAL(65)) ) AS DOUBLE PRECISION) / CAST((1000000*1.0) AS DOUBLE
				PRECISION), 0), 0) AS "item.total_stock"
	FROM item LEFT JOIN stands ON stands.left_key = item.sku;
WITH sums AS (SELECT left_key, SUM(places) AS places
		FROM public.stands GROUP BY 1) SELECT item.title AS "item.title", sums.places AS "sums.places"
	FROM public.item AS item LEFT JOIN sums ON item.sku = sums.left_key
	ORDER BY 1, 2 LIMIT 500;
SELECT z___rank AS r, title FROM (SELECT *, RANK() OVER (ORDER BY stock DESC NULLS LAST, sku) AS z___rank
		FROM (SELECT sku, title, stock FROM item) ww) aa
	WHERE z___rank <= 3 ORDER BY 1;
SELECT COUNT(*) FROM item WHERE title LIKE '%' || 'vi' || '%' ESCAPE '^';
SELECT MD5('a'), 'x'::varchar, B'101'::bit(3), 5::bit(8), x'1F'::bit(8)::int;
