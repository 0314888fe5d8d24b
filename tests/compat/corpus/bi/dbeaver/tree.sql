# The tree of a schema: tables, columns, keys, indexes, all else.
SELECT c.oid,c.*,d.description,pg_catalog.pg_get_expr(c.relpartbound, c.oid) as partition_expr, pg_catalog.pg_get_partkeydef(c.oid) as partition_key
	FROM pg_catalog.pg_class c LEFT OUTER JOIN pg_catalog.pg_description d ON d.objoid=c.oid AND d.objsubid=0 AND d.classoid='pg_class'::regclass
	WHERE c.relnamespace=2200 AND c.relkind not in ('i','I','c')
	ORDER BY c.relname;
SELECT c.oid,c.relname,c.relkind,d.description,pg_catalog.pg_get_expr(c.relpartbound, c.oid) as partition_expr, pg_catalog.pg_get_partkeydef(c.oid) as
	partition_key FROM pg_catalog.pg_class c
	LEFT OUTER JOIN pg_catalog.pg_description d ON d.objoid=c.oid AND d.objsubid=0 AND d.classoid='pg_class'::regclass
	WHERE c.relnamespace=2200 AND c.relkind not in ('i','I','c')
	ORDER BY c.relname;
select c.oid,pg_catalog.pg_total_relation_size(c.oid) as total_rel_size,pg_catalog.pg_relation_size(c.oid) as rel_size
	FROM pg_class c WHERE c.relnamespace=2200 AND c.relkind = 'r'
	ORDER BY c.relname;
SELECT c.relname,a.*,pg_catalog.pg_get_expr(ad.adbin, ad.adrelid, true) as def_value,dsc.description,dep.objid
	FROM pg_catalog.pg_attribute a INNER JOIN pg_catalog.pg_class c ON (a.attrelid=c.oid)
	LEFT OUTER JOIN pg_catalog.pg_attrdef ad ON (a.attrelid=ad.adrelid AND a.attnum = ad.adnum)
	LEFT OUTER JOIN pg_catalog.pg_description dsc ON (c.oid=dsc.objoid AND a.attnum = dsc.objsubid)
	LEFT OUTER JOIN pg_depend dep on dep.refobjid = a.attrelid AND dep.deptype = 'i' and dep.refobjsubid = a.attnum and dep.classid = dep.refclassid
	WHERE NOT a.attisdropped AND c.relkind not in ('i','I','c') AND a.attnum > 0 AND c.oid={item}
	ORDER BY a.attnum;
SELECT c.oid,c.*,t.relname as tabrelname,rt.relnamespace as refnamespace,d.description, case when c.contype='c' then "substring"(pg_get_constraintdef(c.oid),
		7) else null end consrc_copy FROM pg_catalog.pg_constraint c
	INNER JOIN pg_catalog.pg_class t ON t.oid=c.conrelid
	LEFT OUTER JOIN pg_catalog.pg_class rt ON rt.oid=c.confrelid
	LEFT OUTER JOIN pg_catalog.pg_description d ON d.objoid=c.oid AND d.objsubid=0 AND d.classoid='pg_constraint'::regclass
	WHERE c.conrelid={stands} ORDER BY c.conname;
SELECT c.oid,c.*,t.relname as tabrelname,rt.relnamespace as refnamespace,d.description
	FROM pg_catalog.pg_constraint c INNER JOIN pg_catalog.pg_class t ON t.oid=c.conrelid
	LEFT OUTER JOIN pg_catalog.pg_class rt ON rt.oid=c.confrelid
	LEFT OUTER JOIN pg_catalog.pg_description d ON d.objoid=c.oid AND d.objsubid=0 AND d.classoid='pg_constraint'::regclass
	WHERE t.relnamespace=2200 ORDER BY t.relname, c.conname;
SELECT i.*,i.indkey as keys,c.relname,c.relnamespace,c.relam,c.reltablespace,tc.relname as tabrelname,dsc.description,pg_catalog.pg_get_expr(i.indpred,
		i.indrelid) as pred_expr,pg_catalog.pg_get_expr(i.indexprs, i.indrelid, true) as expr,pg_catalog.pg_relation_size(i.indexrelid) as index_rel_size,pg_catalog.pg_stat_get_numscans(i.indexrelid)
	as index_num_scans FROM pg_catalog.pg_index i
	INNER JOIN pg_catalog.pg_class c ON c.oid=i.indexrelid
	INNER JOIN pg_catalog.pg_class tc ON tc.oid=i.indrelid
	LEFT OUTER JOIN pg_catalog.pg_description dsc ON i.indexrelid=dsc.objoid
	WHERE i.indrelid={stands} ORDER BY c.relname;
SELECT i.*,i.indkey as keys,c.relname,c.relnamespace,c.relam,c.reltablespace,tc.relname as tabrelname,dsc.description,pg_catalog.pg_get_expr(i.indexprs,
		i.indrelid, true) as expr FROM pg_catalog.pg_index i
	INNER JOIN pg_catalog.pg_class c ON c.oid=i.indexrelid
	INNER JOIN pg_catalog.pg_class tc ON tc.oid=i.indrelid
	LEFT OUTER JOIN pg_catalog.pg_description dsc ON i.indexrelid=dsc.objoid
	WHERE c.relnamespace=2200 ORDER BY tc.relname, c.relname;
SELECT pg_catalog.pg_get_indexdef({stands_pkey}) as source;
SELECT p.oid as poid,p.*,pg_catalog.pg_get_expr(p.proargdefaults, 0) as arg_defaults,d.description
	FROM pg_catalog.pg_proc p LEFT OUTER JOIN pg_catalog.pg_description d ON d.objoid=p.oid
	WHERE p.pronamespace=2200 ORDER BY p.proname;
