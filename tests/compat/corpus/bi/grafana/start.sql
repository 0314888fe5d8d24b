# Grafana's data source: the health check and what it gates features by.
SELECT 1;
SELECT current_setting('server_version_num')::int/100 as version;
SELECT extversion FROM pg_extension WHERE extname = 'timescaledb';
SHOW server_version_num;
-- ping
;
