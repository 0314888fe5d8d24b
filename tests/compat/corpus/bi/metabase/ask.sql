# Fingerprints, filters and questions.
SELECT "public"."item"."sku" AS "sku", "public"."item"."title" AS "title", SUBSTRING("public"."item"."title", 1, 1234) AS "substring7", "public"."item"."price"
	AS "price" FROM "public"."item" ORDER BY "public"."item"."sku"
	LIMIT 10000;
SELECT COUNT(*) AS "count" FROM "public"."item";
SELECT COUNT(DISTINCT "public"."item"."title") AS "count" FROM "public"."item";
SELECT "public"."item"."title" AS "title" FROM "public"."item" GROUP BY "public"."item"."title" ORDER BY "public"."item"."title" ASC LIMIT 1001;
SELECT "public"."item"."sku" AS "sku", "public"."item"."added" AS "added", "public"."item"."day" AS "day", "public"."item"."price" AS "price", "public"."item"."sold"
	AS "sold", "public"."item"."code" AS "code", "public"."item"."tags" AS "tags"
	FROM "public"."item" ORDER BY "public"."item"."sku"
	LIMIT 2000;
SELECT DATE_TRUNC('month', "public"."item"."added") AS "added", COUNT(*) AS "count"
	FROM "public"."item" GROUP BY DATE_TRUNC('month', "public"."item"."added")
	ORDER BY DATE_TRUNC('month', "public"."item"."added") ASC;
SELECT CAST(DATE_TRUNC('month', "public"."item"."day") AS date) AS "day", SUM("public"."item"."stock") AS "sum"
	FROM "public"."item" GROUP BY CAST(DATE_TRUNC('month', "public"."item"."day") AS date)
	ORDER BY CAST(DATE_TRUNC('month', "public"."item"."day") AS date) ASC;
SELECT CAST((DATE_TRUNC('week', ("public"."item"."day" + INTERVAL '1 day')) + INTERVAL '-1 day') AS date) AS "day", COUNT(*) AS "count"
	FROM "public"."item" GROUP BY CAST((DATE_TRUNC('week', ("public"."item"."day" + INTERVAL '1 day')) + INTERVAL '-1 day') AS date)
	ORDER BY 1 ASC;
SELECT CAST(EXTRACT(dow FROM "public"."item"."added") AS integer) + 1 AS "dow", COUNT(*) AS "count"
	FROM "public"."item" GROUP BY CAST(EXTRACT(dow
			FROM "public"."item"."added") AS integer) + 1
	ORDER BY 1 ASC;
SELECT CAST("public"."item"."added" AS date) AS "added", AVG("public"."item"."weight") AS "avg"
	FROM "public"."item" WHERE "public"."item"."added" >= DATE_TRUNC('day', TIMESTAMP
		WITH TIME ZONE '2024-01-01 00:00Z') AND "public"."item"."added" < DATE_TRUNC('day', TIMESTAMP
		WITH TIME ZONE '2025-01-01 00:00Z') GROUP BY CAST("public"."item"."added" AS date)
	ORDER BY CAST("public"."item"."added" AS date) ASC;
SELECT "source"."height" AS "height", SUM("source"."places") AS "sum"
	FROM (SELECT "public"."stands"."left_key" AS "left_key", "public"."stands"."places" AS "places", "Shelf"."height" AS "height"
		FROM "public"."stands" LEFT JOIN "public"."shelf" AS "Shelf" ON "public"."stands"."right_key" = "Shelf"."name") AS "source"
	GROUP BY "source"."height" ORDER BY "sum" DESC, "source"."height" ASC;
SELECT FLOOR((("public"."item"."price" - 0.0) / 5.0)) * 5.0 + 0.0 AS "price", COUNT(*) AS "count"
	FROM "public"."item" WHERE "public"."item"."price" IS NOT NULL
	GROUP BY FLOOR((("public"."item"."price" - 0.0) / 5.0)) * 5.0 + 0.0
	ORDER BY 1 ASC;
SELECT MIN("public"."item"."price") AS "min", MAX("public"."item"."price") AS "max" FROM "public"."item";
SELECT "public"."item"."sku" AS "sku" FROM "public"."item"
	WHERE (LOWER("public"."item"."title") LIKE '%an%') OR ("public"."item"."title" IS NULL)
	ORDER BY "public"."item"."sku" ASC LIMIT 100;
SELECT COUNT(*) AS "count", SUM(CASE WHEN "public"."item"."sold" = TRUE THEN 1 ELSE 0.0 END) AS "count-where", PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER
		BY "public"."item"."stock") AS "median"
	FROM "public"."item";
SELECT STDDEV_POP("public"."item"."weight") AS "stddev", VAR_POP("public"."item"."weight") AS "var" FROM "public"."item";
SELECT ("public"."item"."tags"#>> array['a']::text[])::text AS "tags → a", COUNT(*) AS "count"
	FROM "public"."item" GROUP BY ("public"."item"."tags"#>> array['a']::text[])::text
	ORDER BY 1 ASC;
SELECT CASE WHEN "public"."item"."stock" > 5 THEN 'many' ELSE 'few' END AS "band", COUNT(*) AS "count"
	FROM "public"."item" GROUP BY CASE WHEN "public"."item"."stock" > 5 THEN 'many' ELSE 'few' END
	ORDER BY 1 ASC;
SELECT "source"."running" AS "running" FROM (SELECT "public"."item"."sku" AS "sku", SUM(SUM("public"."item"."stock")) OVER (ORDER BY "public"."item"."sku"
			ASC ROWS UNBOUNDED PRECEDING) AS "running"
		FROM "public"."item" GROUP BY "public"."item"."sku") AS "source"
	ORDER BY "source"."sku";
SELECT CAST(EXTRACT(year FROM AGE(DATE_TRUNC('day', "public"."item"."added"), DATE_TRUNC('day', TIMESTAMPTZ '2020-01-15 00:00Z'))) AS integer) AS "years"
	FROM "public"."item" ORDER BY "public"."item"."sku";
SELECT SPLIT_PART("public"."item"."title", 'n', 1) AS "part", SUBSTRING("public"."item"."title"
		FROM '[A-Z][a-z]') AS "match" FROM "public"."item"
	ORDER BY "public"."item"."sku";
SELECT TIMEZONE('America/New_York', "public"."item"."added") AS "local" FROM "public"."item" ORDER BY "public"."item"."sku" LIMIT 3;
SELECT TO_TIMESTAMP("public"."item"."stock") AS "t"
	FROM "public"."item" WHERE "public"."item"."stock" IS NOT NULL
	ORDER BY "public"."item"."sku" LIMIT 3;
SELECT * FROM (SELECT sku, title FROM item) AS "source" WHERE 1 <> 1 LIMIT 0;
-- Metabase:: userID: 1 queryType: native queryHash: 5f1d
SELECT * FROM shelf ORDER BY name;
