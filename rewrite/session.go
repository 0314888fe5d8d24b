package rewrite

import (
	"slices"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"
)

// valueFunctions are the functions the grammar spells without parentheses.
var valueFunctions = map[pg.SQLValueFunctionOp]struct {
	name string
	oid  uint32
}{
	pg.SQLValueFunctionOp_SVFOP_CURRENT_DATE:        {"current_date", dateOID},
	pg.SQLValueFunctionOp_SVFOP_CURRENT_TIME:        {"current_time", timetzOID},
	pg.SQLValueFunctionOp_SVFOP_CURRENT_TIME_N:      {"current_time", timetzOID},
	pg.SQLValueFunctionOp_SVFOP_CURRENT_TIMESTAMP:   {"current_timestamp", timestamptzOID},
	pg.SQLValueFunctionOp_SVFOP_CURRENT_TIMESTAMP_N: {"current_timestamp", timestamptzOID},
	pg.SQLValueFunctionOp_SVFOP_LOCALTIME:           {"localtime", timeOID},
	pg.SQLValueFunctionOp_SVFOP_LOCALTIME_N:         {"localtime", timeOID},
	pg.SQLValueFunctionOp_SVFOP_LOCALTIMESTAMP:      {"localtimestamp", timestampOID},
	pg.SQLValueFunctionOp_SVFOP_LOCALTIMESTAMP_N:    {"localtimestamp", timestampOID},
	pg.SQLValueFunctionOp_SVFOP_CURRENT_ROLE:        {"current_role", nameOID},
	pg.SQLValueFunctionOp_SVFOP_CURRENT_USER:        {"current_user", nameOID},
	pg.SQLValueFunctionOp_SVFOP_USER:                {"user", nameOID},
	pg.SQLValueFunctionOp_SVFOP_SESSION_USER:        {"session_user", nameOID},
	pg.SQLValueFunctionOp_SVFOP_CURRENT_CATALOG:     {"current_catalog", nameOID},
	pg.SQLValueFunctionOp_SVFOP_CURRENT_SCHEMA:      {"current_schema", nameOID},
}

// withPrecision are those of valueFunctions that say how many digits a second has.
var withPrecision = map[pg.SQLValueFunctionOp]bool{
	pg.SQLValueFunctionOp_SVFOP_CURRENT_TIME_N: true, pg.SQLValueFunctionOp_SVFOP_CURRENT_TIMESTAMP_N: true,
	pg.SQLValueFunctionOp_SVFOP_LOCALTIME_N: true, pg.SQLValueFunctionOp_SVFOP_LOCALTIMESTAMP_N: true,
}

// sameAs are session functions that another name stands for.
var sameAs = map[string]string{
	"current_role": "current_user", "user": "current_user", "current_catalog": "current_database",
	"transaction_timestamp": "now", "current_timestamp": "now",
}

// valueFunction is current_date, current_user and the like. Those of time are
// computed from the one moment "now", the start of the transaction.
func (b *binder) valueFunction(n *pg.SQLValueFunction) expr {
	f := valueFunctions[n.Op]
	if isTime(f.oid) {
		now := b.sessionValue("now", nil, timestamptzOID)
		ty := t(f.oid)
		if withPrecision[n.Op] {
			ty.mod = min(n.Typmod, 6)
		}
		return expr{sql: castLength(castText(now.sql, t(timestamptzOID), t(f.oid)), ty), t: ty, loc: n.Location}
	}
	e := b.sessionValue(f.name, nil, f.oid)
	e.loc = n.Location
	return e
}

// sessionValue is a hole that Bind fills by asking the session.
func (b *binder) sessionValue(name string, args []Operand, oid uint32) expr {
	if s := sameAs[name]; s != "" {
		name = s
	}
	return expr{sql: sessionMark(name, args, oid), t: t(oid)}
}

