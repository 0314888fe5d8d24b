package syntax

import (
	"cmp"
	"errors"
	"maps"
	"math"

	pg "github.com/pganalyze/pg_query_go/v6"
)

// View is the query of a view that a reference names. The references of the query are
// numbered behind those of the statement.
type View struct {
	Name  string // as errors show it
	Query *Statement
}

// ViewQuery is the query of a view, by the text of its CREATE VIEW or CREATE MATERIALIZED VIEW. Its references are
// numbered from first. Errors about it have no position, because the client's statement does
// not contain the text.
func ViewQuery(text string, first int) (*Statement, error) {
	t, err := Parse(text)
	if err != nil {
		return nil, err
	}
	if len(t.Stmts) != 1 {
		return nil, errors.New("view: the text is not one statement")
	}
	query := cmp.Or(t.Stmts[0].Stmt.GetViewStmt().GetQuery(), t.Stmts[0].Stmt.GetCreateTableAsStmt().GetQuery())
	if query == nil {
		return nil, errors.New("view: the text is no CREATE VIEW")
	}
	st, err := NewStatement(t, query)
	if err != nil {
		return nil, err
	}
	t.Before = math.MaxInt32
	for i := range st.Refs {
		st.Refs[i].ID, st.Refs[i].Position = first+i, 0
	}
	renumber(st.RangeRefs, first)
	renumber(st.CallRefs, first)
	return st, nil
}

func renumber[K *pg.RangeVar | *pg.RangeFunction](refs map[K]int, first int) {
	for k := range refs {
		refs[k] += first
	}
}

// WithViews is the statement with the references of the views that it reads, in addition to
// its own, and the queries of the views by the numbers of the references that name them.
func (s *Statement) WithViews(refs []Ref, views map[int]*View) *Statement {
	out := *s
	out.Refs, out.Views = refs, maps.Clone(views)
	return &out
}

// Nodes calls f for the tree of the statement and those of the views that it reads, until f
// returns false.
func (s *Statement) Nodes(f func(*pg.Node) bool) bool {
	if !f(s.Node) {
		return false
	}
	for _, v := range s.Views {
		if !v.Query.Nodes(f) {
			return false
		}
	}
	return true
}
