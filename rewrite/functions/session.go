package functions

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/rewrite/types"
)

// SQLValues are the functions the grammar spells without parentheses.
var SQLValues = map[pg.SQLValueFunctionOp]struct {
	Name string
	OID  uint32
}{
	pg.SQLValueFunctionOp_SVFOP_CURRENT_DATE:        {"current_date", types.Date},
	pg.SQLValueFunctionOp_SVFOP_CURRENT_TIME:        {"current_time", types.TimeTZ},
	pg.SQLValueFunctionOp_SVFOP_CURRENT_TIME_N:      {"current_time", types.TimeTZ},
	pg.SQLValueFunctionOp_SVFOP_CURRENT_TIMESTAMP:   {"current_timestamp", types.TimestampTZ},
	pg.SQLValueFunctionOp_SVFOP_CURRENT_TIMESTAMP_N: {"current_timestamp", types.TimestampTZ},
	pg.SQLValueFunctionOp_SVFOP_LOCALTIME:           {"localtime", types.Time},
	pg.SQLValueFunctionOp_SVFOP_LOCALTIME_N:         {"localtime", types.Time},
	pg.SQLValueFunctionOp_SVFOP_LOCALTIMESTAMP:      {"localtimestamp", types.Timestamp},
	pg.SQLValueFunctionOp_SVFOP_LOCALTIMESTAMP_N:    {"localtimestamp", types.Timestamp},
	pg.SQLValueFunctionOp_SVFOP_CURRENT_ROLE:        {"current_role", types.Name},
	pg.SQLValueFunctionOp_SVFOP_CURRENT_USER:        {"current_user", types.Name},
	pg.SQLValueFunctionOp_SVFOP_USER:                {"user", types.Name},
	pg.SQLValueFunctionOp_SVFOP_SESSION_USER:        {"session_user", types.Name},
	pg.SQLValueFunctionOp_SVFOP_CURRENT_CATALOG:     {"current_catalog", types.Name},
	pg.SQLValueFunctionOp_SVFOP_CURRENT_SCHEMA:      {"current_schema", types.Name},
}

// SQLValuesWithPrecision are those of SQLValues that have a precision of seconds.
var SQLValuesWithPrecision = map[pg.SQLValueFunctionOp]bool{
	pg.SQLValueFunctionOp_SVFOP_CURRENT_TIME_N: true, pg.SQLValueFunctionOp_SVFOP_CURRENT_TIMESTAMP_N: true,
	pg.SQLValueFunctionOp_SVFOP_LOCALTIME_N: true, pg.SQLValueFunctionOp_SVFOP_LOCALTIMESTAMP_N: true,
}

// SessionSynonyms maps other names of session functions to the usual ones.
var SessionSynonyms = map[string]string{
	"current_role": "current_user", "user": "current_user", "current_catalog": "current_database",
	"transaction_timestamp": "now", "current_timestamp": "now",
}

// SessionResults are the functions with parentheses that the session answers,
// with their result types. Their arguments must be constants or parameters.
var SessionResults = map[string]uint32{
	"now": types.TimestampTZ, "transaction_timestamp": types.TimestampTZ, "statement_timestamp": types.TimestampTZ, "clock_timestamp": types.TimestampTZ,
	"timeofday": types.Text,
	"version":   types.Text, "current_database": types.Name, "current_schema": types.Name, "current_schemas": 1003, "current_user": types.Name,
	"session_user": types.Name, "current_setting": types.Text, "set_config": types.Text, "current_query": types.Text,
	"pg_backend_pid": types.Int4, "pg_postmaster_start_time": types.TimestampTZ, "pg_conf_load_time": types.TimestampTZ, "pg_is_in_recovery": types.Bool,
	"inet_server_addr": types.Inet, "inet_server_port": types.Int4, "inet_client_addr": types.Inet, "inet_client_port": types.Int4,
	"txid_current": types.Int8, "txid_current_if_assigned": types.Int8, "pg_current_xact_id": types.Int8,
	"pg_my_temp_schema": types.OID, "pg_is_other_temp_schema": types.Bool, "pg_current_wal_lsn": types.Text,
	"pg_cancel_backend": types.Bool, "pg_terminate_backend": types.Bool, "pg_reload_conf": types.Bool,
	"pg_advisory_lock": types.Void, "pg_advisory_xact_lock": types.Void, "pg_try_advisory_lock": types.Bool, "pg_try_advisory_xact_lock": types.Bool,
	"pg_advisory_lock_shared": types.Void, "pg_advisory_xact_lock_shared": types.Void,
	"pg_try_advisory_lock_shared": types.Bool, "pg_try_advisory_xact_lock_shared": types.Bool,
	"pg_advisory_unlock": types.Bool, "pg_advisory_unlock_shared": types.Bool, "pg_advisory_unlock_all": types.Void, "pg_notify": types.Void,
	"pg_sleep": types.Void, "pg_sleep_for": types.Void, "pg_sleep_until": types.Void,
	"pg_export_snapshot": types.Text, "getdatabaseencoding": types.Name, "pg_client_encoding": types.Name, "icu_unicode_version": types.Text,
}

// SessionArgs are the types of the arguments that session functions take, a list
// for each number of them; the others take none.
var SessionArgs = map[string][][]uint32{
	"current_schemas": {{types.Bool}}, "current_setting": {{types.Text}, {types.Text, types.Bool}}, "set_config": {{types.Text, types.Text, types.Bool}},
	"pg_is_other_temp_schema": {{types.OID}}, "pg_notify": {{types.Text, types.Text}},
	"pg_sleep": {{types.Float8}}, "pg_sleep_for": {{types.Interval}}, "pg_sleep_until": {{types.TimestampTZ}},
	"pg_cancel_backend": {{types.Int4}}, "pg_terminate_backend": {{types.Int4}, {types.Int4, types.Int8}},
	"pg_advisory_lock": AdvisoryKeys, "pg_advisory_xact_lock": AdvisoryKeys, "pg_try_advisory_lock": AdvisoryKeys, "pg_try_advisory_xact_lock": AdvisoryKeys,
	"pg_advisory_lock_shared": AdvisoryKeys, "pg_advisory_xact_lock_shared": AdvisoryKeys,
	"pg_try_advisory_lock_shared": AdvisoryKeys, "pg_try_advisory_xact_lock_shared": AdvisoryKeys,
	"pg_advisory_unlock": AdvisoryKeys, "pg_advisory_unlock_shared": AdvisoryKeys,
}

// AdvisoryKeys are what names an advisory lock.
var AdvisoryKeys = [][]uint32{{types.Int8}, {types.Int4, types.Int4}}

// NotStrict are the session functions that NULL is an argument of; others answer NULL.
var NotStrict = map[string]bool{"set_config": true, "pg_notify": true}
