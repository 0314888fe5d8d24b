package rewrite

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/rewrite/types"
)

// use is a column that an expression names outside of aggregates.
type use struct {
	f   *field
	l   *level // of the query whose FROM has the column
	loc int32
}

// outcol is one column that a query gives.
type outcol struct {
	name   string // PostgreSQL's name
	out    string // the engine's, unique in its query
	t      types.Type
	ref    int // the reference and column it is unchanged, or -1
	source string
	beside string // the engine's name of its text, where that is a column, too (beside.go)
}

// window is a window of a WINDOW clause, and its name in the printed SQL.
type window struct {
	name string
	def  *pg.WindowDef
}