// sessionFunctions are the functions with parentheses that the session answers,
// with their result types. Their arguments must be constants or parameters.
var sessionFunctions = map[string]uint32{
	"now": timestamptzOID, "transaction_timestamp": timestamptzOID, "statement_timestamp": timestamptzOID, "clock_timestamp": timestamptzOID,
	"timeofday": textOID,
	"version":   textOID, "current_database": nameOID, "current_schema": nameOID, "current_schemas": 1003, "current_user": nameOID,
	"session_user": nameOID, "current_setting": textOID, "set_config": textOID, "current_query": textOID,
	"pg_backend_pid": int4OID, "pg_postmaster_start_time": timestamptzOID, "pg_conf_load_time": timestamptzOID, "pg_is_in_recovery": boolOID,
	"inet_server_addr": inetOID, "inet_server_port": int4OID, "inet_client_addr": inetOID, "inet_client_port": int4OID,
	"txid_current": int8OID, "txid_current_if_assigned": int8OID, "pg_current_xact_id": int8OID,
	"pg_my_temp_schema": oidOID, "pg_is_other_temp_schema": boolOID, "pg_current_wal_lsn": textOID,
	"pg_cancel_backend": boolOID, "pg_terminate_backend": boolOID, "pg_reload_conf": boolOID,
	"pg_advisory_lock": voidOID, "pg_advisory_xact_lock": voidOID, "pg_try_advisory_lock": boolOID, "pg_try_advisory_xact_lock": boolOID,
	"pg_advisory_lock_shared": voidOID, "pg_advisory_xact_lock_shared": voidOID,
	"pg_try_advisory_lock_shared": boolOID, "pg_try_advisory_xact_lock_shared": boolOID,
	"pg_advisory_unlock": boolOID, "pg_advisory_unlock_shared": boolOID, "pg_advisory_unlock_all": voidOID, "pg_notify": voidOID,
	"pg_sleep": voidOID, "pg_sleep_for": voidOID, "pg_sleep_until": voidOID,
	"pg_export_snapshot": textOID, "getdatabaseencoding": nameOID, "pg_client_encoding": nameOID, "icu_unicode_version": textOID,
}

// sessionArguments are the types of the arguments that session functions take, a list
// for each number of them; the others take none.
var sessionArguments = map[string][][]uint32{
	"current_schemas": {{boolOID}}, "current_setting": {{textOID}, {textOID, boolOID}}, "set_config": {{textOID, textOID, boolOID}},
	"pg_is_other_temp_schema": {{oidOID}}, "pg_notify": {{textOID, textOID}},
	"pg_sleep": {{float8OID}}, "pg_sleep_for": {{intervalOID}}, "pg_sleep_until": {{timestamptzOID}},
	"pg_cancel_backend": {{int4OID}}, "pg_terminate_backend": {{int4OID}, {int4OID, int8OID}},
	"pg_advisory_lock": advisoryKeys, "pg_advisory_xact_lock": advisoryKeys, "pg_try_advisory_lock": advisoryKeys, "pg_try_advisory_xact_lock": advisoryKeys,
	"pg_advisory_lock_shared": advisoryKeys, "pg_advisory_xact_lock_shared": advisoryKeys,
	"pg_try_advisory_lock_shared": advisoryKeys, "pg_try_advisory_xact_lock_shared": advisoryKeys,
	"pg_advisory_unlock": advisoryKeys, "pg_advisory_unlock_shared": advisoryKeys,
}

// advisoryKeys are what names an advisory lock.
var advisoryKeys = [][]uint32{{int8OID}, {int4OID, int4OID}}

// sessionCall resolves a call of a session function.
func (b *binder) sessionCall(name string, n *pg.FuncCall, l *level) expr {
	oid := sessionFunctions[name]
	var takes []uint32
	if lists := sessionArguments[name]; len(lists) > 0 || len(n.Args) > 0 {
		i := slices.IndexFunc(lists, func(typs []uint32) bool { return len(typs) == len(n.Args) })
		if i < 0 {
			b.noFunction(name, b.args(n.Args, l), n.Location)
		}
		takes = lists[i]
	}
	if !notStrict[name] && slices.ContainsFunc(n.Args, isNull) {
		return expr{sql: "CAST(NULL AS " + t(oid).duck() + ")", t: t(oid), loc: n.Location}
	}
	var args []Operand
	for i, a := range n.Args {
		c := a
		for c.GetTypeCast() != nil {
			c = c.GetTypeCast().Arg
		}
		if p := c.GetParamRef(); p != nil {
			e := b.expr(a, l)
			if !implicit(e.t.oid, takes[i]) {
				b.noFunction(name, b.args(n.Args, l), n.Location)
			}
			b.coerce(e, t(takes[i]), implicitCast) // which settles its type
			args = append(args, Operand{Param: int(p.Number)})
			continue
		}
		if c.GetAConst() == nil || isNull(a) {
			if call := forRows(name); call != nil {
				return call(b, n, l)
			}
		}
		text, ok := constText(c.GetAConst())
		if !ok {
			b.unsupported(n.Location, "%s is supported with constants and parameters as arguments only", name)
		}
		args = append(args, Operand{Text: text})
	}
	e := b.sessionValue(name, args, oid)
	e.loc = n.Location
	return e
}

// notStrict are the session functions that NULL is an argument of; others answer NULL.
var notStrict = map[string]bool{"set_config": true, "pg_notify": true}

