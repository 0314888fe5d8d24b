-- The functions of PostgreSQL that catalog queries call. One statement ends at each
-- ";" that ends a line. What has to look something up asks a function of the engine
-- (Calls): a subquery would be planned anew with each statement.
CREATE OR REPLACE MACRO ontosql_catalog.ontosql_session() AS getvariable('ontosql_catalog_session')::BIGINT;

CREATE OR REPLACE MACRO ontosql_catalog.ontosql_to_oid(class, name) AS ontosql_object_oid(ontosql_catalog.ontosql_session(), class, name::VARCHAR)::UINTEGER;

CREATE OR REPLACE MACRO ontosql_catalog.ontosql_to_name(class, oid) AS ontosql_object_name(ontosql_catalog.ontosql_session(), class, TRY_CAST(oid AS UINTEGER));

-- The oid, unless it is NULL: then nothing has the name, which is an error at that
-- position of the statement.
CREATE OR REPLACE MACRO ontosql_catalog.reg_known(type, name, oid, place) AS
  ontosql_known_object(ontosql_catalog.ontosql_session(), type, name::VARCHAR, oid::BIGINT, place)::UINTEGER;

-- Whether the oid is that of an object, which is asked when a row needs it: reg_known
-- fails when the statement is planned, as the cast of a constant does.
CREATE OR REPLACE MACRO ontosql_catalog.reg_present(type, name, oid) AS
  ontosql_present_object(ontosql_catalog.ontosql_session(), type, name::VARCHAR, oid::BIGINT, 0) IS NOT NULL;

CREATE OR REPLACE MACRO ontosql_catalog.regclass_oid(name) AS ontosql_catalog.ontosql_to_oid(1259, name);
CREATE OR REPLACE MACRO ontosql_catalog.regclass_name(oid) AS ontosql_catalog.ontosql_to_name(1259, oid);
CREATE OR REPLACE MACRO ontosql_catalog.regproc_oid(name) AS ontosql_catalog.ontosql_to_oid(1255, name);
CREATE OR REPLACE MACRO ontosql_catalog.regproc_name(oid) AS ontosql_catalog.ontosql_to_name(1255, oid);
CREATE OR REPLACE MACRO ontosql_catalog.regnamespace_oid(name) AS ontosql_catalog.ontosql_to_oid(2615, name);
CREATE OR REPLACE MACRO ontosql_catalog.regnamespace_name(oid) AS ontosql_catalog.ontosql_to_name(2615, oid);
CREATE OR REPLACE MACRO ontosql_catalog.regrole_oid(name) AS ontosql_catalog.ontosql_to_oid(1260, name);
CREATE OR REPLACE MACRO ontosql_catalog.regrole_name(oid) AS ontosql_catalog.ontosql_to_name(1260, oid);

CREATE OR REPLACE MACRO ontosql_catalog.regtype_oid(name) AS ontosql_type_oid(ontosql_catalog.ontosql_session(), name::VARCHAR)::UINTEGER;

CREATE OR REPLACE MACRO ontosql_catalog.to_regclass(name) AS ontosql_to_reg(ontosql_catalog.ontosql_session(), 'regclass', name::VARCHAR, ontosql_catalog.regclass_oid(name)::BIGINT)::UINTEGER;
CREATE OR REPLACE MACRO ontosql_catalog.to_regtype(name) AS ontosql_to_reg(ontosql_catalog.ontosql_session(), 'regtype', name::VARCHAR, ontosql_catalog.regtype_oid(name)::BIGINT)::UINTEGER;
CREATE OR REPLACE MACRO ontosql_catalog.to_regnamespace(name) AS ontosql_to_reg(ontosql_catalog.ontosql_session(), 'regnamespace', name::VARCHAR, ontosql_catalog.regnamespace_oid(name)::BIGINT)::UINTEGER;

CREATE OR REPLACE MACRO ontosql_catalog.regtype_name(oid) AS ontosql_type_name(ontosql_catalog.ontosql_session(), TRY_CAST(oid AS UINTEGER));

CREATE OR REPLACE MACRO ontosql_catalog.format_type(type, modifier) AS
  ontosql_format_type(ontosql_catalog.ontosql_session(), TRY_CAST(type AS UINTEGER), TRY_CAST(modifier AS INTEGER));

