package expression

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/functions"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
)

// ownCall resolves a call of one of ownFunctions. Its arguments are constants or
// parameters: the session answers while the statement is bound, before the
// engine has computed anything. They are strict.
func (b *Binder) ownCall(name string, n *pg.FuncCall, l *scope.Level) scope.Expr {
	if n.Over != nil || n.AggDistinct || n.AggFilter != nil || len(n.AggOrder) > 0 || n.AggStar || n.FuncVariadic {
		b.Fail(pgerr.New(pgerr.WrongObjectType, "%s is neither an aggregate nor a window function", name), n.Location)
	}
	args := b.Args(n.Args, l)
	s, _, ok := b.ResolveOverload(functions.Own[name], args)
	if !ok {
		b.UndefinedFunction(name, args, n.Location)
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
