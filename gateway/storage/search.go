package storage

import (
	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway/ingest"
	"github.com/ontosql/ontosql/resolver"
)

// Search asks for the rows of a window of a type (Backend.Find).
type Search struct {
	Pin    *resolver.Pin
	Type   *catalog.Type
	Window ontosql.Window

	// Keys are the wanted texts of the first key column, nil for all. Rows with other keys
	// may be found too.
	Keys []string
	// Matches reports whether a row has wanted texts in every key column. It is nil if all
	// rows are wanted.
	Matches func(*format.Row) bool
	// FirstParam is the number of the first parameter that rows may become, 0 if they may
	// not become parameters.
	FirstParam int
	// Lookup answers the statement if a single row is found. It is nil for most statements.
	Lookup *ingest.Lookup
	// DryRun asks for the Report alone, for EXPLAIN.
	DryRun bool
	// Warn sends the client a warning with a SQLSTATE.
	Warn func(code, text string)
}

// Empty reports whether no commit of the window can have rows of the type.
func (s *Search) Empty() bool {
	return s.Window.Lower >= s.Window.Upper || s.Type.Floor > s.Window.Upper
}

// Result are rows that the engine can read until they are released.
type Result struct {
	Files    []scan.File
	Report   Report
	Args     []any         // the parameters that rows became
	Answer   *column.Batch // of Search.Lookup; nil if the engine has to answer
	OneTime  bool          // no other statement reads the rows by the same SQL
	Newest   *resolver.Pin // the newest head seen in reading, nil if none was
	Readable bool          // all values are certain to be of their columns' types
	Release  func()        // nil if there is nothing to release

	size func() int64 // bytes that the rows fill in the store; nil for no rows
}

func (r *Result) close() {
	if r.Release != nil {
		r.Release()
	}
}

// Report is what EXPLAIN shows of a search.
type Report struct {
	Some bool          // the store has rows to read
	Text func() string // one line
}
