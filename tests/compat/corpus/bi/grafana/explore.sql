# The query builder's lists.
SELECT schema_name AS "name" FROM information_schema.schemata
	WHERE schema_name NOT IN ('information_schema', 'pg_catalog', 'pg_toast', '_timescaledb_cache', '_timescaledb_catalog', '_timescaledb_internal', '_timescaledb_config',
		'timescaledb_information', 'timescaledb_experimental')
	ORDER BY schema_name;
SELECT quote_ident(table_name) AS "table" FROM information_schema.tables WHERE quote_ident(table_schema) = 'public' ORDER BY 1;
SELECT CASE WHEN quote_ident(table_schema) IN ( SELECT CASE WHEN trim(s[i]) = '"$user"' THEN user ELSE trim(s[i]) END
		FROM generate_series( array_lower(string_to_array(current_setting('search_path'),','),1), array_upper(string_to_array(current_setting('search_path'),','),1)
		) as i, string_to_array(current_setting('search_path'),',') s ) THEN quote_ident(table_name) ELSE quote_ident(table_schema) || '.' || quote_ident(table_name)
	END AS "table" FROM information_schema.tables
	WHERE quote_ident(table_schema) NOT IN ('information_schema', 'pg_catalog', '_timescaledb_cache', '_timescaledb_catalog', '_timescaledb_internal', '_timescaledb_config',
		'timescaledb_information', 'timescaledb_experimental')
	ORDER BY CASE WHEN quote_ident(table_schema) IN ( SELECT CASE WHEN trim(s[i]) = '"$user"' THEN user ELSE trim(s[i]) END
		FROM generate_series( array_lower(string_to_array(current_setting('search_path'),','),1), array_upper(string_to_array(current_setting('search_path'),','),1)
		) as i, string_to_array(current_setting('search_path'),',') s ) THEN 0 ELSE 1 END, 1;
SELECT quote_ident(column_name) AS "column", data_type AS "type"
	FROM information_schema.columns WHERE CASE WHEN array_length(parse_ident('item'),1) = 2 THEN quote_ident(table_schema) = (parse_ident('item'))[1] AND
	quote_ident(table_name) = (parse_ident('item'))[2] ELSE quote_ident(table_name) = 'item' AND quote_ident(table_schema) IN ( SELECT CASE WHEN trim(s[i])
		= '"$user"' THEN user ELSE trim(s[i]) END
		FROM generate_series( array_lower(string_to_array(current_setting('search_path'),','),1), array_upper(string_to_array(current_setting('search_path'),','),1)
		) as i, string_to_array(current_setting('search_path'),',') s ) END;
SELECT quote_ident(column_name) AS "column", data_type AS "type"
	FROM information_schema.columns WHERE CASE WHEN array_length(parse_ident('public.stands'),1) = 2 THEN quote_ident(table_schema) = (parse_ident('public.stands'))[1]
	AND quote_ident(table_name) = (parse_ident('public.stands'))[2] ELSE false END;
SELECT quote_ident(table_name) FROM information_schema.tables
	WHERE quote_ident(table_schema) NOT IN ('information_schema', 'pg_catalog') AND table_type = 'BASE TABLE' AND quote_ident(table_schema) IN ( SELECT CASE
		WHEN TRIM(s[i]) = '"$user"' THEN user ELSE TRIM(s[i]) END
		FROM generate_series(array_lower(string_to_array(current_setting('search_path'), ','), 1), array_upper(string_to_array(current_setting('search_path'),
				','), 1)) AS i, string_to_array(current_setting('search_path'), ',') AS s)
	ORDER BY 1;
SELECT quote_ident(table_name) as table_name, ( SELECT quote_ident(column_name) as column_name
		FROM information_schema.columns c WHERE c.table_schema = t.table_schema AND c.table_name = t.table_name AND udt_name IN ('timestamptz','timestamp')
		ORDER BY ordinal_position LIMIT 1 ) AS time_column, ( SELECT quote_ident(column_name) AS column_name
		FROM information_schema.columns c WHERE c.table_schema = t.table_schema AND c.table_name = t.table_name AND udt_name = 'float8'
		ORDER BY ordinal_position LIMIT 1 ) AS value_column
	FROM information_schema.tables t WHERE t.table_schema !~* '^_|^pg_|information_schema' AND EXISTS ( SELECT 1
		FROM information_schema.columns c WHERE c.table_schema = t.table_schema AND c.table_name = t.table_name AND udt_name IN ('timestamptz','timestamp') )
	AND EXISTS ( SELECT 1 FROM information_schema.columns c
		WHERE c.table_schema = t.table_schema AND c.table_name = t.table_name AND udt_name = 'float8' )
	LIMIT 1;
SELECT DISTINCT quote_literal(title) FROM item WHERE title IS NOT NULL ORDER BY 1 LIMIT 100;
