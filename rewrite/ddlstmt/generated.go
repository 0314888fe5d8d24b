package ddlstmt

import (
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/defaults"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/types"
)

// generated reads GENERATED ALWAYS AS (expression) STORED of a column.
func (d *definer) generated(k *pg.Constraint, c *ColumnDefinition, hasDefault bool) (err error) {
	at := d.st.Tree.Position(k.Location)
	switch {
	case !d.Ordinary:
		return pgerr.Unsupported("GENERATED AS an expression is not supported").At(at)
	case c.Generated != nil:
		return pgerr.New(pgerr.SyntaxError, "multiple generation clauses specified for column %q of table %q", c.Name, d.Table.Name).At(at)
	case c.Identity != 0:
		return d.generatedBeside("identity", c, at)
	case hasDefault:
		return d.generatedBeside("default", c, at)
	}
	c.Generated, err = defaults.NewExpression(d.st, k.RawExpr)
	return err
}

// generatedBeside is the error of a generated column that has a default or an identity, too.
func (d *definer) generatedBeside(what string, c *ColumnDefinition, at int) *pgerr.Error {
	return pgerr.New(pgerr.SyntaxError, "both %s and generation expression specified for column %q of table %q", what, c.Name, d.Table.Name).At(at)
}

// ScopeGenerated resolves the query of rows of a table with the values of its generated columns.
// Its one Need is for the rows; what they have in those columns does not count.
func ScopeGenerated(table scope.Shape, env scope.Env) (sc *scope.Scoped, err error) {
	b, err := overTable(table, env)
	if err != nil {
		return nil, err
	}
	defer scope.Recover(&err)
	from, ns := b.Reference(0, nil, -1)
	var items []string
	var columns []scope.Output
	for i, name := range column.AliasesOf(table.Columns) {
		items = append(items, b.ColumnExpr(ns.Ranges[0].Columns[i], -1, nil).SQL+" AS "+enginesql.Quote(name))
		columns = append(columns, scope.Output{Name: name, OID: types.OfColumn(table.Columns[i].Type).OID, Typmod: -1, Ref: -1})
	}
	rows := "SELECT " + strings.Join(items, ", ") + " FROM " + from
	if generate := defaults.WithGenerated(b.Binder, &table, nil); generate != nil {
		rows = generate(rows)
	}
	return b.Scoped(rows, columns, 1), nil
}
