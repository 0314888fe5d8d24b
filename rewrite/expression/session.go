package expression

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/casts"
	"github.com/ontosql/ontosql/rewrite/coercion"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/functions"
	"github.com/ontosql/ontosql/rewrite/input"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"

	pg "github.com/pganalyze/pg_query_go/v6"
)

// valueFunction is current_date, current_user and the like. Those of time are
// computed from the one moment "now", the start of the transaction.
func (b *Binder) valueFunction(n *pg.SQLValueFunction) scope.Expr {
	f := functions.SQLValues[n.Op]
	if types.IsDateTime(f.OID) {
		now := b.sessionValue("now", nil, types.TimestampTZ)
		ty := types.Of(f.OID)
		if functions.SQLValuesWithPrecision[n.Op] {
			ty.Typmod = min(n.Typmod, 6)
		}
		return scope.Expr{SQL: casts.ApplyTypmod(casts.Convert(now.SQL, types.Of(types.TimestampTZ), types.Of(f.OID)), ty), Type: ty, Location: n.Location}
	}
	e := b.sessionValue(f.Name, nil, f.OID)
	e.Location = n.Location
	return e
}

// sessionValue is a placeholder that Bind fills by asking the session.
func (b *Binder) sessionValue(name string, args []enginesql.Operand, oid uint32) scope.Expr {
	if s := functions.SessionSynonyms[name]; s != "" {
		name = s
	}
	return scope.Expr{SQL: enginesql.SessionPlaceholder(name, args, oid), Type: types.Of(oid)}
}

// sessionCall resolves a call of a session function.
func (b *Binder) sessionCall(name string, n *pg.FuncCall, l *scope.Level) scope.Expr {
	oid := functions.SessionResults[name]
	var takes []uint32
	if lists := functions.SessionArgs[name]; len(lists) > 0 || len(n.Args) > 0 {
		i := slices.IndexFunc(lists, func(typs []uint32) bool { return len(typs) == len(n.Args) })
		if i < 0 {
			b.UndefinedFunction(name, b.Args(n.Args, l), n.Location)
		}
		takes = lists[i]
	}
	if !functions.NotStrict[name] && slices.ContainsFunc(n.Args, isNull) {
		return scope.Expr{SQL: "CAST(NULL AS " + types.Of(oid).EngineType() + ")", Type: types.Of(oid), Location: n.Location}
	}
	var args []enginesql.Operand
	for i, a := range n.Args {
		c := a
		for c.GetTypeCast() != nil {
			c = c.GetTypeCast().Arg
		}
		if p := c.GetParamRef(); p != nil {
			e := b.Expr(a, l)
			if !types.Implicit(e.Type.OID, takes[i]) {
				b.UndefinedFunction(name, b.Args(n.Args, l), n.Location)
			}
			b.Coerce(e, types.Of(takes[i]), types.ImplicitCast) // which settles its type
			args = append(args, enginesql.Operand{Param: int(p.Number)})
			continue
		}
		if c.GetAConst() == nil || isNull(a) {
			if call := forRows(name); call != nil {
				return call(b, n, l)
			}
		}
		text, ok := syntax.ConstText(c.GetAConst())
		if !ok {
			b.Unsupported(n.Location, "%s is supported with constants and parameters as arguments only", name)
		}
		args = append(args, enginesql.Operand{Text: text})
	}
	e := b.sessionValue(name, args, oid)
	e.Location = n.Location
	return e
}

// isNull reports whether an argument is the constant NULL, with or without a cast.
func isNull(n *pg.Node) bool {
	for n.GetTypeCast() != nil {
		n = n.GetTypeCast().Arg
	}
	return n.GetAConst().GetIsnull()
}

// forRows resolves calls of a session function with what the statement finds; nil of one
// that takes constants and parameters only.
func forRows(name string) func(b *Binder, n *pg.FuncCall, l *scope.Level) scope.Expr {
	switch name {
	case "current_setting":
		return (*Binder).settingNamed
	case "set_config":
		return (*Binder).settingFound
	case "pg_cancel_backend", "pg_terminate_backend":
		return (*Binder).signalFound
	case "pg_notify":
		return (*Binder).notifyFound
	case "pg_sleep", "pg_sleep_for", "pg_sleep_until":
		return (*Binder).sleepComputed
	}
	if strings.Contains(name, "_advisory_") {
		return (*Binder).lockComputed
	}
	return nil
}

