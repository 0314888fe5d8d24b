package relation

import (
	"strings"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/gateway/introspect"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
)

// WorkTable is a table of the engine with the rows of a query of WITH that was run before the
// statement that reads it. It exists while that statement runs.
type WorkTable struct {
	Name    string   // for SQL
	Columns []string // in the order of the query's
}

// PartRelation is a query of WITH that is run apart from the statement (syntax.Statement.Parts).
// columns are nil if it has no RETURNING clause.
func PartRelation(ref syntax.Ref, columns []scope.OutputColumn) Relation {
	return Relation{Ref: ref, Shape: scope.Shape{Kind: scope.WithQuery, Table: ref.Name, Outputs: columns, Columns: PartColumns(columns)}}
}

// ActionOutputs are the columns that a function which writes returns (syntax.Actions).
func ActionOutputs(name string) []scope.OutputColumn {
	var out []scope.OutputColumn
	for _, c := range introspect.Find(name, true).Named() {
		out = append(out, scope.OutputColumn{Name: c.Name, EngineName: c.Name, Type: types.OfColumn(c.Type), Ref: -1})
	}
	return out
}

// PartColumns are the columns of a query of WITH in the engine: its own, and behind them the
// texts of some.
func PartColumns(columns []scope.OutputColumn) []column.Named {
	var out, texts []column.Named
	for _, c := range columns {
		out = append(out, column.Named{Name: c.EngineName, Type: c.Type.Column()})
		if c.TextColumn != "" {
			texts = append(texts, column.Named{Name: c.TextColumn, Type: column.Type{Kind: column.Text}})
		}
	}
	return append(out, texts...)
}

// PartSource is the FROM item of a query of WITH whose rows are in a table.
func (r *Relation) PartSource(t WorkTable) string {
	items := []string{"NULL"} // of a query without columns
	for i, name := range column.AliasesOf(r.Shape.Columns) {
		if i == 0 {
			items = nil
		}
		items = append(items, t.Columns[i]+" AS "+duckdb.Ident(name))
	}
	return "SELECT " + strings.Join(items, ", ") + " FROM " + t.Name
}
