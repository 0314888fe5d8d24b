-- The functions of PostgreSQL that catalog queries call, over the tables of
-- this schema. One statement ends at each ";" that ends a line.
--
-- A macro is text that is put in the place of its call: a column of the caller
-- inside a subquery of the macro would be taken for a column of the macro's own
-- table. So no argument ever stands in a subquery: subqueries make a map of all
-- answers, uncorrelated, and the argument is looked up in it.

CREATE OR REPLACE MACRO ontosql_catalog.ontosql_path() AS
  coalesce(getvariable('ontosql_search_path')::VARCHAR[], ['pg_catalog', 'public']);

-- What a name without a schema means: of each name the first along the path.
CREATE OR REPLACE MACRO ontosql_catalog.ontosql_visible(class) AS TABLE
  SELECT o.oid, o.short_key AS key, o.alias
  FROM ontosql_catalog.ontosql_objects o
  WHERE o.classoid = class AND list_contains(ontosql_catalog.ontosql_path(), o.schema)
  QUALIFY row_number() OVER (PARTITION BY o.short_key ORDER BY list_position(ontosql_catalog.ontosql_path(), o.schema)) = 1;

CREATE OR REPLACE MACRO ontosql_catalog.ontosql_visible_oids(class) AS
  coalesce((SELECT list(v.oid) FROM ontosql_catalog.ontosql_visible(class) v WHERE NOT v.alias), []);

CREATE OR REPLACE MACRO ontosql_catalog.ontosql_oid_of(class, key) AS
  (SELECT map(list(n.key), list(n.oid)) FROM (
     SELECT o.long_key AS key, o.oid FROM ontosql_catalog.ontosql_objects o WHERE o.classoid = class AND o.long_key <> ''
     UNION ALL SELECT v.key, v.oid FROM ontosql_catalog.ontosql_visible(class) v
     UNION ALL SELECT o.short_key, o.oid FROM ontosql_catalog.ontosql_objects o WHERE o.classoid = class AND o.schema = '') n)[key];

