package resolver

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/fixtures"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/objstore/metered"
)

// oplog notes every request to a bucket.
type oplog struct {
	mu    sync.Mutex
	lines []string
}

func (l *oplog) add(op, key string) {
	l.mu.Lock()
	l.lines = append(l.lines, op+" "+key)
	l.mu.Unlock()
}

// take returns what was noted since the last call, in alphabetical order,
// because requests that go side by side have no other.
func (l *oplog) take() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	lines := l.lines
	l.lines = nil
	slices.Sort(lines)
	return lines
}

// bench is a store under test.
type bench struct {
	bucket *mem.Bucket // behind the log of requests
	ops    *oplog
	store  *Store
	lives  int // how often the store was initialised

	at func() time.Time // of commits; nil: one a minute, long ago
}

func newBench(t testing.TB) *bench {
	t.Helper()
	b := &bench{bucket: mem.New("test"), ops: &oplog{}}
	b.open(t)
	return b
}

// open opens the store as another process would, knowing nothing.
func (b *bench) open(t testing.TB) {
	t.Helper()
	bucket := metered.New(b.bucket, metered.Options{OnRequest: b.ops.add})
	log, err := chain.Open("", chain.Options{Bucket: bucket})
	if err != nil {
		t.Fatal(err)
	}
	b.store = Open(Options{Bucket: bucket, Log: log})
	t.Cleanup(func() {
		b.store.Close()
		log.Close()
	})
}

func (b *bench) pin(t testing.TB) *Pin {
	t.Helper()
	pin, err := b.store.Pin(t.Context())
	if err != nil {
		t.Fatalf("pin: %v", err)
	}
	return pin
}

func (b *bench) put(t testing.TB, key string, body []byte) {
	t.Helper()
	if _, err := b.bucket.Put(t.Context(), key, body); err != nil {
		t.Fatal(err)
	}
}

func (b *bench) delete(t testing.TB, prefix string) {
	t.Helper()
	var keys []string
	err := b.bucket.List(t.Context(), prefix, func(o objstore.Object) error {
		keys = append(keys, o.Key)
		return nil
	})
	for _, key := range keys {
		err = errors.Join(err, b.bucket.Delete(t.Context(), key))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestResolve runs the files of testdata/resolve: what is done to a store, what
// a pin of it says, which files a window has, and which requests that took.
func TestResolve(t *testing.T) {
	datadriven.Walk(t, "testdata/resolve", func(t *testing.T, path string) {
		b := newBench(t)
		var pin *Pin
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "fixture":
				var store string
				d.ScanArgs(t, "store", &store)
				b = newBench(t)
				fixtures.Load(t, b.bucket, store)
			case "reopen":
				b.open(t)
			case "put":
				var key string
				d.ScanArgs(t, "key", &key)
				b.put(t, key, []byte(strings.TrimSpace(d.Input)))
			case "edit": // first line the old text, second the new one
				var key string
				d.ScanArgs(t, "key", &key)
				body, _, err := b.bucket.Get(t.Context(), key)
				if err != nil {
					d.Fatalf(t, "%v", err)
				}
				from, to, _ := strings.Cut(d.Input, "\n")
				if !bytes.Contains(body, []byte(from)) {
					d.Fatalf(t, "%s does not contain %s: %s", key, from, body)
				}
				b.put(t, key, bytes.ReplaceAll(body, []byte(from), []byte(strings.TrimSpace(to))))
			case "delete":
				var prefix string
				d.ScanArgs(t, "prefix", &prefix)
				b.delete(t, prefix)
			case "pin":
				var err error
				if pin, err = b.store.Pin(t.Context()); err != nil {
					return fmt.Sprintf("error: %v\n", err)
				}
				return showPin(pin)
			case "files":
				return showFiles(t, b.store, pin, d)
			case "distrust":
				var key string
				d.ScanArgs(t, "key", &key)
				if err := b.store.RejectSnapshot(t.Context(), typeArg(t, pin, d).Ref, key, errors.New("checksum differs")); err != nil {
					d.Fatalf(t, "%v", err)
				}
			case "health":
				health, err := b.store.IndexHealth(t.Context(), pin)
				if err != nil {
					return fmt.Sprintf("error: %v\n", err)
				}
				var s strings.Builder
				for _, h := range health {
					fmt.Fprintf(&s, "%s: %d of %d, %d entries, %d files, %s %s\n", h.Type, h.MaxIndexed, h.Head, h.Entries, h.Files, h.Status, h.Problem)
				}
				return s.String()
			case "requests":
				return strings.Join(append(b.ops.take(), ""), "\n")
			default:
				d.Fatalf(t, "unknown directive %q", d.Cmd)
			}
			return ""
		})
	})
}

