package writepath_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/maintain/maintaintest"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/faulty"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/writepath"
)

// masses returns n rows of thing, "0" first, generated on demand, with the expected commit.
func masses(n int, expected ontosql.CommitID) iter.Seq2[writepath.Row, error] {
	return func(yield func(writepath.Row, error) bool) {
		for i := range n {
			if !yield(writepath.Row{Row: row(thing, fmt.Sprint(i), i), Expected: expected}, nil) {
				return
			}
		}
	}
}

// many is more rows than a transaction keeps in memory.
const many = 40_000

// wide returns n rows of one MiB.
func wide(n int) iter.Seq2[writepath.Row, error] {
	return func(yield func(writepath.Row, error) bool) {
		for i := range n {
			r := row(thing, fmt.Sprint("wide ", i), i)
			r.Fields = slices.Concat(r.Fields[:len(r.Fields)-1], []byte(`,"x":"`), bytes.Repeat([]byte("x"), 1<<20), []byte(`"}`))
			if !yield(writepath.Row{Row: r}, nil) {
				return
			}
		}
	}
}

// mass is a transaction with many rows.
func mass(pin ontosql.CommitID, rows iter.Seq2[writepath.Row, error]) writepath.Tx {
	d := data(thing)
	d.Rows = rows
	return writepath.Tx{Pin: pin, Data: []writepath.Data{d}}
}

// TestLargeTransaction commits many rows, and a few large ones, with a small type: they are
// read back as written, and no file is left.
func TestLargeTransaction(t *testing.T) {
	disk, dir := mem.New("x"), filepath.Join(t.TempDir(), "not", "yet")
	initialise(t, disk, format.EngineV1, thing, other)
	var told []writepath.LocalCommit
	c := writepath.Open(writepath.Options{Bucket: disk, RuntimeID: "test", TempDir: dir, OnCommit: func(l writepath.LocalCommit) { told = append(told, l) }})
	for pin, tc := range []struct {
		rows iter.Seq2[writepath.Row, error]
		few  bool
	}{{masses(many, 0), false}, {wide(20), true}} {
		tx := mass(ontosql.CommitID(pin+1), tc.rows)
		tx.Data = append(tx.Data, data(other, writepath.Row{Row: row(other, "a", 1)}))
		out, err := c.Commit(t.Context(), tx)
		if err != nil {
			t.Fatalf("Commit: %v", err)
		}
		got := rowsOf(t, disk, &out.Files[0], out.Commit)
		n := 0
		for want := range tc.rows {
			if r := got[n]; r.Commit != out.Commit || r.Key != want.Key || string(r.Fields) != string(want.Fields) || r.SchemaVersionID != writepath.FirstVersion {
				t.Fatalf("row %d of commit %d: got %q of commit %d, want %q", n, out.Commit, r.Key, r.Commit, want.Key)
			}
			n++
		}
		if len(got) != n || out.Files[0].RowCount != int64(n) {
			t.Errorf("commit %d: got %d rows, the manifest says %d, want %d", out.Commit, len(got), out.Files[0].RowCount, n)
		}
		l := told[pin]
		if l.Bodies[0] != nil || l.Rows[0] != nil || (l.Identities[thing] != nil) != tc.few || len(l.Identities[other]) != 1 {
			t.Errorf("commit %d is told with %d bytes, %d rows and %d identities of the large type, %d of the small one",
				out.Commit, len(l.Bodies[0]), len(l.Rows[0]), len(l.Identities[thing]), len(l.Identities[other]))
		}
	}
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	maintaintest.Clean(t, disk)
	wantEmpty(t, dir)
}

// wantEmpty checks that a directory is empty.
func wantEmpty(t *testing.T, dir string) {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil || len(files) > 0 {
		t.Errorf("temporary directory: got %v, %v; want no file", files, err)
	}
}

