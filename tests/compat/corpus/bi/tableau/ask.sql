# What Tableau tries when it connects, and its questions by cursor.
SELECT 1;
SET client_encoding TO 'UTF8';
SET DateStyle = 'ISO';
SET client_min_messages TO 'warning';
SET TimeZone = 'UTC';
SET standard_conforming_strings = on;
SELECT "item"."title" AS "title" FROM "public"."item" "item" GROUP BY 1 ORDER BY 1;
SELECT "item"."title" AS "title", SUM("item"."stock") AS "sum:stock:ok" FROM "public"."item" "item" GROUP BY 1 HAVING (COUNT(1) > 0) ORDER BY 1;
BEGIN;declare "SQL_CUR7F1C" cursor with hold for SELECT "item"."sku" AS "sku", "item"."title" AS "title"
	FROM "public"."item" "item" ORDER BY 1 LIMIT 1000;fetch 2 in "SQL_CUR7F1C";
fetch 2 in "SQL_CUR7F1C";
COMMIT;
fetch 100 in "SQL_CUR7F1C";
close "SQL_CUR7F1C";
BEGIN;declare "SQL_CUR7F1C" cursor with hold for SELECT SUM(1) AS "cnt" FROM "public"."stands" "stands" HAVING COUNT(1) > 0;fetch 100 in "SQL_CUR7F1C";
close "SQL_CUR7F1C";commit;
BEGIN;
SAVEPOINT _EXEC_SVP_7F1C;declare "SQL_CUR7F1C" cursor with hold for select count(*) from item;fetch 2 in "SQL_CUR7F1C";
close "SQL_CUR7F1C";
RELEASE _EXEC_SVP_7F1C;
COMMIT;
SELECT CAST(DATE_TRUNC('YEAR', "item"."added") AS DATE) AS "yr:added:ok", COUNT(DISTINCT "item"."title") AS "ctd:title:ok"
	FROM "public"."item" "item" GROUP BY 1 ORDER BY 1;
SELECT (CASE WHEN ("item"."stock" > 5) THEN 'high' ELSE 'low' END) AS "Calculation_1", AVG(CAST("item"."price" AS DOUBLE PRECISION)) AS "avg:price:ok"
	FROM "public"."item" "item" GROUP BY 1 ORDER BY 1;
SELECT MIN("item"."added") AS "TEMP(attr:added:qk)", MAX("item"."added") AS "TEMP(attr:added:qk)1" FROM "public"."item" "item" HAVING (COUNT(1) > 0);
SELECT "t0"."title" AS "title", "t0"."X_measure__0" AS "sum"
	FROM (SELECT "item"."title" AS "title", SUM("stands"."places") AS "X_measure__0"
		FROM "public"."item" "item" INNER JOIN "public"."stands" "stands" ON ("item"."sku" = "stands"."left_key")
		GROUP BY 1) "t0" ORDER BY 1;
SELECT COUNT(*) FROM "onto"."information_schema"."columns" WHERE "table_schema" = 'public';
SELECT "sku" FROM "onto"."public"."item" ORDER BY 1 LIMIT 1;
SELECT * FROM "other"."public"."item" LIMIT 1;
SELECT datname, dattablespace FROM pg_database WHERE datname = current_database();
SELECT "item"."sku" FROM "public"."item" "item"
	WHERE (("item"."title" >= 'A') AND ("item"."title" <= 'C')) AND (STRPOS(CAST(LOWER(CAST("item"."title" AS TEXT)) AS TEXT),CAST('v' AS TEXT)) > 0)
	ORDER BY 1;
SELECT DATE_PART('year', "item"."day")::INTEGER AS y, TRUNC(EXTRACT(EPOCH
			FROM ("item"."day"::timestamp - TIMESTAMP '2024-01-01 00:00:00')) / 86400)::bigint AS d
	FROM item WHERE day IS NOT NULL ORDER BY sku;