CREATE OR REPLACE MACRO ontosql_catalog.oidvectortypes(types) AS
  CASE WHEN types IS NOT NULL THEN coalesce(main.array_to_string(list_transform(types, lambda t: ontosql_catalog.format_type(t, NULL)), ', '), '') END;

-- The name is shortened until both fit in 63 bytes.
CREATE OR REPLACE MACRO ontosql_catalog.nameconcatoid(name, oid) AS
  list_transform([63 - length('_' || oid::VARCHAR)], lambda room: CASE WHEN strlen(name) <= room THEN name ELSE
    list_filter(list_transform(range(room, 0, -1), lambda n: left(name, n)), lambda cut: strlen(cut) <= room)[1] END || '_' || oid::VARCHAR)[1];

CREATE OR REPLACE MACRO ontosql_catalog.ontosql_is_visible(class, oid) AS
  ontosql_object_visible(ontosql_catalog.ontosql_session(), class, TRY_CAST(oid AS UINTEGER))::BOOLEAN;
CREATE OR REPLACE MACRO ontosql_catalog.pg_table_is_visible(oid) AS ontosql_catalog.ontosql_is_visible(1259, oid);
CREATE OR REPLACE MACRO ontosql_catalog.pg_type_is_visible(oid) AS ontosql_catalog.ontosql_is_visible(1247, oid);

CREATE OR REPLACE MACRO ontosql_catalog.pg_function_is_visible(oid) AS ontosql_catalog.ontosql_is_visible(1255, oid);

CREATE OR REPLACE MACRO ontosql_catalog.pg_operator_is_visible(oid) AS ontosql_catalog.ontosql_is_visible(2617, oid);
CREATE OR REPLACE MACRO ontosql_catalog.pg_opclass_is_visible(oid) AS ontosql_catalog.ontosql_is_visible(2616, oid);
CREATE OR REPLACE MACRO ontosql_catalog.pg_opfamily_is_visible(oid) AS ontosql_catalog.ontosql_is_visible(2753, oid);
CREATE OR REPLACE MACRO ontosql_catalog.pg_collation_is_visible(oid) AS ontosql_catalog.ontosql_is_visible(3456, oid);
CREATE OR REPLACE MACRO ontosql_catalog.pg_conversion_is_visible(oid) AS ontosql_catalog.ontosql_is_visible(2607, oid);
CREATE OR REPLACE MACRO ontosql_catalog.pg_ts_config_is_visible(oid) AS ontosql_catalog.ontosql_is_visible(3602, oid);
CREATE OR REPLACE MACRO ontosql_catalog.pg_ts_dict_is_visible(oid) AS ontosql_catalog.ontosql_is_visible(3600, oid);
CREATE OR REPLACE MACRO ontosql_catalog.pg_ts_parser_is_visible(oid) AS ontosql_catalog.ontosql_is_visible(3601, oid);
CREATE OR REPLACE MACRO ontosql_catalog.pg_ts_template_is_visible(oid) AS ontosql_catalog.ontosql_is_visible(3764, oid);
CREATE OR REPLACE MACRO ontosql_catalog.pg_statistics_obj_is_visible(oid) AS ontosql_catalog.ontosql_is_visible(3381, oid);

CREATE OR REPLACE MACRO ontosql_catalog.pg_get_userbyid(role) AS
  coalesce(ontosql_role_name(ontosql_catalog.ontosql_session(), TRY_CAST(role AS UINTEGER)), 'unknown (OID=' || role::VARCHAR || ')');

-- Expressions are kept as SQL text.
CREATE OR REPLACE MACRO ontosql_catalog.pg_get_expr(expression, relation) AS expression::VARCHAR,
  (expression, relation, pretty) AS expression::VARCHAR;

CREATE OR REPLACE MACRO ontosql_catalog.ontosql_defined(class, oid, part) AS ontosql_definition(ontosql_catalog.ontosql_session(), class, TRY_CAST(oid AS UINTEGER), part);

CREATE OR REPLACE MACRO ontosql_catalog.pg_get_constraintdef(oid) AS ontosql_catalog.ontosql_defined(2606, oid, 0),
  (oid, pretty) AS ontosql_catalog.ontosql_defined(2606, oid, CASE WHEN pretty THEN -1 ELSE 0 END);