// TestLargeConflicts checks many rows against few of an earlier commit, few against many, and
// many against many. The error names the identity, the expected commit and the earlier one, as
// for few rows.
func TestLargeConflicts(t *testing.T) {
	first := func(id string) writepath.Tx { return put(1, id, 1, thing) }
	for _, tc := range []struct {
		name   string
		first  writepath.Tx
		second writepath.Tx
		want   *writepath.ConflictError // nil for none
	}{
		{"many after one of them", first("17"), mass(1, masses(many, 1)), &writepath.ConflictError{Type: thing, Key: "17", Expected: 1, Actual: 2}},
		{"many after another one", first("x"), mass(1, masses(many, 0)), nil},
		{"one of them after many", mass(1, masses(many, 0)), first("39999"), &writepath.ConflictError{Type: thing, Key: "39999", Actual: 2}},
		{"another one after many", mass(1, masses(many, 0)), first("40000"), nil},
		{"many after many", mass(1, masses(many, 0)), mass(1, masses(many+1, 1)), &writepath.ConflictError{Type: thing, Key: "0", Expected: 1, Actual: 2}},
	} {
		for _, foreign := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/foreign %t", tc.name, foreign), func(t *testing.T) {
				disk, dir := mem.New("x"), t.TempDir()
				initialise(t, disk, format.EngineV1, thing)
				c := writepath.Open(writepath.Options{Bucket: disk, RuntimeID: "test", TempDir: dir})
				by := c
				if foreign {
					by = writepath.Open(writepath.Options{Bucket: disk, RuntimeID: "other", TempDir: dir})
				}
				if _, err := by.Commit(t.Context(), tc.first); err != nil {
					t.Fatalf("first: %v", err)
				}
				if foreign {
					if err := by.Close(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				_, err := c.Commit(t.Context(), tc.second)
				var conflict *writepath.ConflictError
				if errors.As(err, &conflict) != (tc.want != nil) || tc.want == nil && err != nil {
					t.Errorf("second: got %v, want %v", err, tc.want)
				} else if tc.want != nil && *conflict != *tc.want {
					t.Errorf("second: got %+v, want %+v", *conflict, *tc.want)
				}
				if err := c.Close(t.Context()); err != nil {
					t.Fatal(err)
				}
				wantEmpty(t, dir)
			})
		}
	}
}

// TestSmallPassLarge queues a large and some small transactions: the small ones after it commit
// first, once, and those that arrive during its upload follow it.
func TestSmallPassLarge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		disk := mem.New("x")
		initialise(t, disk, format.EngineV1, thing, other)
		started, release := make(chan struct{}), make(chan struct{})
		var once sync.Once
		b := &faulty.Bucket{Bucket: disk, At: -1, Delay: func(_ context.Context, _ int, op, key string) {
			time.Sleep(10 * time.Millisecond)
			if op == objstore.OpSwap && key == format.HeadKey {
				once.Do(func() { close(started); <-release })
			}
		}}
		c := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "test", TempDir: t.TempDir()})
		ids := map[string]ontosql.CommitID{}
		var mu sync.Mutex
		var wg sync.WaitGroup
		commit := func(name string, tx writepath.Tx) {
			wg.Go(func() {
				out, err := c.Commit(t.Context(), tx)
				if err != nil {
					t.Errorf("%s: %v", name, err)
				}
				mu.Lock()
				defer mu.Unlock()
				ids[name] = out.Commit
			})
			synctest.Wait()
		}
		commit("before", put(1, "a", 1, other))
		<-started
		commit("large", mass(1, masses(many, 0)))
		commit("another large", mass(1, func(yield func(writepath.Row, error) bool) {
			for i := range many {
				if !yield(writepath.Row{Row: row(thing, fmt.Sprint("other ", i), i)}, nil) {
					return
				}
			}
		}))
		commit("small", put(1, "b", 1, other))
		close(release)
		wg.Wait()
		for i, name := range []string{"before", "small", "large", "another large"} {
			if ids[name] != ontosql.CommitID(2+i) {
				t.Errorf("%s became commit %d, want %d", name, ids[name], 2+i)
			}
		}
		if err := c.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		maintaintest.Clean(t, disk)
	})
}

