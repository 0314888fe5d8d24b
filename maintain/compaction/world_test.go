package compaction_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/original"
	"github.com/ontosql/ontosql/maintain"
	"github.com/ontosql/ontosql/maintain/compaction"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/writepath"
)

var (
	thing = ontosql.TypeRef{Kind: ontosql.Entity, Name: "Thing"}
	other = ontosql.TypeRef{Kind: ontosql.Entity, Name: "Other"}
	links = ontosql.TypeRef{Kind: ontosql.Relation, Name: "Links"}
	types = []ontosql.TypeRef{thing, other, links}
)

func schemaOf(ref ontosql.TypeRef) format.Schema {
	n, price := format.NewField("n", format.FieldInt, false), format.NewField("price", format.FieldDecimal, true)
	if ref.Kind == ontosql.Relation {
		return format.Schema{Ref: ref, Left: "Thing", Right: "Other", Fields: []format.SchemaField{n, price}}
	}
	key := format.NewField("id", format.FieldStr, false)
	key.PrimaryKey = true
	return format.Schema{Ref: ref, Fields: []format.SchemaField{key, n, price}}
}

// row is version n of the identity id; of a relation it links id with "x".
func row(ref ontosql.TypeRef, id string, n int) format.Row {
	price := fmt.Sprintf("%d.25", n)
	if ref.Kind == ontosql.Relation {
		return format.Row{Left: id, Right: "x", Fields: fmt.Appendf(nil, `{"n":%d,"price":%q}`, n, price)}
	}
	return format.Row{Key: id, Fields: fmt.Appendf(nil, `{"id":%q,"n":%d,"price":%q}`, id, n, price)}
}

// world is a store and a writer of it.
type world struct {
	*mem.Bucket
	t    testing.TB
	head ontosql.CommitID
	rand *rand.Rand
	n    int // versions written
}

// newWorld is an ontology of the three types, registered by commit 1.
func newWorld(t testing.TB, engine string) *world {
	t.Helper()
	w := &world{Bucket: mem.New("x"), t: t, rand: rand.New(rand.NewPCG(1, 2))}
	if _, err := writepath.Init(context.WithoutCancel(t.Context()), w, writepath.InitOptions{URI: "mem://x", Engine: engine, Now: time.Now}); err != nil {
		t.Fatal(err)
	}
	w.write(func(c *writepath.Committer) (writepath.Outcome, error) {
		return c.Register(w.ctx(), time.Time{}, []format.Schema{schemaOf(thing), schemaOf(other), schemaOf(links)})
	})
	return w
}

func (w *world) ctx() context.Context { return context.WithoutCancel(w.t.Context()) }

// write commits with a writer of its own.
func (w *world) write(commit func(*writepath.Committer) (writepath.Outcome, error)) {
	w.t.Helper()
	c := writepath.Open(writepath.Options{Bucket: w.Bucket, RuntimeID: "writer", TempDir: w.t.TempDir()})
	out, err := commit(c)
	if err != nil {
		w.t.Fatal(err)
	}
	w.head = out.Commit
	if err := c.Close(w.ctx()); err != nil {
		w.t.Fatal(err)
	}
}

// put commits new versions of some identities of each type.
func (w *world) put(rows int, refs ...ontosql.TypeRef) {
	w.t.Helper()
	tx := writepath.Tx{Pin: w.head}
	for _, ref := range refs {
		ids := w.rand.Perm(max(10, rows))[:rows]
		w.n++
		version := w.n
		tx.Data = append(tx.Data, writepath.Data{
			Type: ref, Fields: format.DataFields(schemaOf(ref).Fields), SchemaVersion: writepath.FirstVersion,
			Rows: func(yield func(writepath.Row, error) bool) {
				for _, id := range ids {
					if !yield(writepath.Row{Row: row(ref, fmt.Sprint("k", id), version)}, nil) {
						return
					}
				}
			},
		})
	}
	w.write(func(c *writepath.Committer) (writepath.Outcome, error) { return c.Commit(w.ctx(), tx) })
}

// change commits a change of the schema.
func (w *world) change(change func(*migration.State) error) {
	w.t.Helper()
	w.write(func(c *writepath.Committer) (writepath.Outcome, error) {
		return c.Commit(w.ctx(), writepath.Tx{Pin: w.head, Schema: change})
	})
}

// foreign commits as the original does.
func (w *world) foreign(ref ontosql.TypeRef, id string) {
	w.t.Helper()
	o := &original.Writer{Bucket: w.Bucket, Owner: "original"}
	w.n++
	commit, err := o.Commit(w.ctx(), func(*format.Head) ([]original.Data, error) {
		return []original.Data{{Type: ref, Rows: []format.Row{row(ref, id, w.n)}}}, nil
	})
	if err != nil || o.IndexWarning != nil {
		w.t.Fatalf("the original: %v, %v", err, o.IndexWarning)
	}
	w.head = commit
}

// store opens a bucket for maintenance, as a process of its own.
func open(t testing.TB, b objstore.Bucket) compaction.Store {
	t.Helper()
	log, err := chain.Open("", chain.Options{Bucket: b})
	if err != nil {
		t.Fatal(err)
	}
	files := resolver.Open(resolver.Options{Bucket: b, Log: log})
	t.Cleanup(func() {
		files.Close()
		log.Close()
	})
	return compaction.Store{Bucket: b, Log: log, Files: files, RuntimeID: "test", TempDir: t.TempDir(), LockTimeout: 100 * time.Millisecond}
}