CREATE OR REPLACE MACRO ontosql_catalog.pg_get_indexdef(oid) AS ontosql_catalog.ontosql_defined(1259, oid, 0),
  (oid, col, pretty) AS ontosql_catalog.ontosql_defined(1259, oid, CASE WHEN col = 0 AND pretty THEN -1 ELSE col END);
CREATE OR REPLACE MACRO ontosql_catalog.pg_get_viewdef(oid) AS ontosql_catalog.ontosql_defined(1259, ontosql_catalog.regclass_oid(oid), 0),
  (oid, pretty) AS ontosql_catalog.ontosql_defined(1259, ontosql_catalog.regclass_oid(oid), CASE WHEN pretty::VARCHAR IN ('false', '0') THEN 0 ELSE -1 END);
CREATE OR REPLACE MACRO ontosql_catalog.pg_get_ruledef(oid) AS ontosql_catalog.ontosql_defined(2618, oid, 0),
  (oid, pretty) AS ontosql_catalog.ontosql_defined(2618, oid, CASE WHEN pretty THEN -1 ELSE 0 END);
CREATE OR REPLACE MACRO ontosql_catalog.pg_get_function_result(oid) AS ontosql_catalog.ontosql_defined(1255, oid, 1);
CREATE OR REPLACE MACRO ontosql_catalog.pg_get_function_arguments(oid) AS ontosql_catalog.ontosql_defined(1255, oid, 2);
CREATE OR REPLACE MACRO ontosql_catalog.pg_get_function_identity_arguments(oid) AS ontosql_catalog.ontosql_defined(1255, oid, 3);
CREATE OR REPLACE MACRO ontosql_catalog.pg_get_functiondef(oid) AS ontosql_catalog.ontosql_defined(1255, oid, 4);
CREATE OR REPLACE MACRO ontosql_catalog.pg_get_function_sqlbody(oid) AS NULL::VARCHAR;

-- Of these objects there are none, so there is nothing to print.
CREATE OR REPLACE MACRO ontosql_catalog.pg_get_statisticsobjdef(oid) AS NULL::VARCHAR;
CREATE OR REPLACE MACRO ontosql_catalog.pg_get_statisticsobjdef_columns(oid) AS NULL::VARCHAR;
CREATE OR REPLACE MACRO ontosql_catalog.pg_get_partkeydef(oid) AS NULL::VARCHAR;
CREATE OR REPLACE MACRO ontosql_catalog.pg_get_partition_constraintdef(oid) AS NULL::VARCHAR;
CREATE OR REPLACE MACRO ontosql_catalog.pg_get_triggerdef(oid) AS NULL::VARCHAR, (oid, pretty) AS NULL::VARCHAR;
CREATE OR REPLACE MACRO ontosql_catalog.pg_get_serial_sequence(tab, col) AS
  ontosql_serial_sequence(ontosql_catalog.ontosql_session(), ontosql_catalog.regclass_oid(tab), col::VARCHAR);
CREATE OR REPLACE MACRO ontosql_catalog.pg_partition_ancestors(oid) AS unnest([]::UINTEGER[]);
-- In FROM it stands with and without WITH ORDINALITY, which DuckDB ignores there.
CREATE OR REPLACE MACRO ontosql_catalog.pg_partition_ancestors(oid) AS TABLE
  SELECT NULL::UINTEGER AS relid, NULL::BIGINT AS ordinality WHERE false;
CREATE OR REPLACE MACRO ontosql_catalog.pg_partition_tree(oid) AS
  []::STRUCT(relid UINTEGER, parentrelid UINTEGER, isleaf BOOLEAN, level INTEGER)[];
CREATE OR REPLACE MACRO ontosql_catalog.pg_partition_root(oid) AS NULL::UINTEGER;

CREATE OR REPLACE MACRO ontosql_catalog.ontosql_is_writable(oid) AS ontosql_relation_writable(ontosql_catalog.ontosql_session(), TRY_CAST(oid AS UINTEGER))::BOOLEAN;
CREATE OR REPLACE MACRO ontosql_catalog.pg_relation_is_publishable(oid) AS ontosql_catalog.ontosql_is_writable(oid);
CREATE OR REPLACE MACRO ontosql_catalog.pg_relation_is_updatable(oid, triggers) AS
  CASE WHEN oid IS NOT NULL THEN ontosql_relation_events(ontosql_catalog.ontosql_session(), TRY_CAST(oid AS UINTEGER))::INTEGER END;