// TestLargeFaults breaks each request of a large commit in turn: a commit that is not
// acknowledged exists entirely or not at all, and no file is left.
func TestLargeFaults(t *testing.T) {
	for _, broken := range breakages[:4] {
		t.Run(broken.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for at, more := 0, true; more; at++ {
				synctest.Test(t, func(t *testing.T) {
					disk := mem.New("x")
					initialise(t, disk, format.EngineV1, thing)
					b := &faulty.Bucket{Bucket: disk, At: at, Applied: broken.applied, Dead: broken.dead}
					c := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "test", TempDir: dir})
					out, err := c.Commit(t.Context(), mass(1, wide(10)))
					head := readHead(t, disk).CommitID
					switch {
					case err == nil:
						if head != 2 || len(rowsOf(t, disk, &out.Files[0], 2)) != 10 {
							t.Errorf("at request %d: acknowledged, and the head is commit %d", at, head)
						}
					case head != 1 && !errors.Is(err, ontosql.ErrOutcomeUnknown):
						t.Errorf("at request %d: %v, and the head is commit %d", at, err, head)
					}
					_ = c.Close(t.Context())
					maintaintest.Clean(t, disk)
					more = b.Requests() > at
				})
			}
			wantEmpty(t, dir)
		})
	}
}

// TestLargeRowsFail ends the rows of a large transaction with an error, a duplicate identity,
// a damaged row and a cancelled client: it fails before any request to the store.
func TestLargeRowsFail(t *testing.T) {
	gone := errors.New("the client is gone")
	ctx, cancel := context.WithCancelCause(t.Context())
	lost := errors.New("the rows are lost")
	twice := func(yield func(writepath.Row, error) bool) {
		for _, half := range []iter.Seq2[writepath.Row, error]{wide(9), wide(1)} {
			for r, err := range half {
				if !yield(r, err) {
					return
				}
			}
		}
	}
	broken := row(thing, "broken", 1)
	broken.Fields = []byte(`{"id":`)
	then := func(rows iter.Seq2[writepath.Row, error], last writepath.Row, err error) iter.Seq2[writepath.Row, error] {
		return func(yield func(writepath.Row, error) bool) {
			for r, err := range rows {
				if !yield(r, err) {
					return
				}
			}
			yield(last, err)
		}
	}
	cancelling := func(yield func(writepath.Row, error) bool) {
		n := 0
		for r, err := range masses(2*many, 0) {
			if n++; n == many+1 {
				cancel(gone)
			}
			if !yield(r, err) {
				return
			}
		}
	}
	for _, tc := range []struct {
		name string
		rows iter.Seq2[writepath.Row, error]
		err  error  // wanted, or
		text string // a part of its text
	}{
		{"an error", then(masses(many, 0), writepath.Row{}, lost), lost, ""},
		{"twice", twice, nil, `identity "wide 0" occurs twice`},
		{"a broken row", then(masses(many, 0), writepath.Row{Row: broken}, nil), nil, "row 40000: fields_json"},
		{"cancelled", cancelling, gone, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			b := &faulty.Bucket{Bucket: mem.New("x"), At: -1}
			c := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "test", TempDir: dir})
			_, err := c.Commit(ctx, mass(1, tc.rows))
			if err == nil || tc.err != nil && !errors.Is(err, tc.err) || !strings.Contains(err.Error(), tc.text) {
				t.Errorf("got %v, want %v %s", err, tc.err, tc.text)
			}
			if n := b.Requests(); n > 0 {
				t.Errorf("%d requests were made", n)
			}
			if err := c.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			wantEmpty(t, dir)
		})
	}
}
