package expression

import (
	"strconv"

	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
	pg "github.com/pganalyze/pg_query_go/v6"
)

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
