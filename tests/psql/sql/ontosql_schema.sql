-- The ontology about itself.
\dv ontosql.*
SELECT commit_id, created_at, runtime_id, message, actor, types, row_count FROM ontosql.commits ORDER BY commit_id DESC LIMIT 3;
SELECT commit_id, type_kind, type_name, path, row_count, schema_version_id FROM ontosql.commit_files WHERE commit_id = 2 ORDER BY type_name;
SELECT * FROM ontosql.types ORDER BY type_kind, type_name;
SELECT type_kind, type_name, schema_version_id, reason, runtime_id, created_at FROM ontosql.schema_versions ORDER BY 1, 2;
SELECT * FROM ontosql.index_health ORDER BY type_kind, type_name;
SELECT * FROM ontosql.write_lock;
SELECT * FROM ontosql.recoveries;
SELECT * FROM ontosql.progress;
SELECT * FROM pg_stat_progress_cluster;
SELECT * FROM pg_stat_progress_copy;
SELECT backend, engine_version, head_commit_id, initialized, runtime_id FROM ontosql.storage_info;
SELECT name, value, unit, source FROM ontosql.settings WHERE name LIKE 's3%' ORDER BY name;
SELECT obj_description('ontosql.commits'::regclass, 'pg_class');
