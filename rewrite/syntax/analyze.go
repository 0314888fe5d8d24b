package syntax

import (
	"strings"
	"unicode/utf8"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
)

// Analyze parses exactly one statement and finds its references. Blanks and
// comments alone are a statement of kind Empty; more than one statement is
// 42601, as in PostgreSQL's Parse message.
func Analyze(sql string) (*Statement, error) {
	t, err := Parse(sql)
	if err != nil {
		return nil, err
	}
	return analyze(t)
}

func analyze(t *Tree) (*Statement, error) {
	switch len(t.Stmts) {
	case 0:
		return &Statement{Kind: Empty, SQL: t.SQL, ReadOnly: true, Tree: t}, nil
	case 1:
	default:
		return nil, pgerr.New(pgerr.SyntaxError, "cannot insert multiple commands into a prepared statement")
	}
	st, err := NewStatement(t, t.Stmts[0].Stmt)
	if err != nil {
		return nil, err
	}
	for _, c := range t.Clauses {
		if !c.used {
			return nil, pgerr.New(pgerr.SyntaxError, `syntax error at or near "FOR"`).
				At(utf8.RuneCountInString(t.SQL[:c.from]) + 1).
				WithHint("FOR SYSTEM_TIME follows the name of a table in FROM.")
		}
	}
	return st, nil
}

// NewStatement reads one statement of the tree, the one within an EXPLAIN or
// PREPARE included.
func NewStatement(t *Tree, n *pg.Node) (*Statement, error) {
	t.moveActions(n.GetSelectStmt())
	st := &Statement{SQL: t.SQL, Tree: t, Node: n}
	target, err := st.classify()
	if err != nil {
		return nil, err
	}
	if st.Inner != nil {
		return st, nil
	}
	if target != nil {
		ref := st.RefOf(target)
		st.Target = &ref
	}
	switch st.Kind {
	case Select, Insert, Update, Delete, Merge, Copy, CreateTableAs, CreateView:
		if err := st.findParts(withClauseOf(n)); err != nil {
			return nil, err
		}
		if err := findRefs(t, st, n, target, names{}); err != nil {
			return nil, err
		}
	}
	return st, nil
}

// RefOf is the table that a statement names outside of FROM.
func (st *Statement) RefOf(v *pg.RangeVar) Ref {
	return Ref{ID: -1, Catalog: v.Catalogname, Schema: v.Schemaname, Name: v.Relname, Position: st.Tree.Position(v.Location)}
}

// classify fills everything but the references, and returns the table a write
// acts on.
func (st *Statement) classify() (target *pg.RangeVar, err error) {
	is := func(k Kind, tag string) { st.Kind, st.Tag = k, tag }
	target = writeTarget(st.Node)
	switch n := st.Node.Node.(type) {
	case *pg.Node_SelectStmt:
		is(Select, "SELECT")
		st.ReadOnly = !writes(n.SelectStmt.WithClause)
		if into := LeftmostSelect(n.SelectStmt).IntoClause; into != nil {
			is(CreateTableAs, "SELECT")
			st.ReadOnly = false
			target = into.Rel
		}
	case *pg.Node_ExplainStmt:
		is(Explain, "EXPLAIN")
		return nil, st.explain(n.ExplainStmt)
	case *pg.Node_VariableSetStmt:
		st.setting(n.VariableSetStmt)
	case *pg.Node_VariableShowStmt:
		is(Show, "SHOW")
		st.ReadOnly = true
		st.Name = strings.ToLower(n.VariableShowStmt.Name)
		st.All = st.Name == "all"
	case *pg.Node_TransactionStmt:
		return nil, st.transaction(n.TransactionStmt)
	case *pg.Node_PrepareStmt:
		is(Prepare, "PREPARE")
		return nil, st.prepare(n.PrepareStmt)
	case *pg.Node_ExecuteStmt:
		is(Execute, "EXECUTE")
		st.Name = n.ExecuteStmt.Name
	case *pg.Node_DeallocateStmt:
		is(Deallocate, "DEALLOCATE")
		st.Name, st.All, st.ReadOnly = n.DeallocateStmt.Name, n.DeallocateStmt.Name == "", true
		if st.All {
			st.Tag = "DEALLOCATE ALL"
		}
	case *pg.Node_DiscardStmt:
		st.discard(n.DiscardStmt)
	case *pg.Node_DeclareCursorStmt, *pg.Node_FetchStmt, *pg.Node_ClosePortalStmt:
		return nil, st.cursor()
	case *pg.Node_ListenStmt:
		is(Listen, "LISTEN")
		st.Name, st.ReadOnly = n.ListenStmt.Conditionname, true
	case *pg.Node_UnlistenStmt:
		is(Unlisten, "UNLISTEN")
		st.Name, st.All, st.ReadOnly = n.UnlistenStmt.Conditionname, n.UnlistenStmt.Conditionname == "", true
	case *pg.Node_NotifyStmt:
		is(Notify, "NOTIFY")
		st.Name, st.ReadOnly = n.NotifyStmt.Conditionname, true
		st.Values = []string{n.NotifyStmt.Payload}
	case *pg.Node_CopyStmt:
		is(Copy, "COPY")
		return n.CopyStmt.Relation, st.copyOptions(n.CopyStmt)
	case *pg.Node_InsertStmt:
		is(Insert, "INSERT")
	case *pg.Node_UpdateStmt:
		is(Update, "UPDATE")
	case *pg.Node_DeleteStmt:
		is(Delete, "DELETE")
	case *pg.Node_MergeStmt:
		is(Merge, "MERGE")
	case *pg.Node_TruncateStmt:
		is(Truncate, "TRUNCATE TABLE")
		if len(n.TruncateStmt.Relations) == 1 {
			target = n.TruncateStmt.Relations[0].GetRangeVar()
		}
	default:
		return st.classifyDDL()
	}
	return target, nil
}

// LeftmostSelect is the first SELECT of a tree of set operations, where the grammar
// puts INTO.
func LeftmostSelect(s *pg.SelectStmt) *pg.SelectStmt {
	for s.Larg != nil {
		s = s.Larg
	}
	return s
}
