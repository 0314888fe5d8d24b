# DBeaver over pgjdbc: the session, then the database and its schemas.
SET extra_float_digits = 3;
SET application_name = 'PostgreSQL JDBC Driver';
SET application_name = 'DBeaver 25.1.5 - Main <onto>';
SELECT current_schema(),session_user;
SELECT n.oid,n.*,d.description FROM pg_catalog.pg_namespace n
	LEFT OUTER JOIN pg_catalog.pg_description d ON d.objoid=n.oid AND d.objsubid=0 AND d.classoid='pg_namespace'::regclass
	ORDER BY nspname;
SELECT n.nspname = ANY(current_schemas(true)), n.nspname, t.typname
	FROM pg_catalog.pg_type t JOIN pg_catalog.pg_namespace n ON t.typnamespace = n.oid
	WHERE t.oid = 1034;
SELECT typinput='pg_catalog.array_in'::regproc as is_array, typtype, typname, pg_type.oid
	FROM pg_catalog.pg_type LEFT JOIN (select ns.oid as nspoid, ns.nspname, r.r
		from pg_namespace as ns join ( select s.r, (current_schemas(false))[s.r] as nspname
			from generate_series(1, array_upper(current_schemas(false), 1)) as s(r) ) as r using ( nspname ) ) as sp ON sp.nspoid = typnamespace
	WHERE pg_type.oid = 1034 ORDER BY sp.r, pg_type.oid DESC;
SHOW search_path;
SELECT db.oid,db.* FROM pg_catalog.pg_database db WHERE datname='onto';
SELECT * FROM pg_catalog.pg_settinngs where name='standard_conforming_strings';
select * from pg_catalog.pg_settings where name='standard_conforming_strings';
SELECT string_agg(word, ',' ) from pg_catalog.pg_get_keywords()
	where word <> ALL ('{a,abs,absolute,action,ada,add,admin,after,all,allocate,alter,always,and,any,are,array,as,asc,select,table,where,with,"null"}'::text[]);
SELECT version();
SELECT * FROM pg_catalog.pg_enum WHERE 1<>1 LIMIT 1;
SELECT reltype FROM pg_catalog.pg_class WHERE 1<>1 LIMIT 1;
SELECT 1 FROM pg_catalog.pg_roles WHERE 1<>1 LIMIT 1;
SELECT t.oid,t.*,c.relkind,format_type(nullif(t.typbasetype, 0), t.typtypmod) as base_type_name, d.description
	FROM pg_catalog.pg_type t LEFT OUTER JOIN pg_catalog.pg_type et ON et.oid=t.typelem
	LEFT OUTER JOIN pg_catalog.pg_class c ON c.oid=t.typrelid
	LEFT OUTER JOIN pg_catalog.pg_description d ON t.oid=d.objoid
	WHERE t.typname IS NOT NULL AND (c.relkind IS NULL OR c.relkind = 'c') AND (et.typcategory IS NULL OR et.typcategory <> 'C')
	ORDER BY t.oid;
select "e".oid,"e".* from pg_catalog.pg_event_trigger as "e" order by "e".oid;
