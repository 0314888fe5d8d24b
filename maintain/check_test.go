package maintain_test

import (
	"context"
	"errors"
	"testing"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/maintain"
	"github.com/ontosql/ontosql/objstore"
)

// TestWithoutData checks only that data files exist, not their contents.
func TestWithoutData(t *testing.T) {
	for _, c := range []struct {
		name        string
		store       string
		do          func(s store)
		light, deep int // errors
	}{
		{"sound", late1, func(store) {}, 0, 0},
		{"a data file is missing", v1, func(s store) { s.remove(s.find("1", "product.parquet")) }, 1, 1},
		{"a snapshot is missing", late1, func(s store) { s.remove(s.keys(format.SnapshotsPrefix)[0]) }, 1, 1},
		{"a data file is damaged", v1, func(s store) { s.put(s.find("1", "product.parquet"), []byte("PAR1")) }, 0, 1},
		{"an index is damaged", v1, func(s store) { s.replace(format.IndexKey(product), `"max_indexed_commit":4`, `"max_indexed_commit":9`) }, 1, 1},
	} {
		s := open(t, c.store)
		c.do(s)
		for data, want := range map[bool]int{false: c.light, true: c.deep} {
			last, of := 0, 0
			report, err := maintain.Check(t.Context(), s, maintain.Options{Data: data, Progress: func(done, total int) { last, of = done, total }})
			if err != nil {
				t.Fatal(err)
			}
			if got := report.Errors(); len(got) != want {
				t.Errorf("%s, data %v: %d errors, want %d:\n%s", c.name, data, len(got), want, report)
			}
			if report.Moved {
				t.Errorf("%s: the report says that the head moved", c.name)
			}
			if !data && (report.Rows > 0 || of > 0) || data && (last == 0 || last != of) {
				t.Errorf("%s, data %v: read %d rows, and %d of %d files", c.name, data, report.Rows, last, of)
			}
		}
	}
}

// busyStore is a store whose head changes after its files are listed.
type busyStore struct {
	store
	head []byte
}

func (b busyStore) List(ctx context.Context, prefix string, visit func(objstore.Object) error) error {
	var moved error
	if prefix != "meta/" {
		_, moved = b.Put(ctx, format.HeadKey, b.head)
	}
	return errors.Join(moved, b.store.List(ctx, prefix, visit))
}

// TestMoved checks that a commit during the check is reported.
func TestMoved(t *testing.T) {
	s := open(t, v1)
	b := busyStore{s, open(t, late1).get(format.HeadKey)}
	report, err := maintain.Check(t.Context(), b, maintain.Options{})
	if err != nil || !report.Moved {
		t.Errorf("a store whose head moved: moved %v, %v", report.Moved, err)
	}
}
