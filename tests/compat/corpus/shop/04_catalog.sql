# What clients ask the catalog for.
# The vectors of pg_index begin at 0.
SELECT generate_subscripts(indkey, 1) FROM pg_index WHERE indrelid = 'stands'::regclass;
SELECT array_lower(indkey, 1), array_upper(indkey, 1), array_length(indkey, 1), indkey[0], indkey[2] FROM pg_index WHERE indrelid = 'stands'::regclass;
SELECT array_lower(conkey, 1), array_upper(conkey, 1) FROM pg_constraint WHERE conrelid = 'stands'::regclass AND contype = 'p';
SELECT a.attname FROM (SELECT indrelid, indkey, generate_subscripts(indkey, 1) idx FROM pg_index WHERE indrelid = '"stands"'::regclass AND indisprimary) i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[i.idx] ORDER BY i.idx;
SELECT (i.keys).n, a.attname FROM (SELECT indrelid, information_schema._pg_expandarray(indkey) AS keys FROM pg_index WHERE indrelid = 'stands'::regclass) i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = (i.keys).x ORDER BY 1;
SELECT (information_schema._pg_expandarray(indkey)).n FROM pg_index WHERE indrelid = 'stands'::regclass;
SELECT (x).n, (x).x FROM (SELECT information_schema._pg_expandarray(ARRAY['a', 'b']) AS x) q;

# System columns.
SELECT tableoid::regclass, cmin, cmax, xmax FROM pg_class WHERE relname = 'pg_class';
SELECT tableoid::regclass, oid FROM pg_namespace WHERE nspname = 'public';
SELECT d.description FROM pg_language l JOIN pg_description d ON d.classoid = l.tableoid AND d.objoid = l.oid ORDER BY 1;
SELECT xmin FROM pg_tables;
SELECT age(xmin) FROM pg_am WHERE amname = 'heap';
SELECT tableoid = 'item'::regclass, xmin <> '0' FROM item;
SELECT * FROM (SELECT tableoid::regclass AS t, sku FROM item) q;
CREATE TABLE bad (id int8 PRIMARY KEY, xmin text);
CREATE TABLE bad (id int8 PRIMARY KEY, tableoid text);
ALTER TABLE shelf ADD COLUMN ctid text;
ALTER TABLE shelf RENAME COLUMN height TO cmax;

# Functions that return rows.
SELECT * FROM pg_get_keywords() ORDER BY word LIMIT 3;
SELECT count(*) FROM pg_get_keywords();
SELECT string_agg(word, ',' ORDER BY word) FROM pg_catalog.pg_get_keywords() WHERE catcode = 'R' AND word < 'c';
SELECT (pg_get_keywords()).word ORDER BY 1 LIMIT 2;
SELECT * FROM pg_options_to_table(ARRAY['a=b=c', 'd']);
SELECT * FROM pg_options_to_table(ARRAY['a=b', 'c=d']) WITH ORDINALITY AS o(k, v, n);
SELECT privilege_type, is_grantable, grantor, grantee FROM aclexplode(acldefault('r', 10)) ORDER BY 1;
SELECT a.privilege_type FROM pg_class c, aclexplode(coalesce(c.relacl, acldefault('r', c.relowner))) a WHERE c.relname = 'pg_class' AND a.grantee = 0;
SELECT (aclexplode(acldefault('f', 10))).privilege_type;
SELECT (aclexplode(acldefault('d', 10))).*;
SELECT count(*) FROM pg_partition_tree('item');
SELECT name FROM pg_show_all_settings() WHERE name = 'search_path';
SELECT count(*) > 400 FROM pg_timezone_names() WHERE name IS NOT NULL;
SELECT s.name, current_setting(s.name) FROM pg_settings s WHERE s.name IN ('bytea_output', 'standard_conforming_strings') ORDER BY 1;
SELECT name, category, context, vartype, unit, enumvals, min_val, max_val FROM pg_settings WHERE name IN ('statement_timeout', 'bytea_output', 'jit', 'search_path', 'extra_float_digits', 'server_version') ORDER BY 1;

