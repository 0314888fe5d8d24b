# what the catalog says of PostgreSQL's own objects
SELECT tokid, alias, description FROM ts_token_type(3722) ORDER BY tokid;
SELECT c.cfgname, (SELECT t.alias FROM pg_catalog.ts_token_type(c.cfgparser) AS t WHERE t.tokid = m.maptokentype) AS token, count(*) FROM pg_ts_config c JOIN pg_ts_config_map m ON m.mapcfg = c.oid WHERE c.cfgname IN ('english', 'simple') GROUP BY 1, 2 ORDER BY 1, 2;
SELECT opf.opfname, count(*), min(ao.amopstrategy), max(ao.amopstrategy) FROM pg_amop ao JOIN pg_opfamily opf ON opf.oid = ao.amopfamily WHERE opf.opfname IN ('integer_ops', 'text_ops') GROUP BY 1 ORDER BY 1;
SELECT amproc::regproc, amprocnum FROM pg_amproc ap JOIN pg_opfamily opf ON opf.oid = ap.amprocfamily WHERE opf.opfname = 'uuid_ops' AND opf.opfmethod = 403 ORDER BY amprocnum;
SELECT routine_name, routine_type, data_type, is_deterministic, external_language FROM information_schema.routines WHERE routine_name IN ('lower', 'abs', 'count', 'now') ORDER BY 1, 3;
SELECT specific_name, ordinal_position, parameter_mode, parameter_name, data_type, udt_name FROM information_schema.parameters WHERE specific_name IN ('lower_870', 'pg_get_keywords_1686', 'array_append_378') ORDER BY 1, 2;
SELECT domain_name, data_type, character_maximum_length, numeric_precision, datetime_precision FROM information_schema.domains ORDER BY 1;
SELECT count(*), count(DISTINCT feature_id) FROM information_schema.sql_features;
SELECT sizing_name, supported_value FROM information_schema.sql_sizing ORDER BY sizing_id;
SELECT implementation_info_name, integer_value FROM information_schema.sql_implementation_info WHERE integer_value IS NOT NULL ORDER BY 1;
