# DataGrip (and the other IDEs of JetBrains) over pgjdbc: session, server, databases.
SET extra_float_digits = 3;
SET application_name = '';
select version();
SET application_name = 'DataGrip 2025.2.3';
select current_database() as a, current_schemas(false) as b;
select current_database(), current_schema(), current_user;
select current_database(), current_catalog, current_schema(), current_user;
SHOW TRANSACTION ISOLATION LEVEL;
select round(extract(epoch from pg_postmaster_start_time() at time zone 'UTC')) > 0 as startup_time;
select L.transactionid::varchar::bigint as transaction_id
	from pg_catalog.pg_locks L where L.transactionid is not null
	order by pg_catalog.age(L.transactionid) desc
	limit 1;
select case when pg_catalog.pg_is_in_recovery() then null else (pg_catalog.txid_current() % 4294967296)::varchar::bigint end as current_txid;
# differs: pg_database lists the databases that are served. There are no template databases.
select N.oid::bigint as id, datname as name, D.description, datistemplate as is_template, datallowconn as allow_connections, pg_catalog.pg_get_userbyid(N.datdba)
	as "owner" from pg_catalog.pg_database N
	left join pg_catalog.pg_shdescription D on N.oid = D.objoid
	order by case when datname = pg_catalog.current_database() then -1::bigint else N.oid::bigint end;
select N.oid::bigint as id, N.xmin as state_number, nspname as name, D.description, pg_catalog.pg_get_userbyid(N.nspowner) as "owner"
	from pg_catalog.pg_namespace N left join pg_catalog.pg_description D on N.oid = D.objoid
	order by case when nspname = pg_catalog.current_schema() then -1::bigint else N.oid::bigint end;
select N.oid::bigint as id, nspname as name, D.description, pg_catalog.pg_get_userbyid(N.nspowner) as "owner"
	from pg_catalog.pg_namespace N left join pg_catalog.pg_description D on N.oid = D.objoid
	order by nspname;
show DateStyle;
# differs: Time zones are those of the engine, without abbreviations.
select name, is_dst from pg_catalog.pg_timezone_names union distinct select abbrev as name, is_dst from pg_catalog.pg_timezone_abbrevs;
select ssl from pg_stat_ssl where pid = pg_backend_pid();
select R.oid::bigint as role_id, rolname as role_name, rolsuper is_super, rolinherit is_inherit, rolcreaterole can_createrole, rolcreatedb can_createdb,
	rolcanlogin can_login, rolreplication is_replication, rolconnlimit conn_limit, rolvaliduntil valid_until, rolbypassrls bypass_rls, rolconfig config, D.description
	from pg_catalog.pg_roles R left join pg_catalog.pg_shdescription D on D.objoid = R.oid
	order by rolname;
select member id, roleid role_id, admin_option from pg_catalog.pg_auth_members order by id, roleid::text;
select T.oid::bigint as id, T.spcname as name, pg_catalog.pg_get_userbyid(T.spcowner) as owner, pg_catalog.pg_tablespace_location(T.oid) as location, T.spcoptions
	as options, D.description as comment from pg_catalog.pg_tablespace T
	left join pg_catalog.pg_shdescription D on D.objoid = T.oid
	order by T.oid;
select T.xmin as state_number from pg_catalog.pg_tablespace T where pg_catalog.age(T.xmin) <= -1;
select T.oid as object_id, T.spcacl as acl
	from pg_catalog.pg_tablespace T union all select T.oid as object_id, T.datacl as acl
	from pg_catalog.pg_database T where T.datname = 'onto'
	order by 1;
select E.typdelim FROM pg_catalog.pg_type t, pg_catalog.pg_type e WHERE t.oid = '1034' and t.typelem = e.oid;
SELECT e.oid, n.nspname = ANY(current_schemas(true)), n.nspname, e.typname
	FROM pg_catalog.pg_type t JOIN pg_catalog.pg_type e ON t.typelem = e.oid
	JOIN pg_catalog.pg_namespace n ON t.typnamespace = n.oid
	WHERE t.oid = '1034';
set search_path = "public";
SHOW search_path;