CREATE OR REPLACE MACRO ontosql_catalog.pg_column_is_updatable(oid, num, triggers) AS
  CASE WHEN oid IS NOT NULL THEN ontosql_column_updatable(ontosql_catalog.ontosql_session(), TRY_CAST(oid AS UINTEGER), num)::BOOLEAN END;

CREATE OR REPLACE MACRO ontosql_catalog.ontosql_comment_on(class, oid, part) AS ontosql_comment(ontosql_catalog.ontosql_session(), class, TRY_CAST(oid AS UINTEGER), part);

CREATE OR REPLACE MACRO ontosql_catalog.obj_description(oid, class) AS ontosql_catalog.ontosql_comment_on(ontosql_catalog.regclass_oid('pg_catalog.' || class), oid, 0),
  (oid) AS ontosql_catalog.ontosql_comment_on(0, oid, 0);
CREATE OR REPLACE MACRO ontosql_catalog.col_description(oid, num) AS ontosql_catalog.ontosql_comment_on(1259, oid, num);
CREATE OR REPLACE MACRO ontosql_catalog.shobj_description(oid, class) AS
  CASE WHEN class = 'pg_database' THEN ontosql_database_comment(ontosql_catalog.ontosql_session(), TRY_CAST(oid AS UINTEGER)) END;

CREATE OR REPLACE MACRO ontosql_catalog.pg_encoding_to_char(encoding) AS ontosql_encoding_name(encoding);
CREATE OR REPLACE MACRO ontosql_catalog.pg_char_to_encoding(name) AS ontosql_encoding_number(name)::INTEGER;
CREATE OR REPLACE MACRO ontosql_catalog.getdatabaseencoding() AS 'UTF8';

-- has_table_privilege and its like: the session knows the objects and the roles.
CREATE OR REPLACE MACRO ontosql_catalog.has_table_privilege(a, b) AS
  ontosql_has_privilege(ontosql_catalog.ontosql_session(), 'table', '', a::VARCHAR, '', b::VARCHAR) = 1,
  (a, b, c) AS ontosql_has_privilege(ontosql_catalog.ontosql_session(), 'table', a::VARCHAR, b::VARCHAR, '', c::VARCHAR) = 1;
CREATE OR REPLACE MACRO ontosql_catalog.has_sequence_privilege(a, b) AS
  ontosql_has_privilege(ontosql_catalog.ontosql_session(), 'sequence', '', a::VARCHAR, '', b::VARCHAR) = 1,
  (a, b, c) AS ontosql_has_privilege(ontosql_catalog.ontosql_session(), 'sequence', a::VARCHAR, b::VARCHAR, '', c::VARCHAR) = 1;
CREATE OR REPLACE MACRO ontosql_catalog.has_schema_privilege(a, b) AS
  ontosql_has_privilege(ontosql_catalog.ontosql_session(), 'schema', '', a::VARCHAR, '', b::VARCHAR) = 1,
  (a, b, c) AS ontosql_has_privilege(ontosql_catalog.ontosql_session(), 'schema', a::VARCHAR, b::VARCHAR, '', c::VARCHAR) = 1;
CREATE OR REPLACE MACRO ontosql_catalog.has_any_column_privilege(a, b) AS
  ontosql_has_privilege(ontosql_catalog.ontosql_session(), 'any_column', '', a::VARCHAR, '', b::VARCHAR) = 1,
  (a, b, c) AS ontosql_has_privilege(ontosql_catalog.ontosql_session(), 'any_column', a::VARCHAR, b::VARCHAR, '', c::VARCHAR) = 1;
CREATE OR REPLACE MACRO ontosql_catalog.has_database_privilege(a, b) AS
  ontosql_has_privilege(ontosql_catalog.ontosql_session(), 'database', '', a::VARCHAR, '', b::VARCHAR) = 1,
  (a, b, c) AS ontosql_has_privilege(ontosql_catalog.ontosql_session(), 'database', a::VARCHAR, b::VARCHAR, '', c::VARCHAR) = 1;
