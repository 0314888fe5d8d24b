package defaults

import (
	"slices"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/coercion"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/expression"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
)

// WithGenerated returns what prints a query of rows of a table with the values of its generated
// columns in the place of what the query has for them. It is nil for a table without any. columns
// are the names of the table's columns in the query; nil means those of column.AliasesOf.
func WithGenerated(b *expression.Binder, s *scope.Shape, columns []string) func(rows string) string {
	if len(s.Generated) == 0 {
		return nil
	}
	if columns == nil {
		columns = column.AliasesOf(s.Columns)
	}
	alias := b.UniqueAlias("row")
	row := rowOf(s, alias, columns)
	values := ""
	for i, c := range s.Columns {
		if s.Generated[c.Name] != "" {
			values += ", " + generatedValue(b, s, i, row) + " AS " + enginesql.Quote(columns[i])
		}
	}
	return func(rows string) string {
		return "SELECT * REPLACE (" + values[2:] + ") FROM (" + rows + ") AS " + enginesql.Quote(alias)
	}
}

// rowOf is the row of a table as the expressions of its generated columns name it.
func rowOf(s *scope.Shape, alias string, columns []string) *scope.RangeEntry {
	r := &scope.RangeEntry{Alias: s.Table, Schema: s.Schema, Table: s.Table, EngineAlias: alias, Ref: -1, Shape: s}
	for i, c := range s.Columns {
		sql := enginesql.Quote(alias) + "." + enginesql.Quote(columns[i])
		r.Columns = append(r.Columns, &scope.Column{Name: c.Name, SQL: sql, Type: s.TypeOf(i), Range: r, Source: c.Name})
	}
	return r
}

// generatedValue is what is stored of generated column i.
func generatedValue(b *expression.Binder, s *scope.Shape, i int, row *scope.RangeEntry) (sql string) {
	c := s.Columns[i]
	x, err := ParseExpression(s.Generated[c.Name])
	if err != nil {
		b.Fail(pgerr.New(pgerr.DataCorrupted, "the expression of column %q of relation %q cannot be read", c.Name, s.Table).Because(err), -1)
	}
	*x.st.Tree = syntax.Tree{} // positions in the expression are not positions of the statement
	ResolveAlone(b, x, generatedLevel(row), func(e scope.Expr) {
		e.Location = -1
		sql = coercion.StoredValue(s, b.Assign(e, s, i).SQL, i)
	})
	return sql
}

func generatedLevel(row *scope.RangeEntry) *scope.Level {
	return &scope.Level{Namespace: scope.Namespace{Ranges: []*scope.RangeEntry{row}, Columns: row.Columns}, Clause: inGenerated}
}

// GeneratedOf is the SQL text of an expression as that of a generated column of a table. What
// PostgreSQL refuses in it is refused in its words (PostgreSQL's cookDefault). The table's
// Generated has all of its generated columns.
func (x *Expression) GeneratedOf(s *scope.Shape, name string, env scope.Env) (text string, err error) {
	b, err := expression.New(x.st, nil, nil, nil, env)
	if err != nil {
		return "", err
	}
	defer scope.Recover(&err)
	b.FixedTimes = true
	i := slices.IndexFunc(s.Columns, func(c column.Named) bool { return c.Name == name })
	row := rowOf(s, b.UniqueAlias("row"), column.AliasesOf(s.Columns))
	x.checkColumns(b, s)
	l := generatedLevel(row)
	ResolveAlone(b, x, l, func(e scope.Expr) {
		x.checkNested(b, s)
		if isMutable(b, x.node, l) {
			b.Fail(pgerr.New(pgerr.InvalidObjectDefinition, "generation expression is not immutable"), -1)
		}
		if to := s.TypeOf(i); e.Type.OID != types.Unknown && !types.Assignable(e.Type, to) {
			b.Fail(pgerr.New(pgerr.DatatypeMismatch, "column %q is of type %s but default expression is of type %s", name, types.Of(to.OID), types.Of(e.Type.OID)).
				WithHint(types.RewriteHint), -1)
		}
		b.Assign(e, s, i)
		if text = x.text; e.Literal != nil {
			text += "::" + types.Of(s.TypeOf(i).OID).String()
		}
	})
	return text, x.CheckKept("generation expression")
}

// checkColumns refuses system columns and whole rows.
func (x *Expression) checkColumns(b *expression.Binder, s *scope.Shape) {
	x.eachColumn(func(ref *pg.ColumnRef, name string) {
		switch {
		case slices.ContainsFunc(s.Columns, func(c column.Named) bool { return c.Name == name }):
		case name == "", len(ref.Fields) == 1 && name == s.Table:
			b.Fail(pgerr.New(pgerr.InvalidObjectDefinition, "cannot use whole-row variable in column generation expression").
				WithDetail("This would cause the generated column to depend on its own value."), ref.Location)
		case name == "tableoid":
			b.Unsupported(ref.Location, "tableoid in a column generation expression is not supported")
		case scope.IsSystemColumn(name):
			b.Fail(pgerr.New(pgerr.InvalidColumnReference, "cannot use system column %q in column generation expression", name), ref.Location)
		}
	})
}

// checkNested refuses other generated columns.
func (x *Expression) checkNested(b *expression.Binder, s *scope.Shape) {
	x.eachColumn(func(ref *pg.ColumnRef, name string) {
		if _, is := s.Generated[name]; is {
			b.Fail(pgerr.New(pgerr.InvalidObjectDefinition, "cannot use generated column %q in column generation expression", name).
				WithDetail("A generated column cannot reference another generated column."), ref.Location)
		}
	})
}

// eachColumn calls use for each reference to a column; name is "" for a star.
func (x *Expression) eachColumn(use func(ref *pg.ColumnRef, name string)) {
	syntax.Visit(x.node.ProtoReflect(), func(m any) bool {
		if ref, ok := m.(*pg.ColumnRef); ok {
			use(ref, lastName(ref))
		}
		return true
	})
}