// isNull reports whether an argument is the constant NULL, whatever it is cast to.
func isNull(n *pg.Node) bool {
	for n.GetTypeCast() != nil {
		n = n.GetTypeCast().Arg
	}
	return n.GetAConst().GetIsnull()
}

// forRows resolves calls of a session function with what the statement finds; nil of one
// that takes constants and parameters only.
func forRows(name string) func(b *binder, n *pg.FuncCall, l *level) expr {
	switch name {
	case "current_setting":
		return (*binder).settingNamed
	case "set_config":
		return (*binder).settingFound
	case "pg_cancel_backend", "pg_terminate_backend":
		return (*binder).signalFound
	case "pg_notify":
		return (*binder).notifyFound
	case "pg_sleep", "pg_sleep_for", "pg_sleep_until":
		return (*binder).sleepComputed
	}
	if strings.Contains(name, "_advisory_") {
		return (*binder).lockComputed
	}
	return nil
}

// ofTypes are the arguments of a call as values of these types, of which the last ones
// may be left out.
func (b *binder) ofTypes(n *pg.FuncCall, l *level, oids ...uint32) []expr {
	args := b.args(n.Args, l)
	for i := range args {
		if i == len(oids) || !implicit(args[i].t.oid, oids[i]) {
			names := strs(n.Funcname)
			b.noFunction(names[len(names)-1], args, n.Location)
		}
	}
	for i := range args {
		args[i] = b.coerce(args[i], t(oids[i]), implicitCast)
	}
	return args
}

// signalFound is pg_cancel_backend or pg_terminate_backend of processes that the
// statement finds. The engine has ontosql_signal for it: of the session, the function's
// name and a process.
func (b *binder) signalFound(n *pg.FuncCall, l *level) expr {
	args := b.ofTypes(n, l, int4OID, int8OID)
	names := strs(n.Funcname)
	own := b.sessionValue("ontosql.session", nil, int8OID)
	sql := "(ontosql_signal(" + own.sql + ", " + literal(names[len(names)-1]) + ", CAST(" + args[0].sql + " AS BIGINT)) <> 0)"
	return expr{sql: sql, t: t(boolOID), agg: anyAgg(args), loc: n.Location}
}

// notifyFound is pg_notify of what the statement finds.
func (b *binder) notifyFound(n *pg.FuncCall, l *level) expr {
	args := b.ofTypes(n, l, textOID, textOID)
	own := b.sessionValue("ontosql.session", nil, int8OID)
	sql := "ontosql_notify(" + own.sql + ", " + args[0].sql + ", " + args[1].sql + ")"
	return expr{sql: sql, t: t(voidOID), agg: anyAgg(args), loc: n.Location}
}

// sleepComputed is pg_sleep and its like of what the statement computes.
func (b *binder) sleepComputed(n *pg.FuncCall, l *level) expr {
	names := strs(n.Funcname)
	name := names[len(names)-1]
	args := b.ofTypes(n, l, sessionArguments[name][0]...)
	own := b.sessionValue("ontosql.session", nil, int8OID)
	call, seconds := "ontosql_sleep", args[0].sql
	if name != "pg_sleep" {
		seconds = "epoch(" + seconds + ")"
	}
	if name == "pg_sleep_until" {
		call = "ontosql_sleep_until"
	}
	return expr{sql: call + "(" + own.sql + ", " + seconds + ")", t: t(voidOID), agg: anyAgg(args), loc: n.Location}
}

// settingFound is set_config of what the statement finds.
func (b *binder) settingFound(n *pg.FuncCall, l *level) expr {
	args := b.ofTypes(n, l, textOID, textOID, boolOID)
	own := b.sessionValue("ontosql.session", nil, int8OID)
	sql := "ontosql_set(" + own.sql + ", " + args[0].sql + ", " + args[1].sql + ", CAST(" + args[2].sql + " AS BIGINT))"
	return expr{sql: sql, t: t(textOID), agg: anyAgg(args), loc: n.Location}
}

// settingNamed is current_setting of a name that the engine computes: it is looked
// up among all settings, and NULL where there is none.
func (b *binder) settingNamed(n *pg.FuncCall, l *level) expr {
	args := b.ofTypes(n, l, textOID, boolOID)
	all := b.sessionValue("ontosql.settings", nil, textOID)
	sql := "(CAST(" + all.sql + " AS JSON) ->> " + macro("json_path") + "(lower(" + args[0].sql + ")))"
	return expr{sql: sql, t: t(textOID), agg: args[0].agg, loc: n.Location}
}