// ofTypes are the arguments of a call as values of these types, of which the last ones
// may be left out.
func (b *Binder) ofTypes(n *pg.FuncCall, l *scope.Level, oids ...uint32) []scope.Expr {
	args := b.Args(n.Args, l)
	for i := range args {
		if i == len(oids) || !types.Implicit(args[i].Type.OID, oids[i]) {
			names := syntax.Strings(n.Funcname)
			b.UndefinedFunction(names[len(names)-1], args, n.Location)
		}
	}
	for i := range args {
		args[i] = b.Coerce(args[i], types.Of(oids[i]), types.ImplicitCast)
	}
	return args
}

// signalFound is pg_cancel_backend or pg_terminate_backend of processes that the
// statement finds. The engine has ontosql_signal for it: of the session, the function's
// name and a process.
func (b *Binder) signalFound(n *pg.FuncCall, l *scope.Level) scope.Expr {
	args := b.ofTypes(n, l, types.Int4, types.Int8)
	names := syntax.Strings(n.Funcname)
	own := b.sessionValue("ontosql.session", nil, types.Int8)
	sql := "(ontosql_signal(" + own.SQL + ", " + enginesql.Literal(names[len(names)-1]) + ", CAST(" + args[0].SQL + " AS BIGINT)) <> 0)"
	return scope.Expr{SQL: sql, Type: types.Of(types.Bool), HasAggs: coercion.AnyHasAggs(args), Location: n.Location}
}

// notifyFound is pg_notify of what the statement finds.
func (b *Binder) notifyFound(n *pg.FuncCall, l *scope.Level) scope.Expr {
	args := b.ofTypes(n, l, types.Text, types.Text)
	own := b.sessionValue("ontosql.session", nil, types.Int8)
	sql := "ontosql_notify(" + own.SQL + ", " + args[0].SQL + ", " + args[1].SQL + ")"
	return scope.Expr{SQL: sql, Type: types.Of(types.Void), HasAggs: coercion.AnyHasAggs(args), Location: n.Location}
}

// sleepComputed is pg_sleep and its like of what the statement computes.
func (b *Binder) sleepComputed(n *pg.FuncCall, l *scope.Level) scope.Expr {
	names := syntax.Strings(n.Funcname)
	name := names[len(names)-1]
	args := b.ofTypes(n, l, functions.SessionArgs[name][0]...)
	own := b.sessionValue("ontosql.session", nil, types.Int8)
	call, seconds := "ontosql_sleep", args[0].SQL
	if name != "pg_sleep" {
		seconds = "epoch(" + seconds + ")"
	}
	if name == "pg_sleep_until" {
		call = "ontosql_sleep_until"
	}
	return scope.Expr{SQL: call + "(" + own.SQL + ", " + seconds + ")", Type: types.Of(types.Void), HasAggs: coercion.AnyHasAggs(args), Location: n.Location}
}

// settingFound is set_config of what the statement finds.
func (b *Binder) settingFound(n *pg.FuncCall, l *scope.Level) scope.Expr {
	args := b.ofTypes(n, l, types.Text, types.Text, types.Bool)
	own := b.sessionValue("ontosql.session", nil, types.Int8)
	sql := "ontosql_set(" + own.SQL + ", " + args[0].SQL + ", " + args[1].SQL + ", CAST(" + args[2].SQL + " AS BIGINT))"
	return scope.Expr{SQL: sql, Type: types.Of(types.Text), HasAggs: coercion.AnyHasAggs(args), Location: n.Location}
}

// settingNamed is current_setting of a computed name: it is looked up in a list of all
// settings, and is NULL for an unknown name.
func (b *Binder) settingNamed(n *pg.FuncCall, l *scope.Level) scope.Expr {
	args := b.ofTypes(n, l, types.Text, types.Bool)
	all := b.sessionValue("ontosql.settings", nil, types.Text)
	sql := "(CAST(" + all.SQL + " AS JSON) ->> " + enginesql.Macro("json_path") + "(lower(" + args[0].SQL + ")))"
	return scope.Expr{SQL: sql, Type: types.Of(types.Text), HasAggs: args[0].HasAggs, Location: n.Location}
}

