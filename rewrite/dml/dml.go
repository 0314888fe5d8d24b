package dml

import (
	"errors"
	"fmt"
	"slices"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/rewrite/defaults"
	"github.com/ontosql/ontosql/rewrite/query"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// Scoped is an INSERT, UPDATE, DELETE or MERGE whose names and types are resolved:
// one query of the rows that it changes and of what RETURNING shows of them. It
// is as immutable as Scoped.
type Scoped struct {
	// Rows is the query. Its columns are, in this order:
	//
	//   - the action, a BIGINT that indexes Actions; only if Matches
	//   - one for each of the target's Stored, of the stored version that the row
	//     changes, NULL where there is none; only if Matches
	//   - one for each of the target's Columns, in its order and of its engine
	//     type: the new row. What no value is assigned to is the column's default, or
	//     NULL, in an insert, and nothing that counts in an update
	//   - two if there are Checks: the index of the first that the new row fails, NULL for
	//     none, a BIGINT, and the text of the row in the error
	//   - one for each of Returned
	//
	// Rows without an action, such as those of DO NOTHING, are left out. The rows of an INSERT
	// keep their order. A stored version may come several times: an UPDATE uses the first, and
	// a MERGE fails at the second.
	//
	// Needs has one element for each of Statement.Refs, those within RETURNING
	// included, and if Matches one more, the last, for the target as it is read.
	Rows *scope.Scoped
	// Matches says that stored versions are read: always, except for an INSERT without ON
	// CONFLICT and without a Conflict setting of the same meaning.
	Matches bool
	// Once says that no stored version comes several times.
	Once bool
	// Actions are what may be done with a row; a plain INSERT has one. An INSERT with
	// ON CONFLICT that has no Updates among them skips a row whose key an earlier row
	// of the same statement has.
	Actions []Action
	// Arbiters are the names of the constraints that ON CONFLICT is about.
	Arbiters []string
	// DeferrableArbiter is the first of them that is deferrable, "" for none. Rows are compared
	// with those before it: one that is in conflict with none of them cannot be written.
	DeferrableArbiter string
	// Checks are the names of the views whose conditions the new rows have to meet: WITH CHECK
	// OPTION.
	Checks []string
	// Returned are the columns of RETURNING, nil without. One that is a column of
	// the target, unchanged, has len(Statement.Refs) as Ref. So has a plain fields_json, and a
	// plain ctid or xmin of a new row of an ordinary table, for which the query gives NULL and
	// the session what it stores.
	Returned []scope.Output

	write *builder
}

// ActionKind says what is done with a row.
type ActionKind uint8

// The kinds of actions.
const (
	Inserts ActionKind = iota // the row is new; no stored version is given
	Updates                   // the row takes the place of the stored version
	Deletes                   // the stored row is removed; the row is the old one
)

// Action is one thing that a write does with rows.
type Action struct {
	Kind ActionKind
	// Assigned tells for each column of the target whether it gets a value that is
	// computed: in an INSERT's list of columns, by SET, or in an INSERT by the default of
	// a column that is not listed. It may still be NULL.
	Assigned []bool
}

// Conflict is what an INSERT without ON CONFLICT does with a row whose key exists.
type Conflict uint8

// What is done with a row whose key exists.
const (
	ConflictError   Conflict = iota // the session refuses it
	ConflictUpdate                  // as ON CONFLICT DO UPDATE of every given column
	ConflictNothing                 // as ON CONFLICT DO NOTHING
)

// Scope resolves an INSERT, UPDATE, DELETE or MERGE as Scope does a SELECT. target is
// the relation that Statement.Target names; the session has checked that it can be written.
// conflict is for an INSERT without ON CONFLICT. Values take the types of the
// target's columns by PostgreSQL's assignment casts. Columns of the key keep their
// values and system columns have none to give: assigning to them is 0A000.
func Scope(s *syntax.Statement, target scope.Shape, shapes []scope.Shape, conflict Conflict, paramOIDs []uint32, env scope.Env) (*Scoped, error) {
	return ScopeThrough(s, target, nil, shapes, conflict, paramOIDs, env)
}

// ScopeThrough is Scope for a statement that names a view. target is the table below, views are
// those that the write goes through, the one that the statement names first.
func ScopeThrough(s *syntax.Statement, target scope.Shape, views []*View, shapes []scope.Shape, conflict Conflict, paramOIDs []uint32, env scope.Env) (sc *Scoped, err error) {
	if s.Target == nil {
		return nil, errors.New("scope write: no target")
	}
	refs := append(slices.Clone(s.Refs), *s.Target)
	b, err := query.New(s, refs, append(slices.Clone(shapes), target), paramOIDs, env)
	if err != nil {
		return nil, err
	}
	defer scope.Recover(&err)
	b.PointExprs()
	w := newBuilder(b, views)
	if s.Node.GetDeleteStmt() == nil {
		w.generate = defaults.WithGenerated(b.Binder, w.target, nil)
	}
	switch n := s.Node.Node.(type) {
	case *pg.Node_InsertStmt:
		w.insert(b, n.InsertStmt, conflict)
	case *pg.Node_UpdateStmt:
		w.update(b, n.UpdateStmt)
	case *pg.Node_DeleteStmt:
		w.delete(b, n.DeleteStmt)
	case *pg.Node_MergeStmt:
		w.merge(b, n.MergeStmt)
	default:
		return nil, fmt.Errorf("scope write: the statement is %s", s.Tag)
	}
	if n := b.Params.Unused(); n > 0 && !s.SharesParameters() {
		return nil, scope.IndeterminateType(n)
	}
	return w.scoped(b), nil
}

// Params are the types of the statement's parameters (Scoped.Params).
func (sc *Scoped) Params() []uint32 { return sc.Rows.Params }
