package syntax

import (
	"strconv"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
)

// readsType reports whether a function in FROM is one of AsOfSchema or DiffSchema.
func readsType(n *pg.RangeFunction) bool {
	call := FunctionCall(n)
	return call != nil && IsOfType(Strings(call.Funcname))
}

// IsOfType reports whether the name of a function is that of one that reads types: as_of.<type>,
// diff.<type> or DiffStat.
func IsOfType(names []string) bool {
	if len(names) < 2 {
		return false
	}
	schema, name := names[len(names)-2], names[len(names)-1]
	return schema == AsOfSchema || schema == DiffSchema || schema == DiffStat[0] && name == DiffStat[1]
}

// FunctionCall is the call of a one-function RangeFunction, nil for ROWS FROM and
// for expressions that look like functions.
func FunctionCall(n *pg.RangeFunction) *pg.FuncCall {
	if n.IsRowsfrom || len(n.Functions) != 1 {
		return nil
	}
	items := n.Functions[0].GetList().GetItems()
	if len(items) == 0 {
		return nil
	}
	return items[0].GetFuncCall()
}

// readCall reads the call of a function that reads a type.
func (t *Tree) readCall(call *pg.FuncCall, r *Ref) (err error) {
	names := Strings(call.Funcname)
	if len(names) > 2 {
		r.Catalog = names[0]
	}
	r.Schema, r.Name, r.Function = names[len(names)-2], names[len(names)-1], true
	wrong := func(takes, hint string) error {
		return pgerr.New(pgerr.UndefinedFunction, "function %s.%s takes %s", r.Schema, r.Name, takes).
			At(t.Position(call.Location)).WithHint(hint, r.Name)
	}
	switch {
	case r.Schema == AsOfSchema && len(call.Args) != 1:
		return wrong("one argument, the point", "as_of.%s(42), as_of.%[1]s('HEAD~3') or as_of.%[1]s('2026-02-10T12:00:00Z').")
	case r.Schema != AsOfSchema && len(call.Args) != 2:
		return wrong("two arguments, the points to compare", r.Schema+".%s(41, 42), "+r.Schema+".%[1]s('HEAD~3', 'HEAD') or "+r.Schema+".%[1]s('2026-02-10', '2026-02-11').")
	case r.Schema != AsOfSchema:
		if r.Since, err = t.pointArgument(call, 0); err != nil {
			return err
		}
	}
	r.Point, err = t.pointArgument(call, len(call.Args)-1)
	return err
}

// pointArgument reads an argument that is a point.
func (t *Tree) pointArgument(call *pg.FuncCall, i int) (*Point, error) {
	p := &Point{Position: t.Position(Location(call.Args[i]))}
	if p.Position == 0 {
		p.Position = t.Position(call.Location)
	}
	p.read(call.Args[i])
	return p, t.pointQuery(p)
}

// read takes the point from a node: a literal, a parameter or an expression.
func (p *Point) read(arg *pg.Node) {
	if c := arg.GetTypeCast(); c != nil { // TIMESTAMP '...', DATE '...'
		if s := c.Arg.GetAConst().GetSval(); s != nil && IsPointType(c.TypeName) {
			p.Text = s.Sval
			return
		}
	}
	if c := arg.GetAConst(); c != nil && !c.Isnull {
		if s := c.GetSval(); s != nil {
			p.Text = s.Sval
			return
		}
		if i, ok := c.Val.(*pg.A_Const_Ival); ok {
			p.Text = strconv.Itoa(int(i.Ival.GetIval()))
			return
		}
	}
	if x := arg.GetParamRef(); x != nil {
		p.Param = int(x.Number)
		return
	}
	p.Expr, p.Argument = true, arg
}

// CastParam is the number of the parameter of a point that is a cast of one, such as $1::bigint, and
// the name of the type; 0 for other points.
func (p *Point) CastParam() (param int, typ string) {
	c := p.Argument.GetTypeCast()
	x := c.GetArg().GetParamRef()
	if x == nil || len(c.TypeName.Typmods)+len(c.TypeName.ArrayBounds) > 0 {
		return 0, ""
	}
	names := c.TypeName.Names
	return int(x.Number), names[len(names)-1].GetString_().GetSval()
}

// pointQuery makes a query of a point that reads relations: it is a statement of its own,
// which sees nothing of the one around it.
func (t *Tree) pointQuery(p *Point) error {
	if !p.Expr || !readsRelations(p.Argument) {
		return nil
	}
	var param *pg.ParamRef
	Visit(p.Argument.ProtoReflect(), func(m any) bool {
		if n, ok := m.(*pg.ParamRef); ok && param == nil {
			param = n
		}
		return true
	})
	if param != nil {
		return pgerr.Unsupported("a parameter in a subquery that names the point of a table is not supported").At(t.Position(param.Location)).
			WithHint("Run the query first, and give its result as the point.")
	}
	target := &pg.Node{Node: &pg.Node_ResTarget{ResTarget: &pg.ResTarget{Val: cast(p.Argument, "text"), Location: -1}}}
	var err error
	p.Query, err = NewStatement(t, selectOf([]*pg.Node{target}))
	return err
}

// readsRelations reports whether an expression names a relation.
func readsRelations(n *pg.Node) (reads bool) {
	Visit(n.ProtoReflect(), func(m any) bool {
		switch n := m.(type) {
		case *pg.RangeVar:
			reads = true
		case *pg.RangeFunction:
			reads = reads || readsType(n) || viewOf(n) != nil
		}
		return !reads
	})
	return reads
}

// IsPointType reports whether a literal of the type may name a point: a date or timestamp.
func IsPointType(t *pg.TypeName) bool {
	names := Strings(t.GetNames())
	switch {
	case len(names) == 0:
		return false
	case names[len(names)-1] == "timestamp", names[len(names)-1] == "timestamptz", names[len(names)-1] == "date":
		return true
	}
	return false
}
