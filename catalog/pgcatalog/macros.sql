-- The functions of PostgreSQL that catalog queries call, over the tables of
-- this schema. One statement ends at each ";" that ends a line.
--
-- A macro is text that is put in the place of its call: a column of the caller
-- inside a subquery of the macro would be taken for a column of the macro's own
-- table. So no argument ever stands in a subquery: subqueries make a map of all
-- answers, uncorrelated, and the argument is looked up in it.

-- A table of types as the session sees them (Macros).
CREATE OR REPLACE MACRO ontosql_catalog.ontosql_now(name) AS TABLE
  SELECT * FROM query_table(coalesce(getvariable('ontosql_catalog_tables'), 'ontosql_catalog.') || name);

CREATE OR REPLACE MACRO ontosql_catalog.ontosql_path() AS
  coalesce(getvariable('ontosql_search_path')::VARCHAR[], ['pg_catalog', 'public']);

-- What a name without a schema means: of each name the first along the path.
CREATE OR REPLACE MACRO ontosql_catalog.ontosql_visible(class) AS TABLE
  SELECT o.oid, o.short_key AS key, o.alias
  FROM ontosql_catalog.ontosql_now('ontosql_objects') o
  WHERE o.classoid = class AND list_contains(ontosql_catalog.ontosql_path(), o.schema)
  QUALIFY row_number() OVER (PARTITION BY o.short_key ORDER BY list_position(ontosql_catalog.ontosql_path(), o.schema)) = 1;

CREATE OR REPLACE MACRO ontosql_catalog.ontosql_visible_oids(class) AS
  coalesce((SELECT list(v.oid) FROM ontosql_catalog.ontosql_visible(class) v WHERE NOT v.alias), []);

CREATE OR REPLACE MACRO ontosql_catalog.ontosql_oid_of(class, key) AS
  (SELECT map(list(n.key), list(n.oid)) FROM (
     SELECT o.long_key AS key, o.oid FROM ontosql_catalog.ontosql_now('ontosql_objects') o WHERE o.classoid = class AND o.long_key <> ''
     UNION ALL SELECT v.key, v.oid FROM ontosql_catalog.ontosql_visible(class) v
     UNION ALL SELECT o.short_key, o.oid FROM ontosql_catalog.ontosql_now('ontosql_objects') o WHERE o.classoid = class AND o.schema = '') n)[key];

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
     FROM ontosql_catalog.ontosql_now('ontosql_objects') o LEFT JOIN ontosql_catalog.ontosql_visible(class) v ON v.oid = o.oid AND NOT v.alias
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
       SELECT t.plain || t.array_suffix AS name, min(t.oid) AS oid FROM ontosql_catalog.ontosql_now('ontosql_type_names') t GROUP BY 1) n)[
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
    (SELECT map(list(t.oid), list(t.plain || t.array_suffix)) FROM ontosql_catalog.ontosql_now('ontosql_type_names') t)[TRY_CAST(oid AS UINTEGER)],
    oid::VARCHAR) END;