// compact compacts everything, which must succeed.
func (w *world) compact(o compaction.Options) *compaction.Compaction {
	w.t.Helper()
	o.Apply = true
	c, err := compaction.Compact(w.ctx(), open(w.t, w.Bucket), o)
	if err != nil {
		w.t.Fatalf("compact: %v", err)
	}
	return c
}

// reader reads a store as a gateway does, and remembers files.
type reader struct {
	t    testing.TB
	s    compaction.Store
	pin  *resolver.Pin
	rows map[string][]format.Row
}

func newReader(t testing.TB, b objstore.Bucket) *reader {
	t.Helper()
	r := &reader{t: t, s: open(t, b), rows: map[string][]format.Row{}}
	var err error
	if r.pin, err = r.s.Files.Pin(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r
}

// versions are all versions of a type in a window, in the order of files and rows: what every
// answer is made of. files is the number of files. A snapshot that cannot be read is rejected.
func (r *reader) versions(ref ontosql.TypeRef, window ontosql.Window) (rows []string, files int) {
	r.t.Helper()
	typ, ok := r.pin.Catalog.Type(ref)
	if !ok {
		return nil, 0
	}
	found, err := r.s.Files.Files(r.t.Context(), r.pin, typ, window)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, f := range found.Files {
		stored, err := r.file(f.Key)
		if f.Snapshot() && (err != nil || int64(len(stored)) != f.RowCount) {
			if err := r.s.Files.RejectSnapshot(r.t.Context(), ref, f.Key, fmt.Errorf("%d rows, %w", len(stored), err)); err != nil {
				r.t.Fatal(err)
			}
			return r.versions(ref, window)
		}
		if err != nil {
			r.t.Fatalf("%s: %v", f.Key, err)
		}
		for _, row := range stored {
			if window.Lower < row.Commit && row.Commit <= window.Upper {
				rows = append(rows, fmt.Sprintf("%d %s|%s|%s|%s v%d %s", row.Commit, row.Key, row.Left, row.Right, row.Instance, row.SchemaVersionID, row.Fields))
			}
		}
	}
	return rows, len(found.Files)
}

func (r *reader) file(key string) ([]format.Row, error) {
	if rows, known := r.rows[key]; known {
		return rows, nil
	}
	body, _, err := r.s.Bucket.Get(r.t.Context(), key)
	if err != nil {
		return nil, err
	}
	rows, err := original.Rows(body)
	if err == nil {
		r.rows[key] = rows
	}
	return rows, err
}

// answers are the versions of every type in windows of a history: I8 says that they never change.
func (w *world) answers() map[string][]string {
	w.t.Helper()
	r, all := newReader(w.t, w.Bucket), map[string][]string{}
	for _, ref := range types {
		for upper := ontosql.CommitID(0); upper <= w.head; upper++ {
			for _, lower := range []ontosql.CommitID{0, upper / 2, upper - 1} {
				if lower >= 0 && lower <= upper {
					all[fmt.Sprintf("%s (%d, %d]", ref, lower, upper)], _ = r.versions(ref, ontosql.Window{Lower: lower, Upper: upper})
				}
			}
		}
	}
	return all
}

// same fails the test if answers differ.
func (w *world) same(before map[string][]string, when string) {
	w.t.Helper()
	if diff := gocmp.Diff(before, w.answers()); diff != "" {
		w.t.Fatalf("%s: answers (-before +after):\n%s", when, diff)
	}
}

// sound fails the test if the store breaks a rule, or if an index is behind.
func (w *world) sound() {
	w.t.Helper()
	report, err := maintain.Verify(w.ctx(), w.Bucket)
	if err == nil {
		err = report.Err()
	}
	if err != nil {
		w.t.Fatalf("verify: %v", err)
	}
	v, err := compaction.VerifyIndexes(w.ctx(), open(w.t, w.Bucket))
	if err != nil || !v.OK() {
		w.t.Fatalf("indexes: %+v, %v", v, err)
	}
}

// asOriginal are the newest rows as the original reads them, by its indexes.
func (w *world) asOriginal() map[ontosql.TypeRef]original.Type {
	w.t.Helper()
	found, err := original.Read(w.ctx(), w.Bucket)
	if err != nil {
		w.t.Fatalf("the original: %v", err)
	}
	for _, typ := range found {
		slices.SortFunc(typ.Rows, func(a, b format.Row) int {
			return cmp.Or(strings.Compare(a.Key, b.Key), strings.Compare(a.Left, b.Left))
		})
	}
	return found
}

func (w *world) index(ref ontosql.TypeRef) *format.Index {
	w.t.Helper()
	body, _, err := w.Get(w.ctx(), format.IndexKey(ref))
	if err != nil {
		w.t.Fatal(err)
	}
	x, err := format.DecodeIndex("", body)
	if err != nil {
		w.t.Fatal(err)
	}
	return x
}

func (w *world) paths(ref ontosql.TypeRef) (paths []string) {
	w.t.Helper()
	for _, e := range w.index(ref).Entries {
		paths = append(paths, e.Path)
	}
	return paths
}

// objects are all objects but the lock.
func (w *world) objects() map[string]string {
	w.t.Helper()
	all := map[string]string{}
	err := w.List(w.ctx(), "", func(o objstore.Object) error {
		body, _, err := w.Get(w.ctx(), o.Key)
		if o.Key != format.LockKey {
			all[o.Key] = string(body)
		}
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return all
}

func (w *world) replace(key string, body []byte) {
	w.t.Helper()
	if _, err := w.Put(w.ctx(), key, body); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) view() *chain.View {
	w.t.Helper()
	pin, err := open(w.t, w.Bucket).Files.Pin(w.ctx())
	if err != nil {
		w.t.Fatal(err)
	}
	return pin.View
}
