# Superset through SQLAlchemy and psycopg2: connection test, schemas, tables.
select pg_catalog.version();
select current_schema();
show transaction isolation level;
show standard_conforming_strings;
SELECT 1;
set search_path = "public";
SELECT nspname FROM pg_namespace WHERE nspname NOT LIKE 'pg_%' ORDER BY nspname;
SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'public' AND c.relkind in ('r', 'p');
SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'public' AND c.relkind IN ('v', 'm');
SELECT datname FROM pg_database WHERE datistemplate = false AND datname = 'onto';
select relname from pg_class c join pg_namespace n on n.oid=c.relnamespace where pg_catalog.pg_table_is_visible(c.oid) and relname='item';
SELECT c.oid FROM pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
	WHERE (n.nspname = 'public') AND c.relname = 'item' AND c.relkind in ('r', 'v', 'm', 'f', 'p');
