# The model generator and SQL Runner read the schema through JDBC and information_schema.
SELECT table_schema, table_name, table_type
	FROM information_schema.tables WHERE table_schema NOT IN ('information_schema', 'pg_catalog')
	ORDER BY table_schema, table_name;
SELECT table_schema, table_name, column_name, data_type, ordinal_position, is_nullable, character_maximum_length, numeric_precision, numeric_scale
	FROM information_schema.columns WHERE table_schema = 'public'
	ORDER BY table_name, ordinal_position;
SELECT tc.table_name, kcu.column_name, ccu.table_name AS foreign_table, ccu.column_name AS foreign_column
	FROM information_schema.table_constraints tc
	JOIN information_schema.key_column_usage kcu ON tc.constraint_name = kcu.constraint_name
	JOIN information_schema.constraint_column_usage ccu ON ccu.constraint_name = tc.constraint_name
	WHERE tc.constraint_type = 'FOREIGN KEY' AND tc.table_schema = 'public'
	ORDER BY 1, 2, 3;
SELECT DISTINCT table_schema FROM information_schema.tables ORDER BY 1;
SELECT schemaname, tablename, tableowner, hasindexes FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename;
SELECT schemaname, tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY indexname;
SELECT EXISTS (SELECT 1 FROM information_schema.tables WHERE table_schema = 'looker_scratch' AND table_name = 'lr$x');
SELECT nspname FROM pg_namespace WHERE nspname = 'looker_scratch';
