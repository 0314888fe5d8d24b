package branch_test

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/branch"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/maintain/maintaintest"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/sqlite"
	"github.com/ontosql/ontosql/sqlite/check"
	"github.com/ontosql/ontosql/transfer"
)

// bucketStore opens the ontology in a bucket.
func bucketStore(t testing.TB, b objstore.Bucket) *branch.Store {
	t.Helper()
	log, err := chain.Open("", chain.Options{Bucket: b})
	if err != nil {
		t.Fatal(err)
	}
	store := resolver.Open(resolver.Options{Bucket: b, Log: log})
	t.Cleanup(func() {
		store.Close()
		_ = log.Close()
	})
	return &branch.Store{Address: b.String(), Bucket: b, Pins: store, Temp: t.TempDir()}
}

// fileStore opens the ontology in a SQLite file.
func fileStore(t testing.TB, path string) *branch.Store {
	t.Helper()
	db, err := sqlite.Open(sqlite.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return &branch.Store{Address: path, DB: db, Pins: db, Temp: t.TempDir()}
}

// source reads a store at its newest commit.
func source(t testing.TB, s *branch.Store) transfer.Source {
	t.Helper()
	pin, err := s.Pins.PinFresh(t.Context())
	if err != nil {
		t.Fatalf("pin %s: %v", s.Address, err)
	}
	if s.DB != nil {
		return transfer.NewTables(s.DB, pin)
	}
	return transfer.NewBucket(s.Bucket, pin, s.Temp)
}

// history is all that commits up to one have written, and the commits themselves, as text. Rows of
// types in without are left out.
func history(t testing.TB, src transfer.Source, upTo ontosql.CommitID, without []ontosql.TypeRef) []string {
	t.Helper()
	var lines []string
	for id := ontosql.CommitID(1); id <= min(upTo, src.Pin().Head.Commit); id++ {
		e := src.Pin().View.Commit(id)
		lines = append(lines, fmt.Sprintf("%d %s %s", id, e.Manifest.CreatedAt, e.Digest()))
	}
	for row, err := range src.Rows(t.Context(), nil, 0, upTo) {
		if err != nil {
			t.Fatalf("read rows: %v", err)
		}
		if !slices.Contains(without, row.Type) {
			lines = append(lines, fmt.Sprintf("%d %s %s|%s|%s|%s v%d %s", row.Commit, row.Type, row.Key, row.Left, row.Right, row.Instance, row.SchemaVersionID, row.Fields))
		}
	}
	return lines
}

// clean fails the test if a store breaks a rule.
func clean(t testing.TB, s *branch.Store) {
	t.Helper()
	if s.DB == nil {
		maintaintest.Clean(t, s.Bucket)
		return
	}
	report, err := check.Run(t.Context(), s.Address, check.Options{Data: true, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range report.Findings {
		if f.Check == "dropped types" && f.Severity == check.SeverityWarning { // a merge purges no rows
			continue
		}
		t.Errorf("fsck %s: %+v", s.Address, f)
	}
}

// leftBeside are the files that a branch has left beside it.
func leftBeside(t testing.TB, path string) (names []string) {
	t.Helper()
	_ = filepath.WalkDir(filepath.Dir(path), func(name string, _ fs.DirEntry, _ error) error {
		if strings.Contains(name, "branching") {
			names = append(names, name)
		}
		return nil
	})
	return names
}
