# What pg_dump asks of types, columns and settings, and its likes.
SELECT typname[0], typname[3], typname[4], typname[63] = '', typname[64], typname[-1], pg_typeof(typname[0]) FROM pg_type WHERE oid = 16;
SELECT typname[0] = '_' AND typelem <> 0 FROM pg_type WHERE oid IN (16, 1000) ORDER BY oid;
SELECT typname[1:2] FROM pg_type WHERE oid = 16;
SELECT typname['a'] FROM pg_type WHERE oid = 16;
SELECT CASE WHEN atthasmissing AND NOT attisdropped THEN attmissingval ELSE null END AS missing FROM pg_attribute WHERE attrelid = 1247 AND attnum = 1;
SELECT coalesce(attmissingval, NULL), pg_typeof(attmissingval) FROM pg_attribute WHERE attrelid = 1247 AND attnum = 1;
SELECT NULL::anyarray;
SELECT set_config(name, 'x', false) FROM pg_settings WHERE name = 'no such setting';
SELECT set_config(n, v, true) FROM (VALUES ('a.b', '1'), ('work_mem', '5MB'), ('DateStyle', 'german')) x(n, v);
SELECT set_config(n, 'x', false) FROM (VALUES ('nowhere')) x(n);
SELECT set_config(n, 'x', false) FROM (VALUES (NULL::text)) x(n);
SELECT set_config(1, n, false) FROM (VALUES ('x')) x(n);
SELECT '"pg_catalog" . "pg_class"'::regclass, ' pg_catalog . pg_type '::regclass;
SELECT has_function_privilege(10, 'now()'::regprocedure::oid, 'EXECUTE'), has_table_privilege(10, 'pg_class', 'SELECT'), has_schema_privilege(10::oid, 11::oid, 'USAGE');
SELECT has_column_privilege(current_user, 'pg_class', 'relname', 'SELECT'), has_column_privilege(current_user, 'pg_class'::regclass, 1::int2, 'SELECT'), pg_has_role(10, 10, 'USAGE');
SELECT has_type_privilege(10, 25, 'USAGE'), has_database_privilege(10, current_database(), 'CONNECT'), has_language_privilege(10, 'sql', 'USAGE'), has_tablespace_privilege(current_user, 'pg_default', 'CREATE');
SELECT to_json(indkey), to_jsonb(indclass), row_to_json(i)->'indoption' FROM (SELECT * FROM pg_index WHERE indexrelid = 2658) i;
SELECT reltype::regtype, (SELECT typarray::regtype FROM pg_type WHERE pg_type.oid = reltype) FROM pg_class WHERE relname IN ('pg_class', 'tables') ORDER BY 1;
