package session

import (
	"github.com/ontosql/ontosql/auth/roles"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway/settings"
	"github.com/ontosql/ontosql/gateway/staging"
	"github.com/ontosql/ontosql/gateway/typeddl"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/workspace"
)

// Savepoint is the state of a transaction that ROLLBACK TO restores (PostgreSQL manual,
// SAVEPOINT). Of several with one name the newest counts.
type Savepoint struct {
	Name     string
	Staged   []StagingMark // of transaction.staged
	Schema   *typeddl.Draft
	Tags     map[string]format.TagChange
	Actions  []string
	Pin      *resolver.Pin // nil where the transaction had none
	Settings settings.Savepoint
	Cursors  int // that the session had declared so far
	Portals  int // wire.Names.Mark
	Changes  int // of channels
	Sends    int
	Events   int
	Tables   workspace.Mark

	Roles     *roles.Roles
	RoleEdits []RoleEdit
}

// StagingMark is the number of versions that were staged at a savepoint.
type StagingMark struct {
	*staging.Rows
	Newest int64 // the number of its newest version
}

// Find returns the index of the newest savepoint of a name. No such savepoint is 3B001.
func (t *Transaction) Find(st *syntax.Statement) (int, error) {
	name := "RELEASE SAVEPOINT"
	if st.Kind == syntax.RollbackTo {
		name = "ROLLBACK TO SAVEPOINT"
	}
	if err := t.InBlock(name); err != nil {
		return 0, err
	}
	for i := len(t.Savepoints) - 1; i >= 0; i-- {
		if t.Savepoints[i].Name == st.Name {
			return i, nil
		}
	}
	return 0, pgerr.New(pgerr.InvalidSavepointSpecification, "savepoint %q does not exist", st.Name)
}

// Block reports whether the transaction is more than the statement that runs.
func (t *Transaction) Block() bool { return t.Explicit || t.Several }

// InBlock is the error of a statement that is allowed in a transaction block only.
func (t *Transaction) InBlock(statement string) error {
	if t.Explicit {
		return nil
	}
	return pgerr.New(pgerr.NoActiveSQLTransaction, "%s can only be used in transaction blocks", statement)
}