# Objects by name and by OID.
SELECT 'abs(int4)'::regprocedure, 'pg_catalog.abs(bigint)'::regprocedure::oid, '=(int4,int4)'::regoperator, 'now'::regproc;
SELECT '"C"'::regcollation, 'simple'::regdictionary, 'simple'::regconfig, 96::regoperator, 1397::regprocedure;
SELECT to_regproc('now'), to_regprocedure('abs(int4)'), to_regoper('+'), to_regoperator('+(int4,int4)'), to_regcollation('"C"'), to_regrole('nobody'), to_regprocedure('abs(text)');
SELECT pg_get_function_arguments('pg_catalog.abs(int4)'::regprocedure), pg_get_function_result('pg_catalog.abs(int4)'::regprocedure);
SELECT pg_get_functiondef('pg_catalog.format_type'::regproc);
SELECT pg_describe_object('pg_class'::regclass, 'item'::regclass, 0), pg_describe_object('pg_class'::regclass, 'item'::regclass, 1), pg_describe_object('pg_type'::regclass, 'int4'::regtype, 0);
SELECT * FROM pg_identify_object('pg_class'::regclass, 'item'::regclass, 1);
SELECT type, object_names FROM pg_identify_object_as_address('pg_class'::regclass, 'item'::regclass, 0);
SELECT pg_index_column_has_property('item_pkey'::regclass, 1, 'asc'), pg_index_has_property('item_pkey'::regclass, 'clusterable'), pg_indexam_has_property(403, 'can_order');
SELECT pg_table_is_visible(1), pg_type_is_visible(1), pg_function_is_visible(1), pg_operator_is_visible(1), pg_conversion_is_visible(1);
SELECT count(*) FROM pg_operator;
SELECT count(*) FROM pg_conversion WHERE pg_conversion_is_visible(oid);
SELECT extname, extversion FROM pg_extension;
SELECT lanname FROM pg_language ORDER BY 1;
SELECT obj_description('pg_catalog.abs(int4)'::regprocedure, 'pg_proc'), obj_description('int4'::regtype, 'pg_type');
SELECT pg_blocking_pids(0), pg_trigger_depth(), pg_stat_get_live_tuples(0), row_security_active('item'), pg_encoding_max_length(6);
SELECT inet_client_addr() IS NOT NULL, inet_server_port() > 0;

# What the questions of tools brought up.
SELECT a.attname, information_schema._pg_truetypid(a.*, t.*), information_schema._pg_truetypmod(a, t) FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid WHERE a.attrelid = 'item'::regclass AND a.attnum > 0 ORDER BY a.attnum;
SELECT information_schema._pg_truetypid(a.*, t.*) FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid WHERE a.attrelid = 'information_schema.tables'::regclass AND a.attname = 'table_name';
SELECT count(*) FROM pg_attribute a WHERE a.attnum = ANY((SELECT conkey FROM pg_constraint WHERE conname = 'stands_pkey')::oid[]) AND a.attrelid = 'stands'::regclass;
SET TimeZone = 'America/New_York';
SELECT to_char('2024-01-15 12:00:00+00'::timestamptz, 'TZ tz OF'), to_char('2024-07-15 12:00:00+00'::timestamptz, 'TZ tz OF');
SET TimeZone = 'US/Pacific';
SELECT to_char('2024-03-10 09:59:59+00'::timestamptz, 'HH24:MI TZ'), to_char('2024-03-10 10:00:00+00'::timestamptz, 'HH24:MI TZ');
SET TimeZone = 'America/Sao_Paulo';
SELECT to_char('2024-01-15 12:00:00+00'::timestamptz, 'TZ'), to_char('2024-01-15 12:00:00'::timestamp, '[TZ]');
RESET TimeZone;
SELECT txid_current() > 2, txid_current() = txid_current(), pg_typeof(txid_current());
SELECT name, category, setting, unit, boot_val, context FROM pg_settings WHERE name IN ('work_mem', 'temp_buffers', 'deadlock_timeout', 'block_size', 'segment_size', 'statement_timeout', 'log_min_duration_statement', 'random_page_cost', 'enable_seqscan') ORDER BY 1;
SET work_mem = '64MB';
SELECT setting, unit, source FROM pg_settings WHERE name = 'work_mem';
SELECT pg_cancel_backend(0);
SELECT rolname, oid, rolcanlogin FROM pg_roles WHERE rolname LIKE 'pg\_%' ORDER BY 1;
SELECT roleid::regrole, member::regrole, admin_option FROM pg_auth_members ORDER BY 1;
SELECT 'pg_monitor'::regrole::oid, 3373::regrole, obj_description('pg_catalog'::regnamespace, 'pg_namespace');
SELECT deptype, refclassid::regclass, refobjid::regnamespace FROM pg_depend WHERE objid = 'item'::regclass;
SELECT heap_blks_read >= 0 FROM pg_statio_user_tables WHERE relname = 'item';

# Names that nothing has
SELECT 'nosuch'::regclass;
SELECT 'nosuch.x'::regclass;
SELECT 'public.x'::regclass;
SELECT ''::regclass;
SELECT 'nosuch'::regtype;
SELECT 'nosuch.x'::regtype;
SELECT 'nosuch'::regproc;
SELECT 'nosuch(int)'::regprocedure;
SELECT 'nosuch'::regnamespace;
SELECT 'nosuch'::regrole;
SELECT x::regclass FROM (VALUES ('nosuch')) v(x);
SELECT x::regclass, to_regclass(x) FROM (VALUES ('pg_class'), (NULL)) v(x);
SELECT to_regclass('nosuch'), to_regclass('nosuch.x'), to_regtype('nosuch'), to_regproc('nosuch'), to_regnamespace('nosuch'), to_regrole('nosuch');
SELECT count(*) FROM pg_class WHERE oid = 'nosuch'::regclass;