-- A dotted name in the form of ontosql_objects: folded, and every part quoted.
CREATE OR REPLACE MACRO ontosql_catalog.ontosql_key(name) AS
  array_to_string(list_transform(regexp_extract_all(name::VARCHAR, '"(?:[^"]|"")*"|[^."]+')[-2:],
    lambda part: CASE WHEN part[1] = '"' THEN part ELSE '"' || translate(trim(part), 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz') || '"' END), '.');

CREATE OR REPLACE MACRO ontosql_catalog.ontosql_to_oid(class, name) AS
  CASE WHEN name::VARCHAR = '-' THEN 0::UINTEGER
       ELSE coalesce(TRY_CAST(name AS UINTEGER), ontosql_catalog.ontosql_oid_of(class, ontosql_catalog.ontosql_key(name))) END;

CREATE OR REPLACE MACRO ontosql_catalog.ontosql_to_name(class, oid) AS
  CASE WHEN TRY_CAST(oid AS UINTEGER) = 0 THEN '-' ELSE coalesce(
    (SELECT map(list(o.oid), list(CASE WHEN v.oid IS NULL THEN o.qualified ELSE o.quoted END))
     FROM ontosql_catalog.ontosql_objects o LEFT JOIN ontosql_catalog.ontosql_visible(class) v ON v.oid = o.oid AND NOT v.alias
     WHERE o.classoid = class AND NOT o.alias)[TRY_CAST(oid AS UINTEGER)], oid::VARCHAR) END;

CREATE OR REPLACE MACRO ontosql_catalog.regclass_oid(name) AS ontosql_catalog.ontosql_to_oid(1259, name);
CREATE OR REPLACE MACRO ontosql_catalog.regclass_name(oid) AS ontosql_catalog.ontosql_to_name(1259, oid);
CREATE OR REPLACE MACRO ontosql_catalog.regproc_oid(name) AS ontosql_catalog.ontosql_to_oid(1255, name);
CREATE OR REPLACE MACRO ontosql_catalog.regproc_name(oid) AS ontosql_catalog.ontosql_to_name(1255, oid);
CREATE OR REPLACE MACRO ontosql_catalog.regnamespace_oid(name) AS ontosql_catalog.ontosql_to_oid(2615, name);
CREATE OR REPLACE MACRO ontosql_catalog.regnamespace_name(oid) AS ontosql_catalog.ontosql_to_name(2615, oid);
CREATE OR REPLACE MACRO ontosql_catalog.regrole_oid(name) AS ontosql_catalog.ontosql_to_oid(1260, name);
CREATE OR REPLACE MACRO ontosql_catalog.regrole_name(oid) AS ontosql_catalog.ontosql_to_name(1260, oid);

-- A type is also known by its SQL spellings, with or without a modifier.
CREATE OR REPLACE MACRO ontosql_catalog.ontosql_bare_type(name) AS
  trim(regexp_replace(name::VARCHAR, '\s*\([0-9, ]*\)|\[\]$', '', 'g'));
CREATE OR REPLACE MACRO ontosql_catalog.ontosql_is_array(name) AS name::VARCHAR LIKE '%[]';
CREATE OR REPLACE MACRO ontosql_catalog.regtype_oid(name) AS
  coalesce(
    (SELECT map(list(n.name), list(n.oid)) FROM (
       SELECT t.plain || t.array_suffix AS name, min(t.oid) AS oid FROM ontosql_catalog.ontosql_type_names t GROUP BY 1) n)[
         CASE lower(ontosql_catalog.ontosql_bare_type(name))
           WHEN 'int' THEN 'integer' WHEN 'decimal' THEN 'numeric' WHEN 'float' THEN 'double precision' WHEN 'char' THEN 'character'
           WHEN 'timestamp' THEN 'timestamp without time zone' WHEN 'time' THEN 'time without time zone'
           ELSE lower(ontosql_catalog.ontosql_bare_type(name)) END || CASE WHEN ontosql_catalog.ontosql_is_array(name) THEN '[]' ELSE '' END],
    ontosql_catalog.ontosql_to_oid(1247,
      CASE WHEN ontosql_catalog.ontosql_is_array(name) THEN '_' ELSE '' END || ontosql_catalog.ontosql_bare_type(name)));

CREATE OR REPLACE MACRO ontosql_catalog.to_regclass(name) AS ontosql_catalog.regclass_oid(name);
CREATE OR REPLACE MACRO ontosql_catalog.to_regtype(name) AS ontosql_catalog.regtype_oid(name);
CREATE OR REPLACE MACRO ontosql_catalog.to_regnamespace(name) AS ontosql_catalog.regnamespace_oid(name);

CREATE OR REPLACE MACRO ontosql_catalog.regtype_name(oid) AS
  CASE WHEN TRY_CAST(oid AS UINTEGER) = 0 THEN '-' ELSE coalesce(
    (SELECT map(list(t.oid), list(t.plain || t.array_suffix)) FROM ontosql_catalog.ontosql_type_names t)[TRY_CAST(oid AS UINTEGER)],
    oid::VARCHAR) END;

-- The lambda binds each argument once.
CREATE OR REPLACE MACRO ontosql_catalog.format_type(type, modifier) AS
  list_transform([{
    'oid': TRY_CAST(type AS UINTEGER), 'mod': TRY_CAST(modifier AS INTEGER),
    'name': (SELECT map(list(t.oid), list({'plain': t.plain, 'modified': t.modified, 'family': t.family, 'suffix': t.array_suffix}))
             FROM ontosql_catalog.ontosql_type_names t)[TRY_CAST(type AS UINTEGER)]}],
    lambda a: CASE
      WHEN a.oid IS NULL THEN NULL
      WHEN a.oid = 0 THEN '-'
      WHEN a.name IS NULL THEN '???'
      WHEN a.mod IS NULL THEN a.name.plain || a.name.suffix
      WHEN a.mod < 0 THEN a.name.modified || a.name.suffix
      ELSE CASE
        WHEN a.name.family IN ('bool', 'int2', 'int4', 'int8', 'float4', 'float8') THEN a.name.plain
        WHEN a.name.family IN ('varchar', 'bpchar') THEN CASE WHEN a.mod > 4 THEN a.name.plain || '(' || (a.mod - 4) || ')' ELSE a.name.plain END
        WHEN a.name.family IN ('bit', 'varbit') THEN a.name.plain || '(' || a.mod || ')'
        WHEN a.name.family = 'numeric' THEN CASE WHEN a.mod < 4 THEN 'numeric' ELSE
          'numeric(' || (((a.mod - 4) >> 16) & 65535) || ',' || (xor((a.mod - 4) & 2047, 1024) - 1024) || ')' END
        WHEN a.name.family IN ('time', 'timetz', 'timestamp', 'timestamptz') THEN
          regexp_replace(a.name.plain, '^(timestamp|time)', '\1(' || a.mod || ')')
        WHEN a.name.family = 'interval' THEN 'interval'
          || coalesce(map([4, 2, 8, 1024, 2048, 4096, 6, 1032, 3080, 7176, 3072, 7168, 6144],
                          [' year', ' month', ' day', ' hour', ' minute', ' second', ' year to month', ' day to hour',
                           ' day to minute', ' day to second', ' hour to minute', ' hour to second', ' minute to second'])[(a.mod >> 16) & 32767], '')
          || CASE WHEN a.mod & 65535 = 65535 THEN '' ELSE '(' || (a.mod & 65535) || ')' END
        ELSE a.name.plain || '(' || a.mod || ')' END || a.name.suffix END)[1];

CREATE OR REPLACE MACRO ontosql_catalog.pg_table_is_visible(oid) AS
  list_contains(ontosql_catalog.ontosql_visible_oids(1259), TRY_CAST(oid AS UINTEGER));
CREATE OR REPLACE MACRO ontosql_catalog.pg_type_is_visible(oid) AS
  list_contains(ontosql_catalog.ontosql_visible_oids(1247), TRY_CAST(oid AS UINTEGER));

-- Overloaded functions do not hide each other, so the schema decides.
CREATE OR REPLACE MACRO ontosql_catalog.pg_function_is_visible(oid) AS
  list_contains(coalesce((SELECT list(o.oid) FROM ontosql_catalog.ontosql_objects o
    WHERE o.classoid = 1255 AND list_contains(ontosql_catalog.ontosql_path(), o.schema)), []), TRY_CAST(oid AS UINTEGER));

-- All of these kinds that exist are PostgreSQL's own, in pg_catalog.
CREATE OR REPLACE MACRO ontosql_catalog.pg_operator_is_visible(oid) AS oid IS NOT NULL;
CREATE OR REPLACE MACRO ontosql_catalog.pg_opclass_is_visible(oid) AS oid IS NOT NULL;
CREATE OR REPLACE MACRO ontosql_catalog.pg_opfamily_is_visible(oid) AS oid IS NOT NULL;
CREATE OR REPLACE MACRO ontosql_catalog.pg_collation_is_visible(oid) AS oid IS NOT NULL;
CREATE OR REPLACE MACRO ontosql_catalog.pg_conversion_is_visible(oid) AS oid IS NOT NULL;
CREATE OR REPLACE MACRO ontosql_catalog.pg_ts_config_is_visible(oid) AS oid IS NOT NULL;
CREATE OR REPLACE MACRO ontosql_catalog.pg_ts_dict_is_visible(oid) AS oid IS NOT NULL;
CREATE OR REPLACE MACRO ontosql_catalog.pg_ts_parser_is_visible(oid) AS oid IS NOT NULL;
CREATE OR REPLACE MACRO ontosql_catalog.pg_ts_template_is_visible(oid) AS oid IS NOT NULL;
CREATE OR REPLACE MACRO ontosql_catalog.pg_statistics_obj_is_visible(oid) AS oid IS NOT NULL;

CREATE OR REPLACE MACRO ontosql_catalog.pg_get_userbyid(role) AS
  CASE WHEN role IS NOT NULL THEN coalesce(
    (SELECT map(list(r.oid), list(r.rolname)) FROM ontosql_catalog.pg_roles r)[TRY_CAST(role AS UINTEGER)],
    'unknown (OID=' || role::VARCHAR || ')') END;

-- Expressions are kept as SQL text.
CREATE OR REPLACE MACRO ontosql_catalog.pg_get_expr(expression, relation) AS expression::VARCHAR,
  (expression, relation, pretty) AS expression::VARCHAR;

CREATE OR REPLACE MACRO ontosql_catalog.ontosql_definition(class, oid, part) AS
  (SELECT map(list(d.oid::BIGINT * 65536 + d.subid), list(d.definition)) FROM ontosql_catalog.ontosql_definitions d
   WHERE d.classoid = class)[TRY_CAST(oid AS UINTEGER)::BIGINT * 65536 + part];

CREATE OR REPLACE MACRO ontosql_catalog.pg_get_constraintdef(oid) AS ontosql_catalog.ontosql_definition(2606, oid, 0),
  (oid, pretty) AS ontosql_catalog.ontosql_definition(2606, oid, 0);
CREATE OR REPLACE MACRO ontosql_catalog.pg_get_indexdef(oid) AS ontosql_catalog.ontosql_definition(1259, oid, 0),
  (oid, col, pretty) AS ontosql_catalog.ontosql_definition(1259, oid, CASE WHEN col = 0 AND pretty THEN -1 ELSE col END);
CREATE OR REPLACE MACRO ontosql_catalog.pg_get_viewdef(oid) AS ontosql_catalog.ontosql_definition(1259, ontosql_catalog.regclass_oid(oid), 0),
  (oid, pretty) AS ontosql_catalog.ontosql_definition(1259, ontosql_catalog.regclass_oid(oid), 0);
CREATE OR REPLACE MACRO ontosql_catalog.pg_get_function_result(oid) AS ontosql_catalog.ontosql_definition(1255, oid, 1);
CREATE OR REPLACE MACRO ontosql_catalog.pg_get_function_arguments(oid) AS ontosql_catalog.ontosql_definition(1255, oid, 2);
CREATE OR REPLACE MACRO ontosql_catalog.pg_get_function_identity_arguments(oid) AS ontosql_catalog.ontosql_definition(1255, oid, 3);
CREATE OR REPLACE MACRO ontosql_catalog.pg_get_functiondef(oid) AS ontosql_catalog.ontosql_definition(1255, oid, 4);
CREATE OR REPLACE MACRO ontosql_catalog.pg_get_function_sqlbody(oid) AS NULL::VARCHAR;

-- Of these objects there are none, so there is nothing to print.
CREATE OR REPLACE MACRO ontosql_catalog.pg_get_statisticsobjdef(oid) AS NULL::VARCHAR;
CREATE OR REPLACE MACRO ontosql_catalog.pg_get_statisticsobjdef_columns(oid) AS NULL::VARCHAR;
CREATE OR REPLACE MACRO ontosql_catalog.pg_get_partkeydef(oid) AS NULL::VARCHAR;
CREATE OR REPLACE MACRO ontosql_catalog.pg_get_partition_constraintdef(oid) AS NULL::VARCHAR;
CREATE OR REPLACE MACRO ontosql_catalog.pg_get_triggerdef(oid) AS NULL::VARCHAR, (oid, pretty) AS NULL::VARCHAR;
CREATE OR REPLACE MACRO ontosql_catalog.pg_get_ruledef(oid) AS NULL::VARCHAR, (oid, pretty) AS NULL::VARCHAR;
CREATE OR REPLACE MACRO ontosql_catalog.pg_get_serial_sequence(tab, col) AS NULL::VARCHAR;
CREATE OR REPLACE MACRO ontosql_catalog.pg_partition_ancestors(oid) AS unnest([]::UINTEGER[]);
-- In FROM it stands with and without WITH ORDINALITY, which DuckDB ignores there.
CREATE OR REPLACE MACRO ontosql_catalog.pg_partition_ancestors(oid) AS TABLE
  SELECT NULL::UINTEGER AS relid, NULL::BIGINT AS ordinality WHERE false;
CREATE OR REPLACE MACRO ontosql_catalog.pg_relation_is_publishable(oid) AS false;
CREATE OR REPLACE MACRO ontosql_catalog.pg_relation_is_updatable(oid, triggers) AS 0::INTEGER;

CREATE OR REPLACE MACRO ontosql_catalog.ontosql_comment(oid, class, part) AS
  (SELECT map(list(d.classoid::HUGEINT * 281474976710656 + d.objoid::HUGEINT * 65536 + d.objsubid), list(d.description))
   FROM ontosql_catalog.pg_description d)[class::HUGEINT * 281474976710656 + TRY_CAST(oid AS UINTEGER)::HUGEINT * 65536 + part];

CREATE OR REPLACE MACRO ontosql_catalog.obj_description(oid, class) AS
    ontosql_catalog.ontosql_comment(oid, ontosql_catalog.regclass_oid('pg_catalog.' || class), 0),
  (oid) AS (SELECT map(list(d.objoid), list(d.description)) FROM (
     SELECT p.objoid, min(p.description) AS description FROM ontosql_catalog.pg_description p WHERE p.objsubid = 0 GROUP BY 1) d)[TRY_CAST(oid AS UINTEGER)];
CREATE OR REPLACE MACRO ontosql_catalog.col_description(oid, num) AS ontosql_catalog.ontosql_comment(oid, 1259, num);
CREATE OR REPLACE MACRO ontosql_catalog.shobj_description(oid, class) AS NULL::VARCHAR;

CREATE OR REPLACE MACRO ontosql_catalog.ontosql_encodings() AS
  ['SQL_ASCII', 'EUC_JP', 'EUC_CN', 'EUC_KR', 'EUC_TW', 'EUC_JIS_2004', 'UTF8', 'MULE_INTERNAL', 'LATIN1', 'LATIN2', 'LATIN3',
   'LATIN4', 'LATIN5', 'LATIN6', 'LATIN7', 'LATIN8', 'LATIN9', 'LATIN10', 'WIN1256', 'WIN1258', 'WIN866', 'WIN874', 'KOI8R',
   'WIN1251', 'WIN1252', 'ISO_8859_5', 'ISO_8859_6', 'ISO_8859_7', 'ISO_8859_8', 'WIN1250', 'WIN1253', 'WIN1254', 'WIN1255',
   'WIN1257', 'KOI8U', 'SJIS', 'BIG5', 'GBK', 'UHC', 'GB18030', 'JOHAB', 'SHIFT_JIS_2004'];
CREATE OR REPLACE MACRO ontosql_catalog.pg_encoding_to_char(encoding) AS
  CASE WHEN encoding IS NOT NULL THEN coalesce(CASE WHEN encoding >= 0 THEN ontosql_catalog.ontosql_encodings()[encoding + 1] END, '') END;
CREATE OR REPLACE MACRO ontosql_catalog.pg_char_to_encoding(name) AS
  CASE WHEN name IS NOT NULL THEN coalesce(list_position(ontosql_catalog.ontosql_encodings(),
    CASE upper(replace(replace(name, '-', ''), '_', '')) WHEN 'UTF8' THEN 'UTF8' WHEN 'UNICODE' THEN 'UTF8' WHEN 'SQLASCII' THEN 'SQL_ASCII' ELSE upper(name) END), 0) - 1 END;
CREATE OR REPLACE MACRO ontosql_catalog.getdatabaseencoding() AS 'UTF8';
CREATE OR REPLACE MACRO ontosql_catalog.pg_client_encoding() AS 'UTF8';

-- Roles have no privileges of their own: who may log in may do what the relation allows.
CREATE OR REPLACE MACRO ontosql_catalog.has_table_privilege(a, b) AS true, (a, b, c) AS true;
CREATE OR REPLACE MACRO ontosql_catalog.has_schema_privilege(a, b) AS true, (a, b, c) AS true;
CREATE OR REPLACE MACRO ontosql_catalog.has_any_column_privilege(a, b) AS true, (a, b, c) AS true;
CREATE OR REPLACE MACRO ontosql_catalog.has_column_privilege(a, b, c) AS true, (a, b, c, d) AS true;
CREATE OR REPLACE MACRO ontosql_catalog.has_database_privilege(a, b) AS true, (a, b, c) AS true;
CREATE OR REPLACE MACRO ontosql_catalog.has_function_privilege(a, b) AS true, (a, b, c) AS true;
CREATE OR REPLACE MACRO ontosql_catalog.has_type_privilege(a, b) AS true, (a, b, c) AS true;
CREATE OR REPLACE MACRO ontosql_catalog.has_language_privilege(a, b) AS true, (a, b, c) AS true;
CREATE OR REPLACE MACRO ontosql_catalog.has_tablespace_privilege(a, b) AS true, (a, b, c) AS true;
CREATE OR REPLACE MACRO ontosql_catalog.pg_has_role(a, b) AS true, (a, b, c) AS true;

-- Rows lie in the object store, not in relation files.
CREATE OR REPLACE MACRO ontosql_catalog.pg_total_relation_size(oid) AS CASE WHEN oid IS NOT NULL THEN 0::BIGINT END;
CREATE OR REPLACE MACRO ontosql_catalog.pg_relation_size(oid) AS CASE WHEN oid IS NOT NULL THEN 0::BIGINT END,
  (oid, fork) AS CASE WHEN oid IS NOT NULL THEN 0::BIGINT END;
CREATE OR REPLACE MACRO ontosql_catalog.pg_table_size(oid) AS CASE WHEN oid IS NOT NULL THEN 0::BIGINT END;
CREATE OR REPLACE MACRO ontosql_catalog.pg_indexes_size(oid) AS CASE WHEN oid IS NOT NULL THEN 0::BIGINT END;
CREATE OR REPLACE MACRO ontosql_catalog.pg_database_size(database) AS CASE WHEN database IS NOT NULL THEN 0::BIGINT END;
CREATE OR REPLACE MACRO ontosql_catalog.pg_tablespace_size(space) AS CASE WHEN space IS NOT NULL THEN 0::BIGINT END;
CREATE OR REPLACE MACRO ontosql_catalog.pg_tablespace_location(oid) AS CASE WHEN oid IS NOT NULL THEN '' END;
CREATE OR REPLACE MACRO ontosql_catalog.pg_relation_filenode(oid) AS TRY_CAST(oid AS UINTEGER);
CREATE OR REPLACE MACRO ontosql_catalog.ontosql_half(size) AS (size + CASE WHEN size < 0 THEN -1 ELSE 1 END) // 2;
CREATE OR REPLACE MACRO ontosql_catalog.pg_size_pretty(size) AS
  list_transform([size::BIGINT], lambda n: CASE
    WHEN abs(n) < 10240 THEN n || ' bytes'
    WHEN abs(n // 512) < 20479 THEN ontosql_catalog.ontosql_half(n // 512) || ' kB'
    WHEN abs(n // 524288) < 20479 THEN ontosql_catalog.ontosql_half(n // 524288) || ' MB'
    WHEN abs(n // 536870912) < 20479 THEN ontosql_catalog.ontosql_half(n // 536870912) || ' GB'
    WHEN abs(n // 549755813888) < 20479 THEN ontosql_catalog.ontosql_half(n // 549755813888) || ' TB'
    ELSE ontosql_catalog.ontosql_half(n // 562949953421312) || ' PB' END)[1];

CREATE OR REPLACE MACRO ontosql_catalog.pg_my_temp_schema() AS 0::UINTEGER;
CREATE OR REPLACE MACRO ontosql_catalog.pg_is_other_temp_schema(oid) AS CASE WHEN oid IS NOT NULL THEN false END;
CREATE OR REPLACE MACRO ontosql_catalog.pg_is_in_recovery() AS false;
CREATE OR REPLACE MACRO ontosql_catalog.pg_stat_get_numscans(oid) AS 0::BIGINT;
CREATE OR REPLACE MACRO ontosql_catalog.current_schemas(implicit) AS
  CASE WHEN implicit IS NOT NULL THEN list_filter(ontosql_catalog.ontosql_path(), lambda s: implicit OR s <> 'pg_catalog') END;

CREATE OR REPLACE MACRO ontosql_catalog.quote_ident(name) AS
  list_transform([{'name': name::VARCHAR, 'word': coalesce(list_contains(
    (SELECT list(k.word) FROM ontosql_catalog.ontosql_keywords k WHERE k.catcode <> 'U'), name::VARCHAR), false)}],
    lambda a: CASE WHEN regexp_full_match(a.name, '[a-z_][a-z0-9_]*') AND NOT a.word THEN a.name
                   ELSE '"' || replace(a.name, '"', '""') || '"' END)[1];
CREATE OR REPLACE MACRO ontosql_catalog.pg_get_keywords() AS TABLE SELECT * FROM ontosql_catalog.ontosql_keywords;

-- DuckDB's own leaves NULL for an empty list.
CREATE OR REPLACE MACRO ontosql_catalog.array_to_string(list, separator) AS
    CASE WHEN list IS NOT NULL AND separator IS NOT NULL THEN coalesce(main.array_to_string(list, separator), '') END,
  (list, separator, missing) AS
    CASE WHEN list IS NOT NULL AND separator IS NOT NULL THEN
      coalesce(main.array_to_string(list_transform(list, lambda e: coalesce(e::VARCHAR, missing)), separator), '') END;
CREATE OR REPLACE MACRO ontosql_catalog.array_remove(list, element) AS list_filter(list, lambda e: e IS DISTINCT FROM element);
CREATE OR REPLACE MACRO ontosql_catalog.array_upper(list, dimension) AS CASE WHEN dimension = 1 AND len(list) > 0 THEN len(list)::INTEGER END;
CREATE OR REPLACE MACRO ontosql_catalog.array_lower(list, dimension) AS CASE WHEN dimension = 1 AND len(list) > 0 THEN 1 END;
CREATE OR REPLACE MACRO ontosql_catalog._pg_expandarray(list) AS
  unnest(list_transform(list, lambda x, i: {'x': x, 'n': i::INTEGER}));