SELECT DISTINCT dep.deptype, dep.classid, dep.objid, cl.relkind, attr.attname,pg_get_expr(ad.adbin, ad.adrelid) adefval, CASE WHEN cl.relkind IS NOT NULL
	THEN cl.relkind::text || COALESCE(dep.objsubid::text, '') WHEN tg.oid IS NOT NULL THEN 'T'::text WHEN ty.oid IS NOT NULL THEN 'y'::text WHEN ns.oid IS
	NOT NULL THEN 'n'::text WHEN pr.oid IS NOT NULL THEN 'p'::text WHEN la.oid IS NOT NULL THEN 'l'::text WHEN rw.oid IS NOT NULL THEN 'R'::text WHEN co.oid
	IS NOT NULL THEN 'C'::text || contype::text WHEN ad.oid IS NOT NULL THEN 'A'::text ELSE '' END AS type
	FROM pg_depend dep LEFT JOIN pg_class cl ON dep.objid=cl.oid
	LEFT JOIN pg_attribute attr ON dep.objid=attr.attrelid AND dep.objsubid=attr.attnum
	LEFT JOIN pg_proc pr ON dep.objid=pr.oid
	LEFT JOIN pg_trigger tg ON dep.objid=tg.oid
	LEFT JOIN pg_type ty ON dep.objid=ty.oid
	LEFT JOIN pg_constraint co ON dep.objid=co.oid
	LEFT JOIN pg_rewrite rw ON dep.objid=rw.oid
	LEFT JOIN pg_language la ON dep.objid=la.oid
	LEFT JOIN pg_namespace ns ON dep.objid=ns.oid
	LEFT JOIN pg_attrdef ad ON ad.oid=dep.objid
	WHERE dep.refobjid={shelf} AND co.contype = 'p'
	ORDER BY type;
SELECT i.*,c.relnamespace FROM pg_catalog.pg_inherits i,pg_catalog.pg_class c WHERE i.inhparent={item} AND c.oid=i.inhrelid;
SELECT x.oid,x.*,p.pronamespace as func_schema_id,d.description
	FROM pg_catalog.pg_trigger x LEFT OUTER JOIN pg_catalog.pg_proc p ON p.oid=x.tgfoid
	LEFT OUTER JOIN pg_catalog.pg_description d ON d.objoid=x.oid AND d.objsubid=0
	WHERE x.tgrelid={item} AND NOT x.tgisinternal;
SELECT r.oid,r.* FROM pg_catalog.pg_rewrite r WHERE r.ev_class={item};
SELECT t.oid,t.*,c.relkind,format_type(nullif(t.typbasetype, 0), t.typtypmod) as base_type_name, d.description
	FROM pg_catalog.pg_type t LEFT OUTER JOIN pg_catalog.pg_class c ON c.oid=t.typrelid
	LEFT OUTER JOIN pg_catalog.pg_description d ON t.oid=d.objoid
	WHERE t.typnamespace=2200 AND t.typtype <> 'c' AND t.typcategory <> 'A'
	ORDER BY t.oid;
SELECT e.oid, cfg.tbls, n.nspname as schema_name, e.*
	FROM pg_catalog.pg_extension e JOIN pg_namespace n on n.oid =e.extnamespace
	left join (select ARRAY_AGG(ns.nspname || '.' || cls.relname) tbls, oid_ext
		from (select unnest(e1.extconfig) oid , e1.oid oid_ext
			from pg_catalog.pg_extension e1) c join pg_class cls on cls.oid = c.oid
		join pg_namespace ns on ns.oid = cls.relnamespace
		group by oid_ext) cfg on cfg.oid_ext = e.oid
	ORDER BY e.oid;
SELECT a.oid,a.* FROM pg_catalog.pg_roles a ORDER BY a.rolname;
SELECT a.oid,a.*,pd.description FROM pg_catalog.pg_roles a left join pg_catalog.pg_shdescription pd on a.oid = pd.objoid WHERE a.rolname = 'tester';
SELECT t.oid, t.*, pg_tablespace_location(t.oid) loc FROM pg_catalog.pg_tablespace t ORDER BY t.oid;
SELECT l.oid,l.* FROM pg_catalog.pg_language l ORDER BY l.oid;
SELECT am.oid,am.* FROM pg_catalog.pg_am am ORDER BY am.oid;
SELECT pr.* from pg_catalog.pg_policies pr WHERE pr.schemaname='public' AND pr.tablename='item';
SELECT relname, relkind FROM pg_catalog.pg_class WHERE relkind = 'S' AND relnamespace=2200;
SELECT fs.oid,fs.* FROM pg_catalog.pg_foreign_server fs LEFT JOIN pg_foreign_data_wrapper fdw ON fs.srvfdw=fdw.oid ORDER BY fs.oid;
SELECT grantor,grantee,table_schema,table_name,privilege_type,is_grantable
	FROM information_schema.table_privileges
	WHERE table_schema='public' AND table_name='item'
	ORDER BY privilege_type;
SELECT pc.oid,pc.relname,pc.relnamespace,pc.relkind,pc.relpersistence
	FROM pg_catalog.pg_class pc WHERE pc.relkind in('r','v','m','f','p') AND LOWER(pc.relname) LIKE '%ite%' AND pc.relnamespace IN (2200)
	ORDER BY pc.relname LIMIT 100;
SELECT DISTINCT x.oid,x.attname,x.atttypid
	FROM (SELECT a.attrelid as oid, a.attname, a.atttypid
		FROM pg_catalog.pg_attribute a, pg_catalog.pg_class c
		WHERE a.attrelid=c.oid AND a.attnum>0 AND c.relkind='r' AND c.relnamespace=2200 AND LOWER(a.attname) LIKE '%key%') x
	ORDER BY attname, atttypid LIMIT 50;
