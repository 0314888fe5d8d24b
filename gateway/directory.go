package gateway

import (
	"cmp"
	"context"

	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/nameservice"
	"github.com/ontosql/ontosql/pgerr"
)

// Directory has the databases of a gateway. It may be used by many goroutines.
type Directory interface {
	// Acquire returns the database of a name and a branch, which is "" if the client gave none. It
	// stays open until release is called, once. An unknown name or branch is a *pgerr.Error with
	// 3D000; other errors are those of opening it.
	Acquire(ctx context.Context, name, branch string) (db *database.Database, release func(), err error)
}

// Fixed is a directory of databases that are open as long as the gateway is. Their names differ.
type Fixed []*database.Database

// Acquire implements Directory.
func (f Fixed) Acquire(_ context.Context, name, branch string) (*database.Database, func(), error) {
	for _, db := range f {
		if db.Name != name {
			continue
		}
		if cmp.Or(branch, nameservice.DefaultBranch) != nameservice.DefaultBranch {
			return nil, nil, NoBranch(name, branch).WithHint("main is the only branch.")
		}
		return db, func() {}, nil
	}
	return nil, nil, NoDatabase(name)
}

// NoDatabase is the error of a name that no database has.
func NoDatabase(name string) *pgerr.Error {
	return pgerr.New(pgerr.InvalidCatalogName, "database %q does not exist", name)
}

// NoBranch is the error of a branch that a database does not have.
func NoBranch(name, branch string) *pgerr.Error {
	return pgerr.New(pgerr.InvalidCatalogName, "branch %q of database %q does not exist", branch, name)
}