CREATE OR REPLACE MACRO ontosql_catalog.has_function_privilege(a, b) AS
  ontosql_has_privilege(ontosql_catalog.ontosql_session(), 'function', '', a::VARCHAR, '', b::VARCHAR) = 1,
  (a, b, c) AS ontosql_has_privilege(ontosql_catalog.ontosql_session(), 'function', a::VARCHAR, b::VARCHAR, '', c::VARCHAR) = 1;
CREATE OR REPLACE MACRO ontosql_catalog.has_type_privilege(a, b) AS
  ontosql_has_privilege(ontosql_catalog.ontosql_session(), 'type', '', a::VARCHAR, '', b::VARCHAR) = 1,
  (a, b, c) AS ontosql_has_privilege(ontosql_catalog.ontosql_session(), 'type', a::VARCHAR, b::VARCHAR, '', c::VARCHAR) = 1;
CREATE OR REPLACE MACRO ontosql_catalog.has_language_privilege(a, b) AS
  ontosql_has_privilege(ontosql_catalog.ontosql_session(), 'language', '', a::VARCHAR, '', b::VARCHAR) = 1,
  (a, b, c) AS ontosql_has_privilege(ontosql_catalog.ontosql_session(), 'language', a::VARCHAR, b::VARCHAR, '', c::VARCHAR) = 1;
CREATE OR REPLACE MACRO ontosql_catalog.has_tablespace_privilege(a, b) AS
  ontosql_has_privilege(ontosql_catalog.ontosql_session(), 'tablespace', '', a::VARCHAR, '', b::VARCHAR) = 1,
  (a, b, c) AS ontosql_has_privilege(ontosql_catalog.ontosql_session(), 'tablespace', a::VARCHAR, b::VARCHAR, '', c::VARCHAR) = 1;
CREATE OR REPLACE MACRO ontosql_catalog.has_column_privilege(a, b, c) AS
  ontosql_has_privilege(ontosql_catalog.ontosql_session(), 'column', '', a::VARCHAR, b::VARCHAR, c::VARCHAR) = 1,
  (a, b, c, d) AS ontosql_has_privilege(ontosql_catalog.ontosql_session(), 'column', a::VARCHAR, b::VARCHAR, c::VARCHAR, d::VARCHAR) = 1;
