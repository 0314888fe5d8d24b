package defaults

import (
	"slices"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/rewrite/expression"
	"github.com/ontosql/ontosql/rewrite/functions"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
)

// mutability looks for what is not IMMUTABLE to PostgreSQL: functions, operators and casts whose
// results depend on more than their arguments, such as the time zone (pg_proc.provolatile).
type mutability struct {
	b *expression.Binder
	l *scope.Level
}

// IsMutable reports whether the expression, which ResolveAlone has just resolved at a level, is
// not immutable.
func (x *Expression) IsMutable(b *expression.Binder, l *scope.Level) bool {
	return isMutable(b, x.node, l)
}

// isMutable reports whether an expression, which is resolved already, is not immutable.
func isMutable(b *expression.Binder, n *pg.Node, l *scope.Level) bool {
	m := mutability{b, l}
	return !syntax.Visit(n.ProtoReflect(), func(node any) bool {
		switch n := node.(type) {
		case *pg.SQLValueFunction:
			return false
		case *pg.FuncCall:
			return !m.call(n)
		case *pg.TypeCast:
			return !m.cast(n)
		case *pg.A_Expr:
			return !m.operator(n)
		case *pg.CoalesceExpr:
			return !mixesTimes(m.types(n.Args))
		case *pg.MinMaxExpr:
			return !mixesTimes(m.types(n.Args))
		case *pg.A_ArrayExpr:
			return !mixesTimes(m.types(n.Elements))
		case *pg.CaseExpr:
			var results []*pg.Node
			for _, w := range n.Args {
				results = append(results, w.GetCaseWhen().GetResult())
			}
			if n.Defresult != nil {
				results = append(results, n.Defresult)
			}
			return !mixesTimes(m.types(results))
		}
		return true
	})
}

// types are the types of expressions.
func (m mutability) types(nodes []*pg.Node) (out []uint32) {
	for _, n := range nodes {
		if named := n.GetNamedArgExpr(); named != nil {
			n = named.Arg
		}
		out = append(out, m.b.Expr(n, m.l).Type.OID)
	}
	return out
}

// mixesTimes reports whether a date or a timestamp becomes a timestamptz, by the time zone.
func mixesTimes(of []uint32) bool {
	return slices.Contains(of, types.TimestampTZ) && (slices.Contains(of, types.Date) || slices.Contains(of, types.Timestamp))
}

func (m mutability) call(n *pg.FuncCall) bool {
	names := syntax.Strings(n.Funcname)
	name := names[len(names)-1]
	if functions.IsMutable(name) || len(names) > 1 && names[0] == "ontosql" {
		return true
	}
	args := m.types(n.Args)
	switch {
	case types.ByName[name] != nil && len(args) == 1: // a cast that is written as a call
		return args[0] != types.Unknown && mutableCast(types.Of(args[0]), types.Of(types.ByName[name].OID))
	case name == "age":
		return len(args) == 1 || mixesTimes(args)
	case name == "to_timestamp":
		return len(args) == 2
	case name == "date_part", name == "date_trunc", name == "extract", name == "overlaps":
		return slices.Contains(args, types.TimestampTZ)
	case name == "timezone":
		return slices.Contains(args, types.TimeTZ) && slices.ContainsFunc(args, isText)
	case name == "quote_literal", name == "quote_nullable":
		return len(args) == 1 && mutableCast(types.Of(args[0]), types.Of(types.Text))
	}
	return mixesTimes(args)
}

func (m mutability) cast(n *pg.TypeCast) bool {
	if n.Arg.GetAConst() != nil {
		return false // PostgreSQL reads it once
	}
	from := m.b.Expr(n.Arg, m.l).Type
	to := m.b.Expr(&pg.Node{Node: &pg.Node_TypeCast{TypeCast: n}}, m.l).Type
	return from.OID != types.Unknown && mutableCast(from, to)
}

// mutableCast reports whether a cast is not immutable: its function is not, or it goes by the
// text of a type whose text depends on settings.
func mutableCast(from, to types.Type) bool {
	elem, fromArray := from.Elem()
	toElem, toArray := to.Elem()
	if fromArray && toArray {
		return mutableCast(elem, toElem)
	}
	zoned := func(a, b types.Type) bool {
		return a.OID == types.TimestampTZ && types.IsDateTime(b.OID) && b.OID != a.OID && b.OID != types.Interval
	}
	switch {
	case isText(from.OID) && isText(to.OID):
		return false
	case isText(to.OID):
		return textDepends(from) || from.OID == types.Record
	case isText(from.OID):
		return textDepends(to) || to.OID == types.Time || to.OID == types.TimeTZ
	case zoned(from, to), zoned(to, from):
		return true
	}
	return from.OID == types.Time && to.OID == types.TimeTZ
}

// textDepends reports whether settings or the catalog decide how values of a type are written.
func textDepends(t types.Type) bool {
	switch t.OID {
	case types.Date, types.Timestamp, types.TimestampTZ, types.Interval:
		return true
	}
	return t.IsArray() || types.IsReg(t.OID)
}

// isText reports whether a value of a type is a text to operators, or a literal that may be one.
func isText(oid uint32) bool { return oid == types.Unknown || types.IsText(oid) }

func (m mutability) operator(n *pg.A_Expr) bool {
	names := syntax.Strings(n.Name)
	if len(names) == 0 || n.Lexpr == nil || n.Rexpr == nil {
		return false
	}
	nodes := []*pg.Node{n.Lexpr}
	if list := n.Rexpr.GetList(); list != nil {
		nodes = append(nodes, list.Items...)
	} else {
		nodes = append(nodes, n.Rexpr)
	}
	of := m.types(nodes)
	left, right := of[0], of[1]
	switch names[len(names)-1] {
	case "||":
		text := types.Of(types.Text)
		return isText(left) && concatenates(right) && mutableCast(types.Of(right), text) || isText(right) && concatenates(left) && mutableCast(types.Of(left), text)
	case "+", "-":
		return (left == types.TimestampTZ) != (right == types.TimestampTZ) && (left == types.Interval || right == types.Interval || left == types.Unknown || right == types.Unknown)
	}
	return mixesTimes(of)
}

// concatenates reports whether || makes a text of a value of a type beside a text.
func concatenates(oid uint32) bool {
	return !isText(oid) && !types.Of(oid).IsArray() && !types.IsJSON(oid) && oid != types.Bytea && !types.IsBits(oid)
}