# Privileges of what is there, and of what is not; names of types
SELECT has_table_privilege('nope','select');
SELECT has_table_privilege('item','nope');
SELECT has_table_privilege('item','select'), has_table_privilege('item','SELECT, INSERT'), has_table_privilege('item','select with grant option');
SELECT has_table_privilege('nobody', 'item','select');
SELECT has_table_privilege(NULL,'select'), has_table_privilege('item', NULL);
SELECT has_column_privilege('item', 'sku', 'nope');
SELECT has_column_privilege('nope', 'sku', 'select');
SELECT has_any_column_privilege('nope', 'select');
SELECT has_any_column_privilege('item', 'delete');
SELECT has_schema_privilege('nope', 'usage');
SELECT has_schema_privilege('public', 'select');
SELECT has_database_privilege(current_database(), 'select');
SELECT has_function_privilege('nope()', 'execute');
SELECT has_function_privilege('lower(text)', 'select');
SELECT has_function_privilege('lower(text)', 'execute');
SELECT has_type_privilege('nope', 'usage');
SELECT has_type_privilege('text', 'select');
SELECT has_type_privilege('text', 'usage');
SELECT has_language_privilege('sql', 'usage');
SELECT has_tablespace_privilege('pg_default', 'create');
SELECT pg_has_role('nope', 'usage');
SELECT pg_has_role(current_user, 'nope');
SELECT pg_has_role(current_user, 'usage');
SELECT 'int[][]'::regtype;
SELECT 'float(10)'::regtype, 'float(30)'::regtype;
SELECT 'numeric(10,2)'::regtype, 'varchar(10)'::regtype, 'int[]'::regtype, 'timestamp(3) with time zone'::regtype, 'interval day to second'::regtype;
SELECT 'int[3]'::regtype, 'int array'::regtype, 'character varying'::regtype, '"char"'::regtype, 'pg_catalog.int4'::regtype, 'double precision'::regtype, 'time with time zone'::regtype, 'bit varying(3)'::regtype, 'dec'::regtype, '_int4'::regtype;
SELECT to_regtype('int[][]'), to_regtype('numeric(10,2)'), to_regtype('nope'), to_regtype('float(10)');
SELECT has_table_privilege('public.nope','select');
SELECT has_table_privilege('nowhere.item','select');
SELECT has_table_privilege(c.oid, 'select') FROM pg_class c WHERE relname = 'item' AND relkind = 'r' AND relnamespace = 'public'::regnamespace;
SELECT has_table_privilege('item', ''), 1;
SELECT has_table_privilege('item', 'select,');
SELECT has_table_privilege('item', ' select , update with grant option ');

# Names of objects in set operations and VALUES.
SELECT 'pg_class'::regclass UNION ALL SELECT 'item'::regclass;
SELECT 'pg_class'::regclass AS c, 1 AS n UNION SELECT 'pg_type'::regclass, 2 UNION SELECT 'pg_class'::regclass, 1 ORDER BY 2 DESC;
SELECT oid::regclass AS c FROM pg_class WHERE relname = 'pg_type' EXCEPT SELECT 'pg_class'::regclass;
VALUES ('int4'::regtype, 1), (NULL, 2);
WITH t AS (SELECT 'lower(text)'::regprocedure AS p) SELECT p, 1 AS one FROM t UNION ALL SELECT NULL, 1;
SELECT ARRAY['int4'::regtype, 'text'::regtype] UNION ALL SELECT ARRAY['bool'::regtype];
SELECT c FROM (SELECT 'pg_class'::regclass AS c UNION ALL SELECT 'pg_type'::regclass) u ORDER BY c DESC;
SELECT oid::regclass FROM pg_class WHERE relname IN ('pg_class', 'pg_type', 'pg_proc') ORDER BY 1;
SELECT 'lower'::regproc;
SELECT 'pg_catalog.lower'::regproc;
SELECT x::regproc FROM (VALUES ('abs')) v(x);

# Names of objects in arrays.
SELECT a::text[], a::varchar(3)[], a::name[] FROM (SELECT array_agg(x) AS a FROM unnest('{pg_class,pg_type}'::regclass[]) x) q;
SELECT a::text[], a::oid[] FROM (SELECT array_agg(x) AS a FROM unnest(ARRAY[23, 25]::regtype[]) x) q;
SELECT a::regtype[], a::regtype[]::oid[] FROM (SELECT array_agg(x) AS a FROM unnest(ARRAY['integer', 'text']) x) q;
SELECT NULL::regtype[]::text[], '{}'::regtype[]::text[], ARRAY[NULL, 23]::regtype[]::text[];
SELECT oid::regclass AS x FROM pg_class WHERE oid IN (1247, 1259, 2600) ORDER BY oid DESC;
SELECT oid::regclass AS x FROM pg_class WHERE oid IN (1247, 1259, 2600) ORDER BY oid::regclass::oid DESC;
SELECT has_sequence_privilege(c.oid, 'USAGE') FROM pg_class c WHERE relkind = 'S';
SELECT has_sequence_privilege('nope', 'USAGE');
SELECT has_sequence_privilege('nope', 'INSERT');