func showPin(pin *Pin) string {
	var s strings.Builder
	fmt.Fprintf(&s, "head %d %s, engine %s\n", pin.Head.Commit, pin.Head.ManifestPath, pin.Engine)
	for _, t := range pin.Catalog.Types {
		fmt.Fprintf(&s, "%s schema %d, %d columns", t.Ref, t.SchemaID, len(t.Columns))
		if t.Floor > 0 {
			fmt.Fprintf(&s, ", floor %d", t.Floor)
		}
		fmt.Fprintln(&s)
	}
	for _, w := range pin.Warnings {
		fmt.Fprintf(&s, "warning: %s\n", w)
	}
	return s.String()
}

func typeArg(t *testing.T, pin *Pin, d *datadriven.TestData) *catalog.Type {
	t.Helper()
	var name string
	d.ScanArgs(t, "type", &name)
	typ, ok := pin.Catalog.Lookup(name)
	if !ok {
		d.Fatalf(t, "no type %s", name)
	}
	return typ
}

func showFiles(t *testing.T, s *Store, pin *Pin, d *datadriven.TestData) string {
	t.Helper()
	lower, upper := int64(0), int64(pin.Head.Commit)
	d.MaybeScanArgs(t, "lower", &lower)
	d.MaybeScanArgs(t, "upper", &upper)
	r, err := s.Files(t.Context(), pin, typeArg(t, pin, d), ontosql.Window{
		Mode: ontosql.History, Lower: ontosql.CommitID(lower), Upper: ontosql.CommitID(upper),
	})
	if err != nil {
		return fmt.Sprintf("error: %v\n", err)
	}
	var b strings.Builder
	for _, f := range r.Files {
		fmt.Fprintf(&b, "%d-%d %s, %d rows, schema %d", f.Min, f.Max, f.Key, f.RowCount, f.SchemaVersionID)
		if f.Snapshot() {
			fmt.Fprintf(&b, ", snapshot")
		}
		if (f.SHA256 == "") != (f.Version != objstore.Absent) {
			fmt.Fprintf(&b, ", identified by sha256 %q and version %q", f.SHA256, f.Version)
		}
		fmt.Fprintln(&b)
	}
	fmt.Fprintf(&b, "%d considered, %d pruned\n", r.Considered, r.Pruned)
	for _, w := range r.Warnings {
		fmt.Fprintf(&b, "warning: %s\n", w)
	}
	return b.String()
}

// TestFixturesWithoutIndexes is I5 over stores of the original: every window of every type has
// the same commits and rows with and without indexes.
func TestFixturesWithoutIndexes(t *testing.T) {
	ruin := map[string]func(t *testing.T, b *bench){
		"as written": func(*testing.T, *bench) {},
		"deleted":    func(t *testing.T, b *bench) { b.delete(t, "meta/indices/") },
		"no JSON": func(t *testing.T, b *bench) {
			everyIndex(t, b, func(string, *format.Index) []byte { return []byte(`{"entries":[{"path":`) })
		},
		"wrong paths": func(t *testing.T, b *bench) {
			everyIndex(t, b, func(_ string, x *format.Index) []byte {
				for i := range x.Entries {
					x.Entries[i].Path = strings.Replace(x.Entries[i].Path, "-", "-x", 1)
				}
				return format.EncodeIndex(x)
			})
		},
		"lagging": func(t *testing.T, b *bench) {
			everyIndex(t, b, func(_ string, x *format.Index) []byte {
				x.MaxIndexedCommit = min(x.MaxIndexedCommit, 2)
				x.Entries = slices.DeleteFunc(x.Entries, func(e format.IndexEntry) bool { return e.MaxCommitID > 2 })
				return format.EncodeIndex(x)
			})
		},
		"ahead": func(t *testing.T, b *bench) {
			everyIndex(t, b, func(_ string, x *format.Index) []byte {
				x.MaxIndexedCommit += 10
				x.Entries = append(x.Entries, format.IndexEntry{MinCommitID: 1, MaxCommitID: 15, Path: "snapshots/entities/X-1-15.parquet"})
				return format.EncodeIndex(x)
			})
		},
		"snapshots deleted": func(t *testing.T, b *bench) { b.delete(t, "snapshots/") },
		"emptied": func(t *testing.T, b *bench) {
			everyIndex(t, b, func(_ string, x *format.Index) []byte {
				x.Entries = nil
				return format.EncodeIndex(x)
			})
		},
	}
	for _, store := range fixtures.Stores {
		for name, ruin := range ruin {
			t.Run(store+"/"+name, func(t *testing.T) {
				b := newBench(t)
				fixtures.Load(t, b.bucket, store)
				ruin(t, b)
				pin := b.pin(t)
				for _, typ := range pin.Catalog.Types {
					for lower := ontosql.CommitID(0); lower <= pin.Head.Commit; lower++ {
						for upper := lower; upper <= pin.Head.Commit+1; upper++ {
							checkWindow(t, b.store, pin, typ, ontosql.Window{Mode: ontosql.History, Lower: lower, Upper: upper})
						}
					}
				}
			})
		}
	}
}

