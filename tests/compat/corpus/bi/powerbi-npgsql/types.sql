# Npgsql at the first connection: one string of four statements, and its forerunners.
SELECT version();
SELECT ns.nspname, t.oid, t.typname, t.typtype, t.typnotnull, t.elemtypoid
	FROM ( SELECT typ.oid, typ.typnamespace, typ.typname, typ.typtype, typ.typrelid, typ.typnotnull, typ.relkind, elemtyp.oid AS elemtypoid, elemtyp.typname
		AS elemtypname, elemcls.relkind AS elemrelkind, CASE WHEN elemproc.proname='array_recv' THEN 'a' ELSE elemtyp.typtype END AS elemtyptype
		FROM ( SELECT typ.oid, typnamespace, typname, typrelid, typnotnull, relkind, typelem AS elemoid, CASE WHEN proc.proname='array_recv' THEN 'a' ELSE typ.typtype
			END AS typtype, CASE WHEN proc.proname='array_recv' THEN typ.typelem WHEN typ.typtype='r' THEN rngsubtype WHEN typ.typtype='m' THEN (SELECT rngtypid
				FROM pg_range WHERE rngmultitypid = typ.oid) WHEN typ.typtype='d' THEN typ.typbasetype END AS elemtypoid
			FROM pg_type AS typ LEFT JOIN pg_class AS cls ON (cls.oid = typ.typrelid)
			LEFT JOIN pg_proc AS proc ON proc.oid = typ.typreceive
			LEFT JOIN pg_range ON (pg_range.rngtypid = typ.oid) ) AS typ
		LEFT JOIN pg_type AS elemtyp ON elemtyp.oid = elemtypoid
		LEFT JOIN pg_class AS elemcls ON (elemcls.oid = elemtyp.typrelid)
		LEFT JOIN pg_proc AS elemproc ON elemproc.oid = elemtyp.typreceive ) AS t
	JOIN pg_namespace AS ns ON (ns.oid = typnamespace)
	WHERE typtype IN ('b', 'r', 'm', 'e', 'd') OR (typtype = 'c' AND relkind='c') OR (typtype = 'p' AND typname IN ('record', 'void', 'unknown')) OR (typtype
		= 'a' AND ( elemtyptype IN ('b', 'r', 'm', 'e', 'd') OR (elemtyptype = 'p' AND elemtypname IN ('record', 'void')) OR (elemtyptype = 'c' AND elemrelkind='c')
		)) ORDER BY CASE WHEN typtype IN ('b', 'e', 'p') THEN 0 WHEN typtype = 'r' THEN 1 WHEN typtype = 'm' THEN 2 WHEN typtype = 'c' THEN 3 WHEN typtype =
	'd' AND elemtyptype <> 'a' THEN 4 WHEN typtype = 'a' THEN 5 WHEN typtype = 'd' AND elemtyptype = 'a' THEN 6 END, t.oid;
-- Load field definitions for (free-standing) composite types
SELECT typ.oid, att.attname, att.atttypid
	FROM pg_type AS typ JOIN pg_namespace AS ns ON (ns.oid = typ.typnamespace)
	JOIN pg_class AS cls ON (cls.oid = typ.typrelid)
	JOIN pg_attribute AS att ON (att.attrelid = typ.typrelid)
	WHERE (typ.typtype = 'c' AND cls.relkind='c') AND attnum > 0 AND NOT attisdropped
	ORDER BY typ.oid, att.attnum;
-- Load enum fields
SELECT pg_type.oid, enumlabel FROM pg_enum JOIN pg_type ON pg_type.oid=enumtypid ORDER BY oid, enumsortorder;
SELECT count(*) FROM pg_range; SELECT oid FROM pg_enum; SELECT 'third' AS n;
/*** Load all supported types ***/
SELECT ns.nspname, a.typname, a.oid, a.typbasetype, CASE WHEN pg_proc.proname='array_recv' THEN 'a' ELSE a.typtype END AS type, CASE WHEN pg_proc.proname='array_recv'
	THEN a.typelem WHEN a.typtype='r' THEN rngsubtype ELSE 0 END AS elemoid, CASE WHEN pg_proc.proname IN ('array_recv','oidvectorrecv') THEN 3 WHEN a.typtype='r'
	THEN 2 WHEN a.typtype='d' THEN 1 ELSE 0 END AS ord
	FROM pg_type AS a JOIN pg_namespace AS ns ON (ns.oid = a.typnamespace)
	JOIN pg_proc ON pg_proc.oid = a.typreceive
	LEFT OUTER JOIN pg_class AS cls ON (cls.oid = a.typrelid)
	LEFT OUTER JOIN pg_type AS b ON (b.oid = a.typelem)
	LEFT OUTER JOIN pg_class AS elemcls ON (elemcls.oid = b.typrelid)
	LEFT OUTER JOIN pg_range ON (pg_range.rngtypid = a.oid)
	WHERE a.typtype IN ('b', 'r', 'e', 'd') OR (a.typtype = 'c' AND cls.relkind='c') OR (pg_proc.proname='array_recv' AND ( b.typtype IN ('b', 'r', 'e', 'd')
			OR (b.typtype = 'p' AND b.typname IN ('record', 'void')) OR (b.typtype = 'c' AND elemcls.relkind='c') )) OR (a.typtype = 'p' AND a.typname IN ('record',
			'void')) ORDER BY ord, a.typname;
DISCARD ALL;
SELECT 1;