CREATE OR REPLACE MACRO ontosql_catalog.pg_has_role(a, b) AS
  ontosql_has_role(ontosql_catalog.ontosql_session(), '', a::VARCHAR, b::VARCHAR) = 1,
  (a, b, c) AS ontosql_has_role(ontosql_catalog.ontosql_session(), a::VARCHAR, b::VARCHAR, c::VARCHAR) = 1;

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
  list_transform([size::HUGEINT], lambda n: CASE
    WHEN abs(n) < 10240 THEN n || ' bytes'
    WHEN abs(n // 512) < 20479 THEN ontosql_catalog.ontosql_half(n // 512) || ' kB'
    WHEN abs(n // 524288) < 20479 THEN ontosql_catalog.ontosql_half(n // 524288) || ' MB'
    WHEN abs(n // 536870912) < 20479 THEN ontosql_catalog.ontosql_half(n // 536870912) || ' GB'
    WHEN abs(n // 549755813888) < 20479 THEN ontosql_catalog.ontosql_half(n // 549755813888) || ' TB'
    ELSE ontosql_catalog.ontosql_half(n // 562949953421312) || ' PB' END)[1];

CREATE OR REPLACE MACRO ontosql_catalog.pg_my_temp_schema() AS coalesce(ontosql_catalog.ontosql_to_oid(2615, 'pg_temp'), 0::UINTEGER);
CREATE OR REPLACE MACRO ontosql_catalog.pg_is_other_temp_schema(oid) AS CASE WHEN oid IS NOT NULL THEN false END;
CREATE OR REPLACE MACRO ontosql_catalog.pg_is_in_recovery() AS false;
CREATE OR REPLACE MACRO ontosql_catalog.pg_stat_get_numscans(oid) AS 0::BIGINT;
CREATE OR REPLACE MACRO ontosql_catalog.current_schemas(implicit) AS
  CASE WHEN implicit IS NOT NULL THEN ontosql_search_path(ontosql_catalog.ontosql_session(), implicit::INTEGER) END;

CREATE OR REPLACE MACRO ontosql_catalog.quote_ident(name) AS ontosql_quote_ident(name::VARCHAR);
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
CREATE OR REPLACE MACRO ontosql_catalog.aclexplode(acl) AS
  flatten(list_transform(acl::VARCHAR[], lambda item: list_transform(
      regexp_extract_all(regexp_extract(item, '=([^/]*)/', 1), '[A-Za-z]\*?'), lambda granted: {
        'grantor': ontosql_catalog.regrole_oid(regexp_extract(item, '/(.*)$', 1)),
        'grantee': CASE WHEN item[1] = '=' THEN 0::UINTEGER ELSE ontosql_catalog.regrole_oid(regexp_extract(item, '^(.*)=', 1)) END,
        'privilege_type': ontosql_catalog.ontosql_privilege(granted[1]),
        'is_grantable': length(granted) = 2})));
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

CREATE OR REPLACE MACRO ontosql_catalog.ontosql_call_to_oid(class, name) AS ontosql_call_oid(ontosql_catalog.ontosql_session(), class, name::VARCHAR)::UINTEGER;
CREATE OR REPLACE MACRO ontosql_catalog.ontosql_call_to_name(class, oid) AS CASE WHEN TRY_CAST(oid AS UINTEGER) = 0 THEN '-' ELSE
  coalesce(ontosql_call_name(ontosql_catalog.ontosql_session(), class, TRY_CAST(oid AS UINTEGER)), oid::VARCHAR) END;
CREATE OR REPLACE MACRO ontosql_catalog.regprocedure_oid(name) AS ontosql_catalog.ontosql_call_to_oid(1255, name);
CREATE OR REPLACE MACRO ontosql_catalog.regprocedure_name(oid) AS ontosql_catalog.ontosql_call_to_name(1255, oid);
CREATE OR REPLACE MACRO ontosql_catalog.regoperator_oid(name) AS ontosql_catalog.ontosql_call_to_oid(2617, name);
CREATE OR REPLACE MACRO ontosql_catalog.regoperator_name(oid) AS ontosql_catalog.ontosql_call_to_name(2617, oid);

-- Of an operator's name alone there must be one, or it is shown and asked for with
-- its schema.
CREATE OR REPLACE MACRO ontosql_catalog.ontosql_own_to_oid(class, name) AS ontosql_own_oid(ontosql_catalog.ontosql_session(), class, name::VARCHAR)::UINTEGER;
CREATE OR REPLACE MACRO ontosql_catalog.ontosql_own_to_name(class, oid, zero) AS CASE WHEN TRY_CAST(oid AS UINTEGER) = 0 THEN zero ELSE
  coalesce(ontosql_own_name(ontosql_catalog.ontosql_session(), class, TRY_CAST(oid AS UINTEGER)), oid::VARCHAR) END;
CREATE OR REPLACE MACRO ontosql_catalog.regoper_oid(name) AS ontosql_catalog.ontosql_own_to_oid(2617, name);
CREATE OR REPLACE MACRO ontosql_catalog.regoper_name(oid) AS ontosql_catalog.ontosql_own_to_name(2617, oid, '0');
CREATE OR REPLACE MACRO ontosql_catalog.regcollation_oid(name) AS ontosql_catalog.ontosql_own_to_oid(3456, name);
CREATE OR REPLACE MACRO ontosql_catalog.regcollation_name(oid) AS ontosql_catalog.ontosql_own_to_name(3456, oid, '-');
CREATE OR REPLACE MACRO ontosql_catalog.regconfig_oid(name) AS ontosql_catalog.ontosql_own_to_oid(3602, name);
CREATE OR REPLACE MACRO ontosql_catalog.regconfig_name(oid) AS ontosql_catalog.ontosql_own_to_name(3602, oid, '-');
CREATE OR REPLACE MACRO ontosql_catalog.regdictionary_oid(name) AS ontosql_catalog.ontosql_own_to_oid(3600, name);
CREATE OR REPLACE MACRO ontosql_catalog.regdictionary_name(oid) AS ontosql_catalog.ontosql_own_to_name(3600, oid, '-');
CREATE OR REPLACE MACRO ontosql_catalog.to_regproc(name) AS ontosql_to_reg(ontosql_catalog.ontosql_session(), 'regproc', name::VARCHAR, ontosql_catalog.regproc_oid(name)::BIGINT)::UINTEGER;
CREATE OR REPLACE MACRO ontosql_catalog.to_regprocedure(name) AS ontosql_to_reg(ontosql_catalog.ontosql_session(), 'regprocedure', name::VARCHAR, ontosql_catalog.regprocedure_oid(name)::BIGINT)::UINTEGER;
CREATE OR REPLACE MACRO ontosql_catalog.to_regoper(name) AS ontosql_to_reg(ontosql_catalog.ontosql_session(), 'regoper', name::VARCHAR, ontosql_catalog.regoper_oid(name)::BIGINT)::UINTEGER;
CREATE OR REPLACE MACRO ontosql_catalog.to_regoperator(name) AS ontosql_to_reg(ontosql_catalog.ontosql_session(), 'regoperator', name::VARCHAR, ontosql_catalog.regoperator_oid(name)::BIGINT)::UINTEGER;
CREATE OR REPLACE MACRO ontosql_catalog.to_regcollation(name) AS ontosql_to_reg(ontosql_catalog.ontosql_session(), 'regcollation', name::VARCHAR, ontosql_catalog.regcollation_oid(name)::BIGINT)::UINTEGER;
CREATE OR REPLACE MACRO ontosql_catalog.to_regrole(name) AS ontosql_to_reg(ontosql_catalog.ontosql_session(), 'regrole', name::VARCHAR, ontosql_catalog.regrole_oid(name)::BIGINT)::UINTEGER;

-- What an object is called in messages, and in the parts of its address.
-- It is a list: kind, schema, name, qualified name, name as it is shown.
CREATE OR REPLACE MACRO ontosql_catalog.ontosql_identified(class, oid) AS
  ontosql_object_identity(ontosql_catalog.ontosql_session(), TRY_CAST(class AS UINTEGER), TRY_CAST(oid AS UINTEGER));
CREATE OR REPLACE MACRO ontosql_catalog.ontosql_column(class, oid, num) AS
  CASE WHEN class = 1259 THEN ontosql_column_name(ontosql_catalog.ontosql_session(), TRY_CAST(oid AS UINTEGER), num) END;
CREATE OR REPLACE MACRO ontosql_catalog.pg_describe_object(class, oid, num) AS
  list_transform([{'o': ontosql_catalog.ontosql_identified(class, oid), 'col': ontosql_catalog.ontosql_column(class, oid, num)}],
    lambda a: CASE WHEN a.col IS NOT NULL THEN 'column ' || a.col || ' of ' ELSE '' END || a.o[1] || ' ' || a.o[5])[1];
CREATE OR REPLACE MACRO ontosql_catalog.pg_identify_object(class, oid, num) AS
  list_transform([{'o': ontosql_catalog.ontosql_identified(class, oid), 'col': ontosql_catalog.ontosql_column(class, oid, num)}],
    lambda a: {
      'type': a.o[1] || CASE WHEN a.col IS NOT NULL THEN ' column' ELSE '' END, 'schema': a.o[2],
      'name': a.o[3],
      'identity': a.o[4] || CASE WHEN a.col IS NOT NULL THEN '.' || a.col ELSE '' END})[1];
CREATE OR REPLACE MACRO ontosql_catalog.pg_identify_object_as_address(class, oid, num) AS
  list_transform([{'o': ontosql_catalog.ontosql_identified(class, oid), 'col': ontosql_catalog.ontosql_column(class, oid, num)}],
    lambda a: {
      'type': a.o[1] || CASE WHEN a.col IS NOT NULL THEN ' column' ELSE '' END,
      'object_names': CASE WHEN a.o[1] IS NOT NULL THEN list_filter([a.o[2], a.o[3], a.col], lambda part: part IS NOT NULL) END,
      'object_args': CASE WHEN a.o[1] IS NOT NULL THEN []::VARCHAR[] END})[1];

-- All indexes are unique btrees over columns in their own order.
CREATE OR REPLACE MACRO ontosql_catalog.ontosql_is_index(oid) AS ontosql_relation_kind(ontosql_catalog.ontosql_session(), TRY_CAST(oid AS UINTEGER)) = 'i';
CREATE OR REPLACE MACRO ontosql_catalog.pg_index_column_has_property(oid, num, property) AS
  CASE WHEN ontosql_catalog.ontosql_is_index(oid) AND ontosql_catalog.ontosql_column(1259, oid, num) IS NOT NULL THEN CASE lower(property)
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
CREATE OR REPLACE MACRO ontosql_catalog.pg_get_replica_identity_index(oid) AS ontosql_primary_index(ontosql_catalog.ontosql_session(), TRY_CAST(oid AS UINTEGER))::UINTEGER;
CREATE OR REPLACE MACRO ontosql_catalog.pg_relation_filepath(oid) AS CASE WHEN TRY_CAST(oid AS UINTEGER) IS NOT NULL THEN NULL::VARCHAR END;
CREATE OR REPLACE MACRO ontosql_catalog.pg_filenode_relation(space, node) AS CASE WHEN node IS NOT NULL THEN NULL::UINTEGER END;
CREATE OR REPLACE MACRO ontosql_catalog.pg_get_function_arg_default(oid, num) AS NULL::VARCHAR;
CREATE OR REPLACE MACRO ontosql_catalog.pg_encoding_max_length(encoding) AS CASE encoding WHEN 0 THEN 1 WHEN 6 THEN 4 WHEN 8 THEN 1 END;

-- What the one parser of texts finds in them.
CREATE OR REPLACE MACRO ontosql_catalog.ts_token_type(parser) AS CASE WHEN TRY_CAST(parser AS UINTEGER) = 3722 THEN [
  {'tokid': 1::INTEGER, 'alias': 'asciiword', 'description': 'Word, all ASCII'},
  {'tokid': 2::INTEGER, 'alias': 'word', 'description': 'Word, all letters'},
  {'tokid': 3::INTEGER, 'alias': 'numword', 'description': 'Word, letters and digits'},
  {'tokid': 4::INTEGER, 'alias': 'email', 'description': 'Email address'},
  {'tokid': 5::INTEGER, 'alias': 'url', 'description': 'URL'},
  {'tokid': 6::INTEGER, 'alias': 'host', 'description': 'Host'},
  {'tokid': 7::INTEGER, 'alias': 'sfloat', 'description': 'Scientific notation'},
  {'tokid': 8::INTEGER, 'alias': 'version', 'description': 'Version number'},
  {'tokid': 9::INTEGER, 'alias': 'hword_numpart', 'description': 'Hyphenated word part, letters and digits'},
  {'tokid': 10::INTEGER, 'alias': 'hword_part', 'description': 'Hyphenated word part, all letters'},
  {'tokid': 11::INTEGER, 'alias': 'hword_asciipart', 'description': 'Hyphenated word part, all ASCII'},
  {'tokid': 12::INTEGER, 'alias': 'blank', 'description': 'Space symbols'},
  {'tokid': 13::INTEGER, 'alias': 'tag', 'description': 'XML tag'},
  {'tokid': 14::INTEGER, 'alias': 'protocol', 'description': 'Protocol head'},
  {'tokid': 15::INTEGER, 'alias': 'numhword', 'description': 'Hyphenated word, letters and digits'},
  {'tokid': 16::INTEGER, 'alias': 'asciihword', 'description': 'Hyphenated word, all ASCII'},
  {'tokid': 17::INTEGER, 'alias': 'hword', 'description': 'Hyphenated word, all letters'},
  {'tokid': 18::INTEGER, 'alias': 'url_path', 'description': 'URL path'},
  {'tokid': 19::INTEGER, 'alias': 'file', 'description': 'File or path name'},
  {'tokid': 20::INTEGER, 'alias': 'float', 'description': 'Decimal notation'},
  {'tokid': 21::INTEGER, 'alias': 'int', 'description': 'Signed integer'},
  {'tokid': 22::INTEGER, 'alias': 'uint', 'description': 'Unsigned integer'},
  {'tokid': 23::INTEGER, 'alias': 'entity', 'description': 'XML entity'}] END;
