package modify

import (
	"context"
	"strings"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/gateway/relation"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/rewrite/defaults"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/types"
	"github.com/ontosql/ontosql/workspace"
)

// Violates reports whether one of the new rows of a table does not satisfy the condition of a
// CHECK constraint: its value is false. from is a FROM item with the rows, values are the
// expressions of the table's columns. row is the value of description for that row.
func Violates(ctx context.Context, s *session.Session, t *workspace.Table, c workspace.Check, values []string, description, from string) (row string, found bool, err error) {
	sc, err := ScopeCheck(s, t, c.Text)
	if err != nil {
		return "", false, err
	}
	aliases := column.AliasesOf(relation.StoredColumns(t))
	items := make([]string, len(values))
	for i, v := range values {
		items[i] = v + " AS " + duckdb.Ident(aliases[i])
	}
	items = append(items, description+" AS "+duckdb.Ident(rowDescription(t)))
	sql, err := sc.Bind([]string{"(SELECT " + strings.Join(items, ", ") + " FROM " + from + " AS new)"})
	if err != nil {
		return "", false, err
	}
	conn, err := s.FreeConn(ctx)
	if err != nil {
		return "", false, err
	}
	err = conn.Each(ctx, sql, nil, func(b *column.Batch, i int) { row, found = string(b.Cols[0].Str[i]), true })
	return row, found, err
}

// rowDescription is the name of a column that the rows have in addition to the table's.
func rowDescription(t *workspace.Table) string {
	name := "row"
	for t.Column(name) != nil {
		name += "_"
	}
	return name
}

// ScopeCheck resolves the query of the rows that violate a condition.
func ScopeCheck(s *session.Session, t *workspace.Table, condition string) (*scope.Scoped, error) {
	x, err := defaults.ParseExpression(condition)
	if err != nil {
		return nil, err
	}
	return ScopeCondition(s, t, x)
}

// ScopeCondition is ScopeCheck of a condition that is parsed.
func ScopeCondition(s *session.Session, t *workspace.Table, condition *defaults.Expression) (*scope.Scoped, error) {
	row := rowDescription(t)
	shape := relation.StoredShape(t)
	shape.Columns = append(shape.Columns, column.Named{Name: row, Type: column.Type{Kind: column.Text}})
	shape.Types = append(shape.Types, types.Of(types.Text))
	return ddlstmt.ScopeCondition(shape, condition, row, s.NewEnv())
}