func everyIndex(t *testing.T, b *bench, change func(key string, x *format.Index) []byte) {
	t.Helper()
	err := b.bucket.List(t.Context(), "meta/indices/", func(o objstore.Object) error {
		body, _, err := b.bucket.Get(t.Context(), o.Key)
		if err != nil {
			return err
		}
		x, err := format.DecodeIndex(o.Key, body)
		if err != nil {
			return err
		}
		_, err = b.bucket.Put(t.Context(), o.Key, change(o.Key, x))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// checkWindow demands that the files of a window hold each commit that wrote
// the type once, in order, with its rows, and that snapshots that are named
// exist.
func checkWindow(t testing.TB, s *Store, pin *Pin, typ *catalog.Type, w ontosql.Window) Resolution {
	t.Helper()
	r, err := s.Files(t.Context(), pin, typ, w)
	if err != nil {
		t.Fatalf("files of %s in (%d, %d]: %v", typ.Ref, w.Lower, w.Upper, err)
	}
	left := pin.View.Files(typ.Ref, w.Lower, w.Upper)
	var low ontosql.CommitID
	for _, f := range r.Files {
		if f.Min < low {
			t.Errorf("files of %s in (%d, %d]: %s is out of order", typ.Ref, w.Lower, w.Upper, f.Key)
		}
		low = f.Max
		held := pin.View.Files(typ.Ref, f.Min-1, f.Max)
		var count int64
		for _, h := range held {
			if !f.Snapshot() && h.Path != f.Key {
				continue
			}
			count += h.RowCount
			if h.Commit <= w.Lower || h.Commit > w.Upper {
				continue
			}
			if len(left) == 0 || left[0].Path != h.Path {
				t.Errorf("files of %s in (%d, %d]: %s holds %s, which is not the next one wanted", typ.Ref, w.Lower, w.Upper, f.Key, h.Path)
				return r
			}
			left = left[1:]
		}
		if count != f.RowCount {
			t.Errorf("files of %s in (%d, %d]: %s has %d rows, want %d", typ.Ref, w.Lower, w.Upper, f.Key, f.RowCount, count)
		}
		if f.Min < pin.View.Floor(typ.Ref) {
			t.Errorf("files of %s in (%d, %d]: %s reaches below the floor %d", typ.Ref, w.Lower, w.Upper, f.Key, pin.View.Floor(typ.Ref))
		}
		if f.Snapshot() {
			if _, _, err := s.bucket.Get(t.Context(), f.Key); err != nil {
				t.Errorf("files of %s in (%d, %d]: %v", typ.Ref, w.Lower, w.Upper, err)
			}
		}
	}
	for _, f := range left {
		t.Errorf("files of %s in (%d, %d]: nothing holds %s", typ.Ref, w.Lower, w.Upper, f.Path)
	}
	if r.Considered-r.Pruned != len(r.Files) {
		t.Errorf("files of %s in (%d, %d]: %d considered and %d pruned leave no %d files", typ.Ref, w.Lower, w.Upper, r.Considered, r.Pruned, len(r.Files))
	}
	return r
}
