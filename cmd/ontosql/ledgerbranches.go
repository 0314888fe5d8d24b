package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/ontosql/ontosql/branch"
	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/nameservice"
	"github.com/ontosql/ontosql/pgerr"
)

// openDatabaseStore opens the store of a database, NAME[:BRANCH][@POINT], beside the gateway's own use
// of it. One that does not exist is 3D000.
func (l *ledgers) openDatabaseStore(ctx context.Context, name string) (*openedBranch, error) {
	return l.openTemplate(ctx, name, "database %q does not exist")
}

// Branches implements database.Names.
func (l *ledgers) Branches(ctx context.Context, of string) ([]database.Branch, error) {
	ontology, _, _ := strings.Cut(of, ":")
	records, err := l.List(ctx, nameservice.Ledger)
	if err != nil {
		return nil, err
	}
	first, err := l.openDatabaseStore(ctx, of)
	if err != nil {
		return nil, err
	}
	defer first.close()
	var all []database.Branch
	for _, r := range records {
		if r.Name != ontology || r.Retracted || storageURI(r) == "" {
			continue
		}
		b, err := l.beside(ctx, first, r)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.Alias, err)
		}
		all = append(all, *b)
	}
	return all, nil
}

// beside compares a branch with another one.
func (l *ledgers) beside(ctx context.Context, first *openedBranch, r *nameservice.Record) (*database.Branch, error) {
	b := &database.Branch{Database: databaseName(r.Alias), Branch: r.Branch, URI: storageURI(r)}
	store, err := l.openBranch(ctx, b.URI)
	if err != nil {
		return nil, err
	}
	defer store.close()
	pin, err := store.Pins.PinFresh(ctx)
	if err != nil {
		return nil, err
	}
	b.Head = pin.Head.Commit
	related, err := branch.Relate(ctx, first.Store, store.Store)
	if errors.Is(err, branch.ErrUnrelated) || errors.Is(err, branch.ErrOtherKind) {
		return b, nil
	}
	if err != nil {
		return nil, err
	}
	b.Ancestor, b.Ahead, b.Behind = related.Fork, related.Behind(), related.Ahead()
	return b, nil
}

// BranchDiff implements database.Names.
func (l *ledgers) BranchDiff(ctx context.Context, first, second string, visit func(branch.Change) error) error {
	for _, name := range []string{first, second} {
		if strings.Contains(name, "@") {
			return pgerr.New(pgerr.InvalidParameterValue, "branches are compared at their newest commits: %q has a point", name)
		}
	}
	a, err := l.openDatabaseStore(ctx, first)
	if err != nil {
		return err
	}
	defer a.close()
	b, err := l.openDatabaseStore(ctx, second)
	if err != nil {
		return err
	}
	defer b.close()
	_, err = branch.Diff(ctx, a.Store, b.Store, visit)
	return err
}

// Merge implements database.Names.
func (l *ledgers) Merge(ctx context.Context, from, into string, committer branch.Committer, o branch.MergeOptions) (*branch.Merged, error) {
	theirs, err := l.openDatabaseStore(ctx, from)
	if err != nil {
		return nil, err
	}
	defer theirs.close()
	ours, err := l.openDatabaseStore(ctx, into)
	if err != nil {
		return nil, err
	}
	defer ours.close()
	if theirs.Address == ours.Address {
		return nil, pgerr.New(pgerr.InvalidParameterValue, "cannot merge a database with itself")
	}
	o.At = theirs.at
	return branch.Merge(ctx, theirs.Store, ours.Store, committer, o)
}
