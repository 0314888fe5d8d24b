# Laravel: what its schema builder asks.
SET CONSTRAINTS ALL DEFERRED;
SET CONSTRAINTS ALL IMMEDIATE;
BEGIN;
SET CONSTRAINTS ALL DEFERRED;
SELECT nope;
SET CONSTRAINTS ALL IMMEDIATE;
ROLLBACK;
select * from information_schema.tables where table_catalog = 'onto' and table_schema = 'public' and table_name = 'item' and table_type = 'BASE TABLE';
select column_name from information_schema.columns where table_catalog = 'onto' and table_schema = 'public' and table_name = 'item';
select tablename from pg_catalog.pg_tables where schemaname in ('public');
SELECT a.attnum, quote_ident(a.attname) AS field, t.typname AS type, format_type(a.atttypid, a.atttypmod) AS complete_type,
	(SELECT t1.typname FROM pg_catalog.pg_type t1 WHERE t1.oid = t.typbasetype) AS domain_type,
	(SELECT format_type(t2.typbasetype, t2.typtypmod) FROM pg_catalog.pg_type t2 WHERE t2.typtype = 'd' AND t2.oid = a.atttypid) AS domain_complete_type,
	a.attnotnull AS isnotnull,
	(SELECT 't' FROM pg_index WHERE c.oid = pg_index.indrelid AND pg_index.indkey[0] = a.attnum AND pg_index.indisprimary = 't') AS pri,
	(SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE c.oid = pg_attrdef.adrelid AND pg_attrdef.adnum=a.attnum) AS default,
	(SELECT pg_description.description FROM pg_description WHERE pg_description.objoid = c.oid AND a.attnum = pg_description.objsubid) AS comment
	FROM pg_attribute a, pg_class c, pg_type t, pg_namespace n
	WHERE n.nspname = 'public' AND c.relname = 'item' AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
	AND a.attnum > 0 AND a.attrelid = c.oid AND a.atttypid = t.oid AND n.oid = c.relnamespace ORDER BY a.attnum;