// lockComputed is a function of advisory locks of what the statement computes, not of
// its rows: the engine looks at many of them before it knows which ones it needs. It has
// ontosql_advisory for that: of the session, the function's name and its keys.
func (b *Binder) lockComputed(n *pg.FuncCall, l *scope.Level) scope.Expr {
	names := syntax.Strings(n.Funcname)
	name := names[len(names)-1]
	if slices.ContainsFunc(n.Args, func(a *pg.Node) bool { return FirstColumnRef(a) != nil }) {
		b.Unsupported(n.Location, "%s of columns is not supported", name)
	}
	keys := []uint32{types.Int8}
	if len(n.Args) == 2 {
		keys = []uint32{types.Int4, types.Int4}
	}
	args := b.ofTypes(n, l, keys...)
	values := []string{"0"}
	for _, a := range args {
		values = append(values, "CAST("+a.SQL+" AS BIGINT)")
	}
	own := b.sessionValue("ontosql.session", nil, types.Int8)
	call := "ontosql_advisory(" + own.SQL + ", " + enginesql.Literal(name) + ", " + strconv.Itoa(len(args)) + ", " + strings.Join(values[len(values)-2:], ", ") + ")"
	oid := functions.SessionResults[name]
	sql := "(" + call + " <> 0)"
	if oid == types.Void {
		sql = "CASE WHEN " + call + " IS NOT NULL THEN '' END"
	}
	return scope.Expr{SQL: sql, Type: types.Of(oid), HasAggs: coercion.AnyHasAggs(args), Location: n.Location}
}

// ontosqlCall resolves a call of one of functions.Own. Its arguments are constants or
// parameters: the session answers while the statement is bound, before the
// engine has computed anything. They are strict. Those of functions.Enqueue are neither.
func (b *Binder) ontosqlCall(name string, n *pg.FuncCall, l *scope.Level) scope.Expr {
	if n.Over != nil || n.AggDistinct || n.AggFilter != nil || len(n.AggOrder) > 0 || n.AggStar || n.FuncVariadic {
		b.Fail(pgerr.New(pgerr.WrongObjectType, "%s is neither an aggregate nor a window function", name), n.Location)
	}
	args := b.Args(n.Args, l)
	s, coerced, ok := b.ResolveOverload(functions.Own[name], args)
	if !ok {
		b.UndefinedFunction(name, args, n.Location)
	}
	if name == functions.Enqueue {
		return b.enqueueCall(coerced, n.Location)
	}
	var operands []enginesql.Operand
	for _, a := range n.Args {
		for a.GetTypeCast() != nil {
			a = a.GetTypeCast().Arg
		}
		switch c := a.GetAConst(); {
		case a.GetParamRef() != nil:
			operands = append(operands, enginesql.Operand{Param: int(a.GetParamRef().Number)})
		case c == nil:
			b.Unsupported(n.Location, "%s is supported with constants and parameters as arguments only", name)
		case c.Isnull:
			return scope.Expr{SQL: "CAST(NULL AS " + types.Of(s.Result).EngineType() + ")", Type: types.Of(s.Result), Location: n.Location}
		default:
			text, _ := syntax.ConstText(c)
			operands = append(operands, enginesql.Operand{Text: text})
		}
	}
	e := b.sessionValue(name, operands, s.Result)
	e.Location = n.Location
	return e
}

// enqueueCall is a call of functions.Enqueue. The engine has ontosql_enqueue for it, which it calls
// for each row: of the session, the type, the payload, the namespace, the priority and the parent.
func (b *Binder) enqueueCall(args []scope.Expr, location int32) scope.Expr {
	own := b.sessionValue("ontosql.session", nil, types.Int8)
	sql := "CAST(" + enginesql.EnqueueFunction + "(" + own.SQL
	for i, engineType := range []string{"VARCHAR", "VARCHAR", "VARCHAR", "BIGINT", "VARCHAR"} {
		value := "NULL"
		if i < len(args) {
			value = args[i].SQL
		}
		sql += ", CAST(" + value + " AS " + engineType + ")"
	}
	return scope.Expr{SQL: sql + ") AS UUID)", Type: types.Of(types.UUID), HasAggs: coercion.AnyHasAggs(args), Location: location}
}

// privilegeCall asks for what the constants among the arguments name: an object or a role
// that is not there is an error, as is a privilege of another kind, unless another
// condition has decided: tools ask for those of newer servers behind pg_has_role. call is
// the function's, which gives no thought to its arguments. What a statement computes is not looked up: the
// engine may do so for rows that another condition drops.
func (b *Binder) privilegeCall(f functions.Privilege, args []scope.Expr, call scope.Expr) scope.Expr {
	bad := false
	for _, kind := range privilegesIn(args[len(args)-1]) {
		word := strings.ToUpper(kind)
		for _, option := range []string{" WITH GRANT OPTION", " WITH ADMIN OPTION"} {
			word = strings.TrimSuffix(word, option)
		}
		if word == "" || !strings.Contains(f.Kinds, ","+word+",") {
			bad = true
			call.SQL = "CAST(error(" + enginesql.Literal("["+pgerr.InvalidParameterValue+"] unrecognized privilege type: "+strconv.Quote(kind)) + ") AS BOOLEAN)"
		}
	}
	at := len(args) - 1 - f.ArgsAfterObject
	var there []string
	known := func(e scope.Expr, typ uint32) {
		switch {
		case e.UntypedNull:
			there = append(there, "FALSE")
		case e.Literal != nil && typ != 0:
			name, object := types.RegNames[typ], enginesql.Literal(*e.Literal)
			there = append(there, enginesql.MacroPlaceholder("reg_present")+"("+enginesql.Literal(name)+", "+object+", "+enginesql.MacroPlaceholder(name+"_oid")+"("+object+"))")
		}
	}
	known(args[at], f.ObjectType)
	if at > 0 {
		known(args[0], types.Regrole)
	}
	if args[len(args)-1].UntypedNull {
		there = append(there, "FALSE")
	}
	if len(there) > 0 && !(bad && f.Kinds == functions.SequencePrivileges) {
		call.SQL = "CASE WHEN " + strings.Join(there, " AND ") + " THEN " + call.SQL + " END"
	}
	return call
}

