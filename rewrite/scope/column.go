package scope

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/rewrite/rowexpr"
	"github.com/ontosql/ontosql/rewrite/types"
)

// ColumnUse is a column that an expression names outside of aggregates.
type ColumnUse struct {
	Column   *Column
	Level    *Level // of the query whose FROM has the column
	Location int32
	// InSubquery is set where the column belongs to a query around the one that names it.
	InSubquery bool
	// OuterAggregate is set where it is no column: a subquery has GROUPING or an aggregate
	// of the query around it.
	OuterAggregate bool
	// DirectArgument is set in a direct argument of an ordered-set aggregate.
	DirectArgument bool
}

// GroupedExpr is a grouping expression behind GROUP BY.
type GroupedExpr struct {
	SQL     string // its value
	Key     string // what the engine groups by; of equal expressions in grouping sets the first
	Printed string // what is printed of it (Expr.Printed)
}

// OutputColumn is one column that a query gives.
type OutputColumn struct {
	Name       string // PostgreSQL's name
	EngineName string // the engine's, unique in its query
	Type       types.Type
	Ref        int // the reference and column it is unchanged, or -1
	Source     string
	Base       *Column       // the column of a reference of its rows, whose rows can be left out like its own
	TextColumn string        // the engine's name of its text, where that is a column, too (beside.go)
	Plain      *rowexpr.Expr // Output.Plain
	Effect     bool          // Column.Effect
}

// Window is a window of a WINDOW clause, and its name in the printed SQL.
type Window struct {
	Name       string
	Definition *pg.WindowDef
}
