# View/Edit Data and the query tool.
SELECT at.attname, at.attnum, ty.typname
	FROM pg_catalog.pg_attribute at LEFT JOIN pg_catalog.pg_type ty ON (ty.oid = at.atttypid)
	JOIN pg_catalog.pg_class cl ON cl.oid = at.attrelid
	WHERE at.attrelid={stands}::oid AND at.attnum = ANY ( (SELECT con.conkey
			FROM pg_catalog.pg_class rel LEFT OUTER JOIN pg_catalog.pg_constraint con ON con.conrelid=rel.oid AND con.contype='p'
			WHERE rel.relkind IN ('r','s','t', 'p') AND rel.oid = {stands}::oid)::oid[])
	ORDER BY at.attnum;
SELECT DISTINCT ON (att.attnum) att.attname as name, att.attnum as oid, pg_catalog.format_type(ty.oid,NULL) AS datatype, att.attnotnull as not_null, att.atthasdef
	as has_default_val FROM pg_catalog.pg_attribute att
	JOIN pg_catalog.pg_type ty ON ty.oid=atttypid
	WHERE att.attrelid = {item}::oid AND att.attnum > 0 AND att.attisdropped IS FALSE
	ORDER BY att.attnum;
SELECT relname, (SELECT true FROM pg_attribute a
		WHERE a.attrelid = c.oid AND a.attname = 'oid' AND a.attnum = -2) AS has_oids
	FROM pg_catalog.pg_class c WHERE c.oid = {item}::oid;
SELECT * FROM public.item ORDER BY sku ASC;
SELECT * FROM public.stands ORDER BY left_key ASC, right_key ASC, slot ASC LIMIT 100;
SELECT oid, pg_catalog.format_type(oid, NULL) AS typname
	FROM pg_catalog.pg_type WHERE oid IN (20, 25, 16, 701, 1184, 1700, 17, 2950, 1082, 3802)
	ORDER BY oid;
SELECT n.nspname, r.relname FROM pg_catalog.pg_class r INNER JOIN pg_namespace n ON r.relnamespace = n.oid WHERE r.oid = {item};
SELECT COUNT(*) FROM (SELECT * FROM public.item) AS q;
BEGIN;
UPDATE public.item SET title = 'edited'::text WHERE sku = '1';
ROLLBACK;
SELECT * FROM shelf WHERE false;
