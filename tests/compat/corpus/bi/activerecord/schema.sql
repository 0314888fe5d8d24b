# ActiveRecord: the session, and what it reads of a table for its models and schema.rb.
SET client_min_messages TO 'warning';
SET standard_conforming_strings = on;
SET intervalstyle = iso_8601;
SET SESSION timezone TO 'UTC';
DROP TABLE IF EXISTS "gadget";
ALTER TABLE IF EXISTS "gadget" ADD COLUMN x bigint;
COMMIT;
SET client_min_messages TO 'error';
COMMIT;
SET client_min_messages TO DEFAULT;
DROP TABLE IF EXISTS "gadget";
COMMIT;
SELECT c.relname FROM pg_class c LEFT JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = ANY (current_schemas(false)) AND c.relkind IN ('r','v','m','p','f');
SELECT a.attname, format_type(a.atttypid, a.atttypmod),
		pg_get_expr(d.adbin, d.adrelid), a.attnotnull, a.atttypid, a.atttypmod,
		c.collname, col_description(a.attrelid, a.attnum) AS comment
	FROM pg_attribute a
	LEFT JOIN pg_attrdef d ON a.attrelid = d.adrelid AND a.attnum = d.adnum
	LEFT JOIN pg_type t ON a.atttypid = t.oid
	LEFT JOIN pg_collation c ON a.attcollation = c.oid AND a.attcollation <> t.typcollation
	WHERE a.attrelid = '"item"'::regclass
	AND a.attnum > 0 AND NOT a.attisdropped
	ORDER BY a.attnum;
SELECT distinct i.relname, d.indisunique, d.indkey, pg_get_indexdef(d.indexrelid), t.oid,
		pg_catalog.obj_description(i.oid, 'pg_class') AS comment
	FROM pg_class t
	INNER JOIN pg_index d ON t.oid = d.indrelid
	INNER JOIN pg_class i ON d.indexrelid = i.oid
	LEFT JOIN pg_namespace n ON n.oid = i.relnamespace
	WHERE i.relkind IN ('i', 'I')
	AND d.indisprimary = 'f'
	AND t.relname = 'item'
	AND n.nspname = ANY (current_schemas(false))
	ORDER BY i.relname;
SELECT a.attname
	FROM (
		SELECT indrelid, indkey, generate_subscripts(indkey, 1) idx
		FROM pg_index
		WHERE indrelid = '"item"'::regclass
		AND indisprimary
	) i
	JOIN pg_attribute a
	ON a.attrelid = i.indrelid
	AND a.attnum = i.indkey[i.idx]
	ORDER BY i.idx;
SELECT conname, pg_get_constraintdef(c.oid) AS constraintdef, c.convalidated AS valid
	FROM pg_constraint c
	JOIN pg_class t ON c.conrelid = t.oid
	WHERE c.contype = 'c'
	AND t.relname = 'item';
SELECT attr.attname, nsp.nspname, seq.relname
	FROM pg_class seq, pg_attribute attr, pg_depend dep, pg_constraint cons, pg_namespace nsp
	WHERE seq.oid = dep.objid
	AND seq.relkind = 'S'
	AND attr.attrelid = dep.refobjid
	AND attr.attnum = dep.refobjsubid
	AND attr.attrelid = cons.conrelid
	AND attr.attnum = cons.conkey[1]
	AND seq.relnamespace = nsp.oid
	AND cons.contype = 'p'
	AND dep.classid = 'pg_class'::regclass
	AND dep.refobjid = '"item"'::regclass;
SELECT attr.attname, nsp.nspname,
		CASE
		WHEN pg_get_expr(def.adbin, def.adrelid) !~* 'nextval' THEN NULL
		WHEN split_part(pg_get_expr(def.adbin, def.adrelid), '''', 2) ~ '.' THEN
			substr(split_part(pg_get_expr(def.adbin, def.adrelid), '''', 2),
				strpos(split_part(pg_get_expr(def.adbin, def.adrelid), '''', 2), '.')+1)
		ELSE split_part(pg_get_expr(def.adbin, def.adrelid), '''', 2)
		END
	FROM pg_class t
	JOIN pg_attribute attr ON (t.oid = attrelid)
	JOIN pg_attrdef def ON (adrelid = attrelid AND adnum = attnum)
	JOIN pg_constraint cons ON (conrelid = adrelid AND adnum = conkey[1])
	JOIN pg_namespace nsp ON (t.relnamespace = nsp.oid)
	WHERE t.oid = '"item"'::regclass
	AND cons.contype = 'p'
	AND pg_get_expr(def.adbin, def.adrelid) ~* 'nextval|uuid_generate';
SELECT pg_get_serial_sequence('item', 'sku');
