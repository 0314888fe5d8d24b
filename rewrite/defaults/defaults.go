package defaults

import (
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/coercion"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/expression"
	"github.com/ontosql/ontosql/rewrite/input"
	"github.com/ontosql/ontosql/rewrite/rowexpr"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
)

// Default is the SQL text of an expression as the default of a column. A literal
// without a type is written with the one that it is read as. What PostgreSQL refuses
// in a default is refused in its words.
func (x *Expression) Default(c column.Named, env scope.Env) (string, error) {
	return x.DefaultOf(c.Name, types.OfColumn(c.Type), env)
}

// DefaultOf is Default for a column of a type of PostgreSQL.
func (x *Expression) DefaultOf(column string, to types.Type, env scope.Env) (text string, err error) {
	if err := x.CheckKept("DEFAULT"); err != nil {
		return "", err
	}
	b, err := expression.New(x.st, nil, nil, nil, env)
	if err != nil {
		return "", err
	}
	defer scope.Recover(&err)
	ResolveAlone(b, x, &scope.Level{Clause: inDefault}, func(e scope.Expr) {
		if e.Type.OID != types.Unknown && !types.Assignable(e.Type, to) {
			b.Fail(pgerr.New(pgerr.DatatypeMismatch, "column %q is of type %s but default expression is of type %s", column, to, types.Of(e.Type.OID)).
				WithHint(types.RewriteHint), -1)
		}
		refuseMoments(b, x.node, to)
		b.Scoped(b.Coerce(e, to, types.AssignmentCast).SQL, nil, 0)
		text = x.text
		if e.Literal != nil {
			text += "::" + to.String()
		}
	})
	return text, nil
}

// refuseMoments refuses 'now' and similar texts as times: PostgreSQL stores the time of the
// definition, and here the text would be read again in every INSERT.
func refuseMoments(b *expression.Binder, n *pg.Node, to types.Type) {
	check := func(n *pg.Node) {
		word := strings.ToLower(strings.Trim(n.GetAConst().GetSval().GetSval(), input.Whitespace))
		switch word {
		case "now", "today", "yesterday", "tomorrow":
			b.Fail(pgerr.Unsupported("a default of %s is not supported", enginesql.Literal(word)).
				WithHint("PostgreSQL would keep the moment of the definition. Use now() or CURRENT_DATE for that of each row."), n.GetAConst().Location)
		}
	}
	if types.IsDateTime(to.OID) {
		check(n)
	}
	syntax.Visit(n.ProtoReflect(), func(m any) bool {
		if c, ok := m.(*pg.TypeCast); ok && syntax.IsPointType(c.TypeName) {
			check(c.Arg)
		}
		return true
	})
}

// Value is what a column has where no value is given for it: its default, or
// NULL.
func Value(b *expression.Binder, s *scope.Shape, i int) scope.Expr {
	out := scope.Expr{SQL: "NULL", Type: types.Of(types.Unknown), UntypedNull: true, Location: -1}
	text := s.Defaults[s.Columns[i].Name]
	if text == "" {
		return out
	}
	if e, ok := b.Defaults[text]; ok {
		return e
	}
	x, err := ParseExpression(text)
	if err != nil {
		b.Fail(pgerr.New(pgerr.DataCorrupted, "the default of column %q of relation %q cannot be read", s.Columns[i].Name, s.Table).Because(err), -1)
	}
	*x.st.Tree = syntax.Tree{} // positions in a default are not positions of the statement
	ResolveAlone(b, x, &scope.Level{Clause: inDefault}, func(e scope.Expr) { out = e })
	out.Location = -1
	b.Defaults[text] = out
	return out
}

// ValueOrNull is what is stored of a column where no value is given for it.
func ValueOrNull(b *expression.Binder, s *scope.Shape, i int) scope.Expr {
	c := s.Columns[i]
	if s.Defaults[c.Name] == "" {
		return scope.Expr{SQL: coercion.NullOf(c.Type)}.Means(rowexpr.Null(c.Type))
	}
	return coercion.Stored(s, b.Assign(Value(b, s, i), s, i), i)
}
