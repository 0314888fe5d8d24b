package branch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/sqlite/bulk"
	"github.com/ontosql/ontosql/transfer"
)

// branchingSuffix is behind the name of a file that is not complete.
const branchingSuffix = ".branching"

// CreateFile makes a SQLite file that is a branch of another one at a commit; at nil is the newest
// one. The pages are copied by SQLite, what came after the commit is removed from the copy in one
// transaction, and then the file gets its name. After a crash the same call begins again.
//
// Errors: ErrOtherKind for a store in a bucket, ErrTaken if there is a file, ErrPurged,
// *UnknownCommitError, *resolver.LostSchemaError, and those of sqlite.
func CreateFile(ctx context.Context, path string, from *Store, at *ontosql.CommitID) (*Created, error) {
	if from.DB == nil {
		return nil, ErrOtherKind
	}
	if _, err := os.Lstat(path); err == nil {
		return nil, fmt.Errorf("%w: a file", ErrTaken)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	work := path + branchingSuffix
	if err := os.Remove(work); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	now, err := from.DB.Backup(ctx, work, nil)
	if err != nil {
		return nil, err
	}
	pin, err := pastOf(from.Address, now, at)
	if err == nil {
		err = cut(ctx, work, now, pin)
	}
	if err != nil {
		return nil, errors.Join(err, os.Remove(work))
	}
	if err := name(work, path); err != nil {
		return nil, err
	}
	return &Created{Commit: pin.Head.Commit}, nil
}

// cut makes a copy of a file what the file was at an earlier commit. now is the pin of the copy.
func cut(ctx context.Context, path string, now, pin *resolver.Pin) (err error) {
	if ref, purged := purgedSince(now, pin); purged {
		return fmt.Errorf("%w: those of %s, by commit %d", ErrPurged, ref, now.View.Floor(ref))
	}
	types, err := transfer.TypesAt(pin)
	if err != nil {
		return err
	}
	h, err := bulk.Open(ctx, bulk.Options{Path: path})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.Close()) }()
	if err := h.CutAfter(pin.Head.Commit); err != nil {
		return err
	}
	return h.Finish(types, nil)
}

// purgedSince returns a type that existed at a pin and whose rows were removed after it.
func purgedSince(now, pin *resolver.Pin) (ref ontosql.TypeRef, purged bool) {
	for _, t := range pin.Catalog.Types {
		by := now.View.Floor(t.Ref)
		if by <= pin.Head.Commit {
			continue
		}
		e := now.View.Commit(by)
		change, err := e.Manifest.SchemaChange(e.Path)
		if d := change.DropOf(t.Ref); err != nil || d == nil || d.Purged {
			return t.Ref, true
		}
	}
	return ontosql.TypeRef{}, false
}

// name gives a complete file its name, unless another one has it.
func name(work, path string) error {
	err := os.Link(work, path)
	switch {
	case errors.Is(err, fs.ErrExist):
		return errors.Join(fmt.Errorf("%w: a file since a moment", ErrTaken), os.Remove(work))
	case err != nil: // a file system without links
		err = os.Rename(work, path)
	default:
		err = os.Remove(work)
	}
	if err != nil {
		return fmt.Errorf("name the branch: %w", err)
	}
	d, err := os.Open(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("name the branch: %w", err)
	}
	return errors.Join(d.Sync(), d.Close())
}
