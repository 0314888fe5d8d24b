package modify

import (
	"slices"
	"strings"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/gateway/relation"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/types"
	"github.com/ontosql/ontosql/workspace"
)

// withDefaults is a query of rows of a table, behind an action and a row id, in which columns
// have their defaults.
func withDefaults(s *session.Session, t *workspace.Table, columns []int, rows string) (string, error) {
	shape := actionShape(t)
	var values []ddlstmt.MigratedColumn
	for i, c := range shape.Columns {
		v := ddlstmt.MigratedColumn{Column: c, Stored: shape.Types[i], From: c.Name}
		if k := t.Column(c.Name); k != nil && slices.Contains(columns, k.Number) {
			v.From, v.Default = "", k.Default
		}
		values = append(values, v)
	}
	sc, err := ddlstmt.ScopeMigration(shape, values, s.NewEnv())
	if err != nil {
		return "", err
	}
	return sc.Bind([]string{named(rows, &shape)})
}

// withGenerated is a query of rows of a table, behind an action and a row id, with the values of
// its generated columns.
func withGenerated(s *session.Session, t *workspace.Table, rows string) (string, error) {
	return GeneratedIn(s, actionShape(t), rows)
}

// GeneratedIn is a query of rows of a table with the values of its generated columns in the
// place of what the query has for them.
func GeneratedIn(s *session.Session, table scope.Shape, rows string) (string, error) {
	if len(table.Generated) == 0 {
		return rows, nil
	}
	sc, err := ddlstmt.ScopeGenerated(table, s.NewEnv())
	if err != nil {
		return "", err
	}
	return sc.Bind([]string{named(rows, &table)})
}

// actionShape is the shape of rows of a table behind an action and a row id.
func actionShape(t *workspace.Table) scope.Shape {
	shape := relation.StoredShape(t)
	action := rowDescription(t)
	hidden := []column.Named{{Name: action, Type: column.Type{Kind: column.Int64}}, {Name: action + "_", Type: column.Type{Kind: column.Int64}}}
	shape.Columns = append(hidden, shape.Columns...)
	shape.Types = append([]types.Type{types.Of(types.Int8), types.Of(types.Int8)}, shape.Types...)
	return shape
}

// named is a FROM item of rows with the names that the columns of a shape have for the engine.
func named(rows string, shape *scope.Shape) string {
	var names []string
	for _, name := range column.AliasesOf(shape.Columns) {
		names = append(names, duckdb.Ident(name))
	}
	return "(SELECT * FROM (" + rows + ") AS given(" + strings.Join(names, ", ") + "))"
}
