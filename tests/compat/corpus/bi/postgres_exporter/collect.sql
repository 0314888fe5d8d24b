# What the metrics of prometheus-postgres-exporter are read from, and check_postgres. What is counted differs.
SELECT pg_database.datname FROM pg_database WHERE datname = current_database();
SELECT count(checkpoints_timed), count(checkpoints_req), count(checkpoint_write_time), count(checkpoint_sync_time), count(buffers_checkpoint), count(buffers_clean), count(maxwritten_clean), count(buffers_backend), count(buffers_backend_fsync), count(buffers_alloc) FROM pg_stat_bgwriter;
SELECT count(archived_count), count(failed_count) FROM pg_stat_archiver;
SELECT count(wal_records), count(wal_fpi), count(wal_bytes), count(wal_buffers_full), count(wal_write), count(wal_sync), count(wal_write_time), count(wal_sync_time), pg_typeof(max(wal_bytes)) FROM pg_stat_wal;
SELECT numbackends > 0, xact_commit >= 0, xact_rollback >= 0, blks_read >= 0, temp_bytes >= 0, deadlocks >= 0, blk_read_time >= 0, session_time >= 0 FROM pg_stat_database WHERE datname = current_database();
SELECT count(*) FROM pg_stat_replication;
SELECT slot_name, database, active FROM pg_replication_slots;
SELECT datname, mode, coalesce(count, 0) AS count FROM (SELECT current_database() AS datname, m AS mode FROM unnest(ARRAY['accessexclusivelock']) m) wanted LEFT JOIN (SELECT database, lower(mode) AS mode, count(*) AS count FROM pg_locks WHERE database IS NOT NULL GROUP BY database, lower(mode)) held USING (mode);
SELECT state, count(*) > 0 AS some FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' GROUP BY state;
