package database

import (
	"context"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/branch"
	"github.com/ontosql/ontosql/nameservice"
)

// Branch is a branch beside another one.
type Branch struct {
	Database, Branch, URI string
	Head                  ontosql.CommitID
	// Ancestor is the last commit that both have, 0 if there is none; Ahead and Behind are the numbers of
	// commits after it, of this branch and of the other one.
	Ancestor      ontosql.CommitID
	Ahead, Behind int
}

// Names is the name service of a gateway, from which it has its databases.
type Names interface {
	nameservice.Service

	// CreateDatabase makes a store for a new ontology, or a branch of one, and its record. from is
	// what the store begins with: the alias of an ontology and a point after @, as a client would
	// connect to it; "" means an empty ontology. The error is a *pgerr.Error, or one of the name
	// service (nameservice.ErrExists) or of the store.
	CreateDatabase(ctx context.Context, a nameservice.Alias, from string) error
	// Branches are the live branches of the ontology of a database, by their names, and what each has
	// in common with that database.
	Branches(ctx context.Context, of string) ([]Branch, error)
	// BranchDiff calls visit for what each of two databases has changed since their common ancestor.
	BranchDiff(ctx context.Context, first, second string, visit func(branch.Change) error) error
	// Merge merges the database from, NAME[:BRANCH][@POINT], into another one, by its own committer. The
	// error wraps branch.ErrConflicts beside a result, or is that of branch.Merge.
	Merge(ctx context.Context, from, into string, committer branch.Committer, o branch.MergeOptions) (*branch.Merged, error)
	// Changed makes the gateway look at the records soon: one of them was written from here.
	Changed()
}