-- The lambda binds each argument once.
CREATE OR REPLACE MACRO ontosql_catalog.format_type(type, modifier) AS
  list_transform([{
    'oid': TRY_CAST(type AS UINTEGER), 'mod': TRY_CAST(modifier AS INTEGER),
    'name': (SELECT map(list(t.oid), list({'plain': t.plain, 'modified': t.modified, 'family': t.family, 'suffix': t.array_suffix}))
             FROM ontosql_catalog.ontosql_now('ontosql_type_names') t)[TRY_CAST(type AS UINTEGER)]}],
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
  CASE WHEN list_contains((SELECT list(c.oid) FROM ontosql_catalog.ontosql_now('pg_class') c), TRY_CAST(oid AS UINTEGER))
       THEN list_contains(ontosql_catalog.ontosql_visible_oids(1259), TRY_CAST(oid AS UINTEGER)) END;
CREATE OR REPLACE MACRO ontosql_catalog.pg_type_is_visible(oid) AS
  CASE WHEN list_contains((SELECT list(t.oid) FROM ontosql_catalog.ontosql_now('pg_type') t), TRY_CAST(oid AS UINTEGER))
       THEN list_contains(ontosql_catalog.ontosql_visible_oids(1247), TRY_CAST(oid AS UINTEGER)) END;

-- Overloaded functions do not hide each other, so the schema decides.
CREATE OR REPLACE MACRO ontosql_catalog.pg_function_is_visible(oid) AS
  CASE WHEN list_contains((SELECT list(p.oid) FROM ontosql_catalog.pg_proc p), TRY_CAST(oid AS UINTEGER)) THEN list_contains(coalesce((SELECT list(o.oid) FROM ontosql_catalog.ontosql_now('ontosql_objects') o
    WHERE o.classoid = 1255 AND list_contains(ontosql_catalog.ontosql_path(), o.schema)), []), TRY_CAST(oid AS UINTEGER)) END;

-- All of these kinds that exist are PostgreSQL's own, in pg_catalog.
CREATE OR REPLACE MACRO ontosql_catalog.ontosql_among(oid, known) AS
  CASE WHEN list_contains(known, TRY_CAST(oid AS UINTEGER)) THEN list_contains(ontosql_catalog.ontosql_path(), 'pg_catalog') END;
CREATE OR REPLACE MACRO ontosql_catalog.pg_operator_is_visible(oid) AS
  ontosql_catalog.ontosql_among(oid, (SELECT list(o.oid) FROM ontosql_catalog.pg_operator o));
CREATE OR REPLACE MACRO ontosql_catalog.pg_opclass_is_visible(oid) AS
  ontosql_catalog.ontosql_among(oid, (SELECT list(o.oid) FROM ontosql_catalog.pg_opclass o));
CREATE OR REPLACE MACRO ontosql_catalog.pg_opfamily_is_visible(oid) AS
  ontosql_catalog.ontosql_among(oid, (SELECT list(o.oid) FROM ontosql_catalog.pg_opfamily o));
CREATE OR REPLACE MACRO ontosql_catalog.pg_collation_is_visible(oid) AS
  ontosql_catalog.ontosql_among(oid, (SELECT list(o.oid) FROM ontosql_catalog.pg_collation o));
CREATE OR REPLACE MACRO ontosql_catalog.pg_conversion_is_visible(oid) AS
  ontosql_catalog.ontosql_among(oid, (SELECT list(o.oid) FROM ontosql_catalog.pg_conversion o));
CREATE OR REPLACE MACRO ontosql_catalog.pg_ts_config_is_visible(oid) AS
  ontosql_catalog.ontosql_among(oid, (SELECT list(o.oid) FROM ontosql_catalog.pg_ts_config o));
CREATE OR REPLACE MACRO ontosql_catalog.pg_ts_dict_is_visible(oid) AS
  ontosql_catalog.ontosql_among(oid, (SELECT list(o.oid) FROM ontosql_catalog.pg_ts_dict o));
CREATE OR REPLACE MACRO ontosql_catalog.pg_ts_parser_is_visible(oid) AS
  ontosql_catalog.ontosql_among(oid, (SELECT list(o.oid) FROM ontosql_catalog.pg_ts_parser o));
CREATE OR REPLACE MACRO ontosql_catalog.pg_ts_template_is_visible(oid) AS
  ontosql_catalog.ontosql_among(oid, (SELECT list(o.oid) FROM ontosql_catalog.pg_ts_template o));
CREATE OR REPLACE MACRO ontosql_catalog.pg_statistics_obj_is_visible(oid) AS
  ontosql_catalog.ontosql_among(oid, (SELECT list(o.oid) FROM ontosql_catalog.pg_statistic_ext o));

CREATE OR REPLACE MACRO ontosql_catalog.pg_get_userbyid(role) AS
  CASE WHEN role IS NOT NULL THEN coalesce(
    (SELECT map(list(r.oid), list(r.rolname)) FROM ontosql_catalog.pg_roles r)[TRY_CAST(role AS UINTEGER)],
    'unknown (OID=' || role::VARCHAR || ')') END;

-- Expressions are kept as SQL text.
CREATE OR REPLACE MACRO ontosql_catalog.pg_get_expr(expression, relation) AS expression::VARCHAR,
  (expression, relation, pretty) AS expression::VARCHAR;

CREATE OR REPLACE MACRO ontosql_catalog.ontosql_definition(class, oid, part) AS
  (SELECT map(list(d.oid::BIGINT * 65536 + d.subid), list(d.definition)) FROM ontosql_catalog.ontosql_now('ontosql_definitions') d
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
CREATE OR REPLACE MACRO ontosql_catalog.pg_partition_tree(oid) AS
  []::STRUCT(relid UINTEGER, parentrelid UINTEGER, isleaf BOOLEAN, level INTEGER)[];
CREATE OR REPLACE MACRO ontosql_catalog.pg_partition_root(oid) AS NULL::UINTEGER;
CREATE OR REPLACE MACRO ontosql_catalog.pg_relation_is_publishable(oid) AS
  list_contains((SELECT list(c.oid) FROM ontosql_catalog.ontosql_now('pg_class') c WHERE c.relkind = 'r' AND c.relreplident = 'd'), TRY_CAST(oid AS UINTEGER));

-- The latest rows take INSERT (8) and UPDATE (4); nothing takes DELETE (16).
CREATE OR REPLACE MACRO ontosql_catalog.ontosql_is_writable(oid) AS
  list_contains((SELECT list(c.oid) FROM ontosql_catalog.ontosql_now('pg_class') c WHERE c.relkind = 'r' AND c.relreplident = 'd'), TRY_CAST(oid AS UINTEGER));
CREATE OR REPLACE MACRO ontosql_catalog.pg_relation_is_updatable(oid, triggers) AS
  CASE WHEN oid IS NOT NULL THEN CASE WHEN ontosql_catalog.ontosql_is_writable(oid) THEN 12 ELSE 0 END END;
CREATE OR REPLACE MACRO ontosql_catalog.pg_column_is_updatable(oid, num, triggers) AS
  CASE WHEN oid IS NOT NULL THEN num > 0 AND ontosql_catalog.ontosql_is_writable(oid) END;

CREATE OR REPLACE MACRO ontosql_catalog.ontosql_comment(oid, class, part) AS
  (SELECT map(list(d.classoid::HUGEINT * 281474976710656 + d.objoid::HUGEINT * 65536 + d.objsubid), list(d.description))
   FROM ontosql_catalog.ontosql_now('pg_description') d)[class::HUGEINT * 281474976710656 + TRY_CAST(oid AS UINTEGER)::HUGEINT * 65536 + part];

CREATE OR REPLACE MACRO ontosql_catalog.obj_description(oid, class) AS
    ontosql_catalog.ontosql_comment(oid, ontosql_catalog.regclass_oid('pg_catalog.' || class), 0),
  (oid) AS (SELECT map(list(d.objoid), list(d.description)) FROM (
     SELECT p.objoid, min(p.description) AS description FROM ontosql_catalog.ontosql_now('pg_description') p WHERE p.objsubid = 0 GROUP BY 1) d)[TRY_CAST(oid AS UINTEGER)];
CREATE OR REPLACE MACRO ontosql_catalog.col_description(oid, num) AS ontosql_catalog.ontosql_comment(oid, 1259, num);
CREATE OR REPLACE MACRO ontosql_catalog.shobj_description(oid, class) AS
  (SELECT map(list(d.classoid::HUGEINT * 4294967296 + d.objoid), list(d.description)) FROM ontosql_catalog.pg_shdescription d)[
    ontosql_catalog.regclass_oid('pg_catalog.' || class)::HUGEINT * 4294967296 + TRY_CAST(oid AS UINTEGER)];

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
CREATE OR REPLACE MACRO ontosql_catalog.pg_get_keywords() AS TABLE
  SELECT * FROM ontosql_catalog.ontosql_keywords;
CREATE OR REPLACE MACRO ontosql_catalog.pg_get_keywords() AS
  (SELECT list({'word': k.word, 'catcode': k.catcode, 'barelabel': k.barelabel, 'catdesc': k.catdesc, 'baredesc': k.baredesc} ORDER BY k.word)
   FROM ontosql_catalog.ontosql_keywords k);

-- Options are kept as name=value.
CREATE OR REPLACE MACRO ontosql_catalog.pg_options_to_table(options) AS
  list_transform(options::VARCHAR[], lambda item: {
    'option_name': string_split(item, '=')[1],
    'option_value': CASE WHEN contains(item, '=') THEN item[strpos(item, '=') + 1:] END});

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

-- An item of a list of privileges is grantee=letters/grantor; a star behind a letter
-- is the right to grant it.
CREATE OR REPLACE MACRO ontosql_catalog.ontosql_privilege(letter) AS
  CASE letter WHEN 'a' THEN 'INSERT' WHEN 'r' THEN 'SELECT' WHEN 'w' THEN 'UPDATE' WHEN 'd' THEN 'DELETE' WHEN 'D' THEN 'TRUNCATE'
    WHEN 'x' THEN 'REFERENCES' WHEN 't' THEN 'TRIGGER' WHEN 'X' THEN 'EXECUTE' WHEN 'U' THEN 'USAGE' WHEN 'C' THEN 'CREATE'
    WHEN 'T' THEN 'TEMPORARY' WHEN 'c' THEN 'CONNECT' WHEN 's' THEN 'SET' WHEN 'A' THEN 'ALTER SYSTEM' END;
CREATE OR REPLACE MACRO ontosql_catalog.ontosql_unquoted(name) AS
  CASE WHEN name[1] = '"' THEN replace(name[2:-2], '""', '"') ELSE name END;
CREATE OR REPLACE MACRO ontosql_catalog.aclexplode(acl) AS
  list_transform([{'acl': acl::VARCHAR[], 'roles': (SELECT map(list(r.rolname), list(r.oid)) FROM ontosql_catalog.pg_roles r)}],
    lambda a: flatten(list_transform(a.acl, lambda item: list_transform(
      regexp_extract_all(regexp_extract(item, '=([^/]*)/', 1), '[A-Za-z]\*?'), lambda granted: {
        'grantor': a.roles[ontosql_catalog.ontosql_unquoted(regexp_extract(item, '/(.*)$', 1))],
        'grantee': coalesce(a.roles[ontosql_catalog.ontosql_unquoted(regexp_extract(item, '^(.*)=', 1))], 0::UINTEGER),
        'privilege_type': ontosql_catalog.ontosql_privilege(granted[1]),
        'is_grantable': length(granted) = 2}))))[1];
CREATE OR REPLACE MACRO ontosql_catalog.ontosql_acl_name(role) AS
  CASE WHEN TRY_CAST(role AS UINTEGER) = 0 THEN '' ELSE ontosql_catalog.quote_ident(ontosql_catalog.pg_get_userbyid(role)) END;
CREATE OR REPLACE MACRO ontosql_catalog.acldefault(kind, owner) AS
  list_transform([ontosql_catalog.ontosql_acl_name(owner)], lambda o: list_transform(
    CASE kind WHEN 'r' THEN ['o=arwdDxt'] WHEN 's' THEN ['o=rwU'] WHEN 'd' THEN ['=Tc', 'o=CTc'] WHEN 'f' THEN ['=X', 'o=X']
      WHEN 'l' THEN ['=U', 'o=U'] WHEN 'L' THEN ['o=rw'] WHEN 'n' THEN ['o=UC'] WHEN 't' THEN ['o=C'] WHEN 'F' THEN ['o=U']
      WHEN 'S' THEN ['o=U'] WHEN 'T' THEN ['=U', 'o=U'] WHEN 'p' THEN ['o=sA'] WHEN 'c' THEN []::VARCHAR[] END,
    lambda item: CASE WHEN item[1] = 'o' THEN o || item[2:] ELSE item END || '/' || o))[1];
CREATE OR REPLACE MACRO ontosql_catalog.makeaclitem(grantee, grantor, privileges, grantable) AS
  list_transform([{
    'grantee': ontosql_catalog.ontosql_acl_name(grantee), 'grantor': ontosql_catalog.ontosql_acl_name(grantor), 'star': grantable,
    'names': list_transform(string_split(upper(privileges), ','), lambda p: trim(p))}],
    lambda a: a.grantee || '=' || array_to_string(list_transform(
      list_filter(string_split('arwdDxtXUCTcsA', ''), lambda c: list_contains(a.names, ontosql_catalog.ontosql_privilege(c))),
      lambda c: c || CASE WHEN a.star THEN '*' ELSE '' END), '') || '/' || a.grantor)[1];
CREATE OR REPLACE MACRO ontosql_catalog.aclcontains(acl, item) AS list_contains(acl, item);

-- A function or operator with its arguments, the types in PostgreSQL's own spelling.
CREATE OR REPLACE MACRO ontosql_catalog.ontosql_spellings() AS
  (SELECT map(list(n.word), list(n.plain)) FROM (
     SELECT w.word, min(w.plain) AS plain FROM (
       SELECT o.oid, ontosql_catalog.ontosql_unquoted(o.quoted) AS word, t.plain || t.array_suffix AS plain
       FROM ontosql_catalog.ontosql_objects o JOIN ontosql_catalog.ontosql_type_names t ON t.oid = o.oid
       WHERE o.classoid = 1247 AND o.schema = 'pg_catalog' AND NOT o.alias
       UNION ALL SELECT a.oid, regexp_replace(a.quoted, '^"?_', '') || '[]', t.plain || t.array_suffix
       FROM ontosql_catalog.ontosql_objects a JOIN ontosql_catalog.ontosql_type_names t ON t.oid = a.oid
       WHERE a.classoid = 1247 AND a.schema = 'pg_catalog' AND t.array_suffix <> ''
       UNION ALL VALUES (0, 'int', 'integer'), (0, 'decimal', 'numeric'), (0, 'float', 'double precision'), (0, 'none', 'NONE')) w
     GROUP BY 1) n);
CREATE OR REPLACE MACRO ontosql_catalog.ontosql_call_key(name) AS
  list_transform([{'name': trim(name::VARCHAR), 'types': ontosql_catalog.ontosql_spellings()}], lambda a:
    regexp_replace(regexp_extract(a.name, '^([^(]*)\(', 1), '^pg_catalog\.', '') || '(' ||
    array_to_string(list_transform(list_filter(string_split(regexp_extract(a.name, '\((.*)\)$', 1), ','), lambda x: x <> ''),
      lambda x: coalesce(a.types[lower(trim(x))], trim(x))), ',') || ')')[1];
CREATE OR REPLACE MACRO ontosql_catalog.ontosql_calls(class) AS TABLE
  SELECT p.oid, p.name FROM ontosql_catalog.ontosql_procedures p WHERE class = 1255
  UNION ALL
  SELECT o.oid, o.oprname || '(' || CASE WHEN o.oprleft = 0 THEN 'NONE' ELSE l.plain || l.array_suffix END || ',' ||
    CASE WHEN o.oprright = 0 THEN 'NONE' ELSE r.plain || r.array_suffix END || ')'
  FROM ontosql_catalog.pg_operator o LEFT JOIN ontosql_catalog.ontosql_type_names l ON l.oid = o.oprleft
  LEFT JOIN ontosql_catalog.ontosql_type_names r ON r.oid = o.oprright WHERE class = 2617;
CREATE OR REPLACE MACRO ontosql_catalog.ontosql_call_oid(class, name) AS
  CASE WHEN name::VARCHAR = '-' THEN 0::UINTEGER
       ELSE coalesce(TRY_CAST(name AS UINTEGER), (SELECT map(list(c.name), list(c.oid)) FROM ontosql_catalog.ontosql_calls(class) c)[
         ontosql_catalog.ontosql_call_key(name)]) END;
CREATE OR REPLACE MACRO ontosql_catalog.ontosql_call_name(class, oid) AS
  CASE WHEN TRY_CAST(oid AS UINTEGER) = 0 THEN '-' ELSE coalesce(
    (SELECT map(list(c.oid), list(c.name)) FROM ontosql_catalog.ontosql_calls(class) c)[TRY_CAST(oid AS UINTEGER)], oid::VARCHAR) END;
CREATE OR REPLACE MACRO ontosql_catalog.regprocedure_oid(name) AS ontosql_catalog.ontosql_call_oid(1255, name);
CREATE OR REPLACE MACRO ontosql_catalog.regprocedure_name(oid) AS ontosql_catalog.ontosql_call_name(1255, oid);
CREATE OR REPLACE MACRO ontosql_catalog.regoperator_oid(name) AS ontosql_catalog.ontosql_call_oid(2617, name);
CREATE OR REPLACE MACRO ontosql_catalog.regoperator_name(oid) AS ontosql_catalog.ontosql_call_name(2617, oid);

-- Of an operator's name alone there must be one, or it is shown and asked for with
-- its schema.
CREATE OR REPLACE MACRO ontosql_catalog.regoper_oid(name) AS
  CASE WHEN name::VARCHAR IN ('-', '0') THEN 0::UINTEGER ELSE coalesce(TRY_CAST(name AS UINTEGER),
    (SELECT map(list(n.name), list(n.oid)) FROM (
       SELECT o.oprname AS name, min(o.oid) AS oid FROM ontosql_catalog.pg_operator o GROUP BY 1 HAVING count(*) = 1) n)[
         regexp_replace(name::VARCHAR, '^pg_catalog\.', '')]) END;
CREATE OR REPLACE MACRO ontosql_catalog.regoper_name(oid) AS
  CASE WHEN TRY_CAST(oid AS UINTEGER) = 0 THEN '0' ELSE coalesce(
    (SELECT map(list(o.oid), list(CASE WHEN n.count = 1 THEN o.oprname ELSE 'pg_catalog.' || o.oprname END))
     FROM ontosql_catalog.pg_operator o JOIN (SELECT x.oprname, count(*) AS count FROM ontosql_catalog.pg_operator x GROUP BY 1) n USING (oprname))[
       TRY_CAST(oid AS UINTEGER)], oid::VARCHAR) END;

CREATE OR REPLACE MACRO ontosql_catalog.ontosql_named_oid(known, name) AS
  CASE WHEN name::VARCHAR = '-' THEN 0::UINTEGER ELSE coalesce(TRY_CAST(name AS UINTEGER),
    known[regexp_replace(ontosql_catalog.ontosql_key(name), '^"pg_catalog"\.', '')]) END;
CREATE OR REPLACE MACRO ontosql_catalog.ontosql_named(known, oid) AS
  CASE WHEN TRY_CAST(oid AS UINTEGER) = 0 THEN '-' ELSE coalesce(ontosql_catalog.quote_ident(known[TRY_CAST(oid AS UINTEGER)]), oid::VARCHAR) END;
CREATE OR REPLACE MACRO ontosql_catalog.regcollation_oid(name) AS ontosql_catalog.ontosql_named_oid(
  (SELECT map(list('"' || o.collname || '"'), list(o.oid)) FROM ontosql_catalog.pg_collation o WHERE o.collencoding IN (-1, 6)), name);
CREATE OR REPLACE MACRO ontosql_catalog.regcollation_name(oid) AS ontosql_catalog.ontosql_named(
  (SELECT map(list(o.oid), list(o.collname)) FROM ontosql_catalog.pg_collation o), oid);
CREATE OR REPLACE MACRO ontosql_catalog.regconfig_oid(name) AS ontosql_catalog.ontosql_named_oid(
  (SELECT map(list('"' || o.cfgname || '"'), list(o.oid)) FROM ontosql_catalog.pg_ts_config o), name);
CREATE OR REPLACE MACRO ontosql_catalog.regconfig_name(oid) AS ontosql_catalog.ontosql_named(
  (SELECT map(list(o.oid), list(o.cfgname)) FROM ontosql_catalog.pg_ts_config o), oid);
CREATE OR REPLACE MACRO ontosql_catalog.regdictionary_oid(name) AS ontosql_catalog.ontosql_named_oid(
  (SELECT map(list('"' || o.dictname || '"'), list(o.oid)) FROM ontosql_catalog.pg_ts_dict o), name);
CREATE OR REPLACE MACRO ontosql_catalog.regdictionary_name(oid) AS ontosql_catalog.ontosql_named(
  (SELECT map(list(o.oid), list(o.dictname)) FROM ontosql_catalog.pg_ts_dict o), oid);
CREATE OR REPLACE MACRO ontosql_catalog.to_regproc(name) AS ontosql_catalog.regproc_oid(name);
CREATE OR REPLACE MACRO ontosql_catalog.to_regprocedure(name) AS ontosql_catalog.regprocedure_oid(name);
CREATE OR REPLACE MACRO ontosql_catalog.to_regoper(name) AS ontosql_catalog.regoper_oid(name);
CREATE OR REPLACE MACRO ontosql_catalog.to_regoperator(name) AS ontosql_catalog.regoperator_oid(name);
CREATE OR REPLACE MACRO ontosql_catalog.to_regcollation(name) AS ontosql_catalog.regcollation_oid(name);
CREATE OR REPLACE MACRO ontosql_catalog.to_regrole(name) AS ontosql_catalog.regrole_oid(name);

-- What an object is called in messages, and in the parts of its address.
CREATE OR REPLACE MACRO ontosql_catalog.ontosql_identified(class, oid) AS
  (SELECT map(list({'class': n.class, 'oid': n.oid}), list({'kind': n.kind, 'schema': n.schema, 'name': n.name, 'qualified': n.qualified, 'shown': n.shown}))
   FROM (
     SELECT 1259::UINTEGER AS class, c.oid, CASE c.relkind WHEN 'v' THEN 'view' WHEN 'i' THEN 'index' ELSE 'table' END AS kind,
       o.schema, c.relname AS name, o.qualified, CASE WHEN v.oid IS NULL THEN o.qualified ELSE o.quoted END AS shown
     FROM ontosql_catalog.ontosql_now('pg_class') c JOIN ontosql_catalog.ontosql_objects o ON o.oid = c.oid AND o.classoid = 1259 AND NOT o.alias
     LEFT JOIN ontosql_catalog.ontosql_visible(1259) v ON v.oid = c.oid AND NOT v.alias
     UNION ALL SELECT 2615, o.oid, 'schema', NULL, ontosql_catalog.ontosql_unquoted(o.quoted), o.qualified, o.quoted
     FROM ontosql_catalog.ontosql_objects o WHERE o.classoid = 2615
     UNION ALL SELECT 1260, o.oid, 'role', NULL, ontosql_catalog.ontosql_unquoted(o.quoted), o.qualified, o.quoted
     FROM ontosql_catalog.ontosql_objects o WHERE o.classoid = 1260
     UNION ALL SELECT 1247, t.oid, 'type', o.schema, ontosql_catalog.ontosql_unquoted(o.quoted), t.plain || t.array_suffix, t.plain || t.array_suffix
     FROM ontosql_catalog.ontosql_type_names t JOIN ontosql_catalog.ontosql_objects o ON o.oid = t.oid AND o.classoid = 1247 AND NOT o.alias
     UNION ALL SELECT 1255, p.oid, 'function', o.schema, NULL, CASE WHEN o.schema = 'pg_catalog' THEN 'pg_catalog.' ELSE '' END || p.name, p.name
     FROM ontosql_catalog.ontosql_procedures p JOIN ontosql_catalog.ontosql_objects o ON o.oid = p.oid AND o.classoid = 1255) n)[
       {'class': TRY_CAST(class AS UINTEGER), 'oid': TRY_CAST(oid AS UINTEGER)}];
CREATE OR REPLACE MACRO ontosql_catalog.ontosql_column_name(oid, num) AS
  (SELECT map(list(a.attrelid::BIGINT * 65536 + a.attnum), list(a.attname)) FROM ontosql_catalog.ontosql_now('pg_attribute') a WHERE a.attnum > 0)[
    TRY_CAST(oid AS UINTEGER)::BIGINT * 65536 + num];
CREATE OR REPLACE MACRO ontosql_catalog.pg_describe_object(class, oid, num) AS
  list_transform([{'o': ontosql_catalog.ontosql_identified(class, oid), 'col': ontosql_catalog.ontosql_column_name(oid, num)}],
    lambda a: CASE WHEN a.col IS NOT NULL THEN 'column ' || a.col || ' of ' ELSE '' END || a.o.kind || ' ' || a.o.shown)[1];
CREATE OR REPLACE MACRO ontosql_catalog.pg_identify_object(class, oid, num) AS
  list_transform([{'o': ontosql_catalog.ontosql_identified(class, oid), 'col': ontosql_catalog.ontosql_column_name(oid, num)}],
    lambda a: {
      'type': a.o.kind || CASE WHEN a.col IS NOT NULL THEN ' column' ELSE '' END, 'schema': a.o.schema,
      'name': a.o.name,
      'identity': a.o.qualified || CASE WHEN a.col IS NOT NULL THEN '.' || a.col ELSE '' END})[1];
CREATE OR REPLACE MACRO ontosql_catalog.pg_identify_object_as_address(class, oid, num) AS
  list_transform([{'o': ontosql_catalog.ontosql_identified(class, oid), 'col': ontosql_catalog.ontosql_column_name(oid, num)}],
    lambda a: {
      'type': a.o.kind || CASE WHEN a.col IS NOT NULL THEN ' column' ELSE '' END,
      'object_names': CASE WHEN a.o.kind IS NOT NULL THEN list_filter([a.o.schema, a.o.name, a.col], lambda part: part IS NOT NULL) END,
      'object_args': CASE WHEN a.o.kind IS NOT NULL THEN []::VARCHAR[] END})[1];

-- All indexes are unique btrees over columns in their own order.
CREATE OR REPLACE MACRO ontosql_catalog.ontosql_is_index(oid) AS
  list_contains((SELECT list(i.indexrelid) FROM ontosql_catalog.ontosql_now('pg_index') i), TRY_CAST(oid AS UINTEGER));
CREATE OR REPLACE MACRO ontosql_catalog.pg_index_column_has_property(oid, num, property) AS
  CASE WHEN ontosql_catalog.ontosql_is_index(oid) AND ontosql_catalog.ontosql_column_name(oid, num) IS NOT NULL THEN CASE lower(property)
    WHEN 'asc' THEN true WHEN 'desc' THEN false WHEN 'nulls_first' THEN false WHEN 'nulls_last' THEN true WHEN 'orderable' THEN true
    WHEN 'distance_orderable' THEN false WHEN 'returnable' THEN true WHEN 'search_array' THEN true WHEN 'search_nulls' THEN true END END;
CREATE OR REPLACE MACRO ontosql_catalog.pg_index_has_property(oid, property) AS
  CASE WHEN ontosql_catalog.ontosql_is_index(oid) THEN CASE lower(property)
    WHEN 'clusterable' THEN true WHEN 'index_scan' THEN true WHEN 'bitmap_scan' THEN true WHEN 'backward_scan' THEN true END END;
CREATE OR REPLACE MACRO ontosql_catalog.pg_indexam_has_property(am, property) AS
  CASE WHEN am = 403 THEN CASE lower(property)
    WHEN 'can_order' THEN true WHEN 'can_unique' THEN true WHEN 'can_multi_col' THEN true WHEN 'can_exclude' THEN true WHEN 'can_include' THEN true END END;

-- Nothing is counted, replicated, restored or waited for.
CREATE OR REPLACE MACRO ontosql_catalog.pg_stat_get_blocks_fetched(oid) AS CASE WHEN oid IS NOT NULL THEN 0::BIGINT END;
CREATE OR REPLACE MACRO ontosql_catalog.pg_stat_get_blocks_hit(oid) AS CASE WHEN oid IS NOT NULL THEN 0::BIGINT END;
CREATE OR REPLACE MACRO ontosql_catalog.pg_stat_get_dead_tuples(oid) AS CASE WHEN oid IS NOT NULL THEN 0::BIGINT END;
CREATE OR REPLACE MACRO ontosql_catalog.pg_stat_get_live_tuples(oid) AS CASE WHEN oid IS NOT NULL THEN 0::BIGINT END;
CREATE OR REPLACE MACRO ontosql_catalog.pg_stat_get_tuples_inserted(oid) AS CASE WHEN oid IS NOT NULL THEN 0::BIGINT END;
CREATE OR REPLACE MACRO ontosql_catalog.pg_stat_get_tuples_updated(oid) AS CASE WHEN oid IS NOT NULL THEN 0::BIGINT END;
CREATE OR REPLACE MACRO ontosql_catalog.pg_stat_get_tuples_deleted(oid) AS CASE WHEN oid IS NOT NULL THEN 0::BIGINT END;
CREATE OR REPLACE MACRO ontosql_catalog.pg_stat_get_tuples_returned(oid) AS CASE WHEN oid IS NOT NULL THEN 0::BIGINT END;
CREATE OR REPLACE MACRO ontosql_catalog.pg_stat_get_tuples_fetched(oid) AS CASE WHEN oid IS NOT NULL THEN 0::BIGINT END;
CREATE OR REPLACE MACRO ontosql_catalog.pg_stat_get_tuples_hot_updated(oid) AS CASE WHEN oid IS NOT NULL THEN 0::BIGINT END;
CREATE OR REPLACE MACRO ontosql_catalog.pg_stat_get_mod_since_analyze(oid) AS CASE WHEN oid IS NOT NULL THEN 0::BIGINT END;
CREATE OR REPLACE MACRO ontosql_catalog.pg_stat_get_ins_since_vacuum(oid) AS CASE WHEN oid IS NOT NULL THEN 0::BIGINT END;
CREATE OR REPLACE MACRO ontosql_catalog.pg_stat_get_vacuum_count(oid) AS CASE WHEN oid IS NOT NULL THEN 0::BIGINT END;
CREATE OR REPLACE MACRO ontosql_catalog.pg_stat_get_autovacuum_count(oid) AS CASE WHEN oid IS NOT NULL THEN 0::BIGINT END;
CREATE OR REPLACE MACRO ontosql_catalog.pg_stat_get_analyze_count(oid) AS CASE WHEN oid IS NOT NULL THEN 0::BIGINT END;
CREATE OR REPLACE MACRO ontosql_catalog.pg_stat_get_autoanalyze_count(oid) AS CASE WHEN oid IS NOT NULL THEN 0::BIGINT END;
CREATE OR REPLACE MACRO ontosql_catalog.pg_stat_get_db_xact_commit(oid) AS CASE WHEN oid IS NOT NULL THEN 0::BIGINT END;
CREATE OR REPLACE MACRO ontosql_catalog.pg_stat_get_db_xact_rollback(oid) AS CASE WHEN oid IS NOT NULL THEN 0::BIGINT END;
CREATE OR REPLACE MACRO ontosql_catalog.pg_stat_get_db_blocks_fetched(oid) AS CASE WHEN oid IS NOT NULL THEN 0::BIGINT END;
CREATE OR REPLACE MACRO ontosql_catalog.pg_stat_get_db_blocks_hit(oid) AS CASE WHEN oid IS NOT NULL THEN 0::BIGINT END;
CREATE OR REPLACE MACRO ontosql_catalog.pg_stat_get_db_tuples_returned(oid) AS CASE WHEN oid IS NOT NULL THEN 0::BIGINT END;
CREATE OR REPLACE MACRO ontosql_catalog.pg_stat_get_db_tuples_fetched(oid) AS CASE WHEN oid IS NOT NULL THEN 0::BIGINT END;
CREATE OR REPLACE MACRO ontosql_catalog.pg_stat_get_db_tuples_inserted(oid) AS CASE WHEN oid IS NOT NULL THEN 0::BIGINT END;
CREATE OR REPLACE MACRO ontosql_catalog.pg_stat_get_db_tuples_updated(oid) AS CASE WHEN oid IS NOT NULL THEN 0::BIGINT END;
CREATE OR REPLACE MACRO ontosql_catalog.pg_stat_get_db_tuples_deleted(oid) AS CASE WHEN oid IS NOT NULL THEN 0::BIGINT END;
CREATE OR REPLACE MACRO ontosql_catalog.pg_stat_get_db_deadlocks(oid) AS CASE WHEN oid IS NOT NULL THEN 0::BIGINT END;
CREATE OR REPLACE MACRO ontosql_catalog.pg_stat_get_db_temp_files(oid) AS CASE WHEN oid IS NOT NULL THEN 0::BIGINT END;
CREATE OR REPLACE MACRO ontosql_catalog.pg_stat_get_db_temp_bytes(oid) AS CASE WHEN oid IS NOT NULL THEN 0::BIGINT END;
CREATE OR REPLACE MACRO ontosql_catalog.pg_stat_get_last_vacuum_time(oid) AS NULL::TIMESTAMPTZ;
CREATE OR REPLACE MACRO ontosql_catalog.pg_stat_get_last_autovacuum_time(oid) AS NULL::TIMESTAMPTZ;
CREATE OR REPLACE MACRO ontosql_catalog.pg_stat_get_last_analyze_time(oid) AS NULL::TIMESTAMPTZ;
CREATE OR REPLACE MACRO ontosql_catalog.pg_stat_get_last_autoanalyze_time(oid) AS NULL::TIMESTAMPTZ;
CREATE OR REPLACE MACRO ontosql_catalog.pg_stat_get_db_stat_reset_time(oid) AS NULL::TIMESTAMPTZ;
CREATE OR REPLACE MACRO ontosql_catalog.pg_stat_get_snapshot_timestamp() AS NULL::TIMESTAMPTZ;
CREATE OR REPLACE MACRO ontosql_catalog.pg_last_xact_replay_timestamp() AS NULL::TIMESTAMPTZ;
CREATE OR REPLACE MACRO ontosql_catalog.pg_last_wal_receive_lsn() AS NULL::VARCHAR;
CREATE OR REPLACE MACRO ontosql_catalog.pg_last_wal_replay_lsn() AS NULL::VARCHAR;
CREATE OR REPLACE MACRO ontosql_catalog.pg_stat_clear_snapshot() AS '';
CREATE OR REPLACE MACRO ontosql_catalog.pg_jit_available() AS false;
CREATE OR REPLACE MACRO ontosql_catalog.pg_trigger_depth() AS 0::INTEGER;
CREATE OR REPLACE MACRO ontosql_catalog.pg_notification_queue_usage() AS 0::DOUBLE;
CREATE OR REPLACE MACRO ontosql_catalog.pg_blocking_pids(pid) AS CASE WHEN pid IS NOT NULL THEN []::INTEGER[] END;
CREATE OR REPLACE MACRO ontosql_catalog.pg_safe_snapshot_blocking_pids(pid) AS CASE WHEN pid IS NOT NULL THEN []::INTEGER[] END;
CREATE OR REPLACE MACRO ontosql_catalog.pg_isolation_test_session_is_blocked(pid, pids) AS false;
CREATE OR REPLACE MACRO ontosql_catalog.row_security_active(oid) AS CASE WHEN oid IS NOT NULL THEN false END;
CREATE OR REPLACE MACRO ontosql_catalog.pg_get_replica_identity_index(oid) AS (SELECT map(list(i.indrelid), list(i.indexrelid)) FROM ontosql_catalog.ontosql_now('pg_index') i WHERE i.indisprimary)[TRY_CAST(oid AS UINTEGER)];
CREATE OR REPLACE MACRO ontosql_catalog.pg_relation_filepath(oid) AS CASE WHEN TRY_CAST(oid AS UINTEGER) IS NOT NULL THEN NULL::VARCHAR END;
CREATE OR REPLACE MACRO ontosql_catalog.pg_filenode_relation(space, node) AS CASE WHEN node IS NOT NULL THEN NULL::UINTEGER END;
CREATE OR REPLACE MACRO ontosql_catalog.pg_get_function_arg_default(oid, num) AS NULL::VARCHAR;
CREATE OR REPLACE MACRO ontosql_catalog.pg_encoding_max_length(encoding) AS CASE encoding WHEN 0 THEN 1 WHEN 6 THEN 4 WHEN 8 THEN 1 END;