// privilegesIn are those that a constant lists.
func privilegesIn(e scope.Expr) (kinds []string) {
	if e.Literal == nil {
		return nil
	}
	for _, kind := range strings.Split(*e.Literal, ",") {
		kinds = append(kinds, strings.Trim(kind, input.Whitespace))
	}
	return kinds
}

// sequenceArguments are the numbers of arguments of the functions of sequences.
var sequenceArguments = map[string][]int{
	"nextval": {1}, "currval": {1}, "lastval": {0}, "setval": {2, 3}, "pg_sequence_last_value": {1},
	// The columns of a sequence (relation.sequenceView).
	"ontosql_last_value": {1}, "ontosql_log_cnt": {1}, "ontosql_is_called": {1},
}

// sequenceCall resolves a function of sequences. The engine has ontosql_sequence for it, which
// it calls for each row: of the session, the function's name, the sequence's, the value and
// is_called of setval, and the position of the sequence in the statement.
func (b *Binder) sequenceCall(name string, n *pg.FuncCall, l *scope.Level) scope.Expr {
	args := b.Args(n.Args, l)
	counts := sequenceArguments[name]
	if len(args) < counts[0] || len(args) > counts[len(counts)-1] {
		b.UndefinedFunction(name, args, n.Location)
	}
	if len(n.Args) > 0 && isNull(n.Args[0]) {
		return scope.Expr{SQL: "CAST(NULL AS BIGINT)", Type: types.Of(types.Int8), Location: n.Location}
	}
	sequence, value, called, at := "''", "0", "1", 0
	if len(args) > 0 {
		at = b.Stmt.Tree.Position(syntax.Location(n.Args[0]))
		if sequence = sequenceName(n.Args[0]); sequence == "" {
			switch ty := args[0].Type; {
			case types.IsText(ty.OID), ty.OID == types.Regclass:
				sequence = args[0].Text()
			default:
				b.UndefinedFunction(name, args, n.Location)
			}
		}
	}
	if len(args) > 1 {
		if !types.Implicit(args[1].Type.OID, types.Int8) {
			b.UndefinedFunction(name, args, n.Location)
		}
		value = "CAST(" + b.Coerce(args[1], types.Of(types.Int8), types.ImplicitCast).SQL + " AS BIGINT)"
	}
	if len(args) > 2 {
		if !types.Implicit(args[2].Type.OID, types.Bool) {
			b.UndefinedFunction(name, args, n.Location)
		}
		called = "CAST(" + b.Coerce(args[2], types.Of(types.Bool), types.ImplicitCast).SQL + " AS BIGINT)"
	}
	own := b.sessionValue("ontosql.session", nil, types.Int8)
	sql := enginesql.SequenceFunction + "(" + own.SQL + ", " + enginesql.Literal(name) + ", " + sequence + ", " + value + ", " + called + ", " + strconv.Itoa(at) + ")"
	return scope.Expr{SQL: sql, Type: types.Of(types.Int8), Location: n.Location}
}

// sequenceName is a constant with the name of a sequence as SQL, "" for another argument.
func sequenceName(n *pg.Node) string {
	for n.GetTypeCast() != nil {
		n = n.GetTypeCast().Arg
	}
	c := n.GetAConst()
	if c == nil || c.GetSval() == nil {
		return ""
	}
	return enginesql.Literal(c.GetSval().Sval)
}

// RowLocked is the condition, always true, that tells the session that a lock takes a row. row is
// the id of the row, NULL for the empty side of an outer join.
func (b *Binder) RowLocked(lock int, row string) string {
	own := b.sessionValue("ontosql.session", nil, types.Int8)
	return enginesql.RowLockFunction + "(" + own.SQL + ", " + strconv.Itoa(lock) + ", coalesce(" + row + ", -1)) = 1"
}
