package mirror_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/mirror"
)

// world is an ontology in data files, with an engine that reads them.
type world struct {
	t      testing.TB
	dir    string
	engine *duckdb.Engine
	seed   uint64

	mu      sync.Mutex
	rand    *rand.Rand
	commits []commit
	types   []*catalog.Type
}

type commit struct {
	mark  string
	files map[ontosql.TypeRef][]scan.File
}

func field(name string, kind column.Kind) catalog.Column {
	t := column.Type{Kind: kind}
	if kind == column.Numeric {
		t.Width, t.Scale = 38, 12
	}
	return catalog.Column{Name: name, Field: name, Type: t}
}

func key(name string, role catalog.Role, kind column.Kind) catalog.Column {
	return catalog.Column{Name: name, Field: name, Role: role, Type: column.Type{Kind: kind}, NotNull: true}
}

var (
	customer = ontosql.TypeRef{Kind: ontosql.Entity, Name: "Customer"}
	product  = ontosql.TypeRef{Kind: ontosql.Entity, Name: "Product"}
	purchase = ontosql.TypeRef{Kind: ontosql.Relation, Name: "Purchase"}
)

// allTypes have fields that files hold as typed columns and fields that only fields_json
// holds.
func allTypes() []*catalog.Type {
	fields := []catalog.Column{
		field("n", column.Int64), field("note", column.Text), field("score", column.Float64), field("ok", column.Bool),
		field("at", column.TimestampTZ), field("amount", column.Numeric), field("more", column.JSON), field("ref", column.UUID),
	}
	return []*catalog.Type{
		{Ref: customer, SchemaID: 1, Columns: append([]catalog.Column{key("id", catalog.FromEntityKey, column.Text)}, fields...), Key: []int{0}},
		{Ref: product, SchemaID: 1, Columns: append([]catalog.Column{key("sku", catalog.FromEntityKey, column.Int64)}, fields[:3]...), Key: []int{0}},
		{
			Ref: purchase, SchemaID: 1, Key: []int{0, 1, 2}, Columns: append([]catalog.Column{
				key("left_key", catalog.FromLeftKey, column.Text), key("right_key", catalog.FromRightKey, column.Int64),
				key("order_no", catalog.FromInstanceKey, column.Text),
			}, fields[:5]...),
		},
	}
}

// newWorld is an empty ontology. Its seed is printed when the test fails.
func newWorld(t testing.TB, seed uint64) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir(), seed: seed, rand: rand.New(rand.NewPCG(seed, 7)), types: allTypes()}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("seed %d", seed)
		}
	})
	var err error
	if w.engine, err = duckdb.Open(t.Context(), duckdb.Options{ReadDirs: []string{w.dir}, TempDir: t.TempDir()}); err != nil {
		t.Fatalf("open engine: %v", err)
	}
	t.Cleanup(w.engine.Close)
	conn := w.conn()
	defer conn.Close()
	err = conn.Exec(t.Context(), "CREATE TABLE commits AS SELECT range AS commit_id, TIMESTAMPTZ '2024-01-01 00:00:00+00' + INTERVAL 1 HOUR * range AS created_at, 'actor ' || range AS actor, 'message ' || range AS message FROM range(1, 500)")
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) conn() *duckdb.Conn {
	w.t.Helper()
	conn, err := w.engine.Conn(context.WithoutCancel(w.t.Context()))
	if err != nil {
		w.t.Fatalf("connect: %v", err)
	}
	return conn
}

// mirror opens a mirror over the world's directory.
func (w *world) mirror(budget int64) *mirror.Mirror {
	w.t.Helper()
	m := mirror.Open(w.t.Context(), mirror.Options{Engine: w.engine, Dir: filepath.Join(w.dir, "mirror"), Budget: budget})
	w.t.Cleanup(m.Close)
	return m
}

// view returns the world at its newest commit, as a pin sees it.
func (w *world) view() *view {
	w.mu.Lock()
	defer w.mu.Unlock()
	return &view{world: w, commits: slices.Clone(w.commits), types: slices.Clone(w.types)}
}

// commit writes files of random types.
func (w *world) commit() {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	id := ontosql.CommitID(len(w.commits) + 1)
	c := commit{mark: fmt.Sprintf("%d-%d", id, w.rand.Uint64()), files: map[ontosql.TypeRef][]scan.File{}}
	for _, typ := range w.types {
		for range w.rand.IntN(3) { // up to two files, which may share identities
			c.files[typ.Ref] = append(c.files[typ.Ref], w.write(typ, id))
		}
	}
	w.commits = append(w.commits, c)
}

// drop commits the drop and re-creation of a type.
func (w *world) drop(at int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	id := ontosql.CommitID(len(w.commits) + 1)
	typ := *w.types[at]
	typ.Floor = id
	w.types[at] = &typ
	c := commit{mark: fmt.Sprintf("%d-drop", id), files: map[ontosql.TypeRef][]scan.File{}}
	if w.rand.IntN(2) == 0 {
		c.files[typ.Ref] = []scan.File{w.write(&typ, id)}
	}
	w.commits = append(w.commits, c)
}

// migrate adds a column to a type; older rows do not have it.
func (w *world) migrate(at int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	typ := *w.types[at]
	typ.SchemaID++
	typ.Columns = append(slices.Clone(typ.Columns), field(fmt.Sprintf("added%d", typ.SchemaID), column.Int64))
	w.types[at] = &typ
}

// write makes one data file of a commit.
func (w *world) write(typ *catalog.Type, id ontosql.CommitID) scan.File {
	w.t.Helper()
	var fields []format.SchemaField
	for _, c := range typ.Columns {
		if of, ok := map[column.Kind]format.FieldType{
			column.Int64: format.FieldInt, column.Text: format.FieldStr, column.Float64: format.FieldFloat, column.Bool: format.FieldBool,
		}[c.Type.Kind]; ok && c.Role == catalog.FromField && w.rand.IntN(4) > 0 {
			fields = append(fields, format.NewField(c.Field, of, true))
		}
	}
	rows := func(yield func(format.Row, error) bool) {
		for range 1 + w.rand.IntN(12) {
			r := format.Row{Commit: id, SchemaVersionID: typ.SchemaID, Fields: w.image(typ)}
			if typ.Ref.Kind == ontosql.Entity {
				r.Key = w.key(typ.Columns[0].Type.Kind)
			} else {
				r.Left, r.Right = w.key(column.Text), w.key(column.Int64)
				if w.rand.IntN(2) == 0 {
					r.Instance = w.key(column.Text)
				}
			}
			if !yield(r, nil) {
				return
			}
		}
	}
	path := filepath.Join(w.dir, fmt.Sprintf("%s-%d-%d.parquet", typ.Ref.Name, id, w.rand.Uint64()))
	f, err := os.Create(path)
	if err != nil {
		w.t.Fatal(err)
	}
	defer f.Close()
	if _, err := format.WriteRows(f, typ.Ref, format.DataFields(fields), rows); err != nil {
		w.t.Fatalf("write %s: %v", path, err)
	}
	facts, err := format.Inspect(w.t.Context(), path)
	if err != nil {
		w.t.Fatalf("inspect %s: %v", path, err)
	}
	return scan.File{Path: path, Facts: facts, Min: facts.MinCommit, Max: facts.MaxCommit}
}

// key returns one of 15 keys; some do not have the column's type.
func (w *world) key(kind column.Kind) string {
	n := w.rand.IntN(15)
	switch {
	case kind != column.Int64:
		return fmt.Sprintf("k%d", n)
	case n == 0:
		return []string{"k0", "007", "1.0"}[len(w.commits)%3]
	}
	return fmt.Sprint(n)
}

// image returns fields_json with some fields missing, null or of another type.
func (w *world) image(typ *catalog.Type) []byte {
	var parts []string
	for _, c := range typ.Columns {
		n := w.rand.IntN(4)
		if c.Role != catalog.FromField || w.rand.IntN(6) == 0 {
			continue
		}
		text := map[column.Kind]string{
			column.Int64: fmt.Sprint(n), column.Text: fmt.Sprintf(`"t%d"`, n), column.Float64: fmt.Sprintf("%d.5", n),
			column.Bool: fmt.Sprint(n%2 == 0), column.TimestampTZ: fmt.Sprintf(`"2024-02-0%dT00:00:00.000000+00:00"`, n+1),
			column.Numeric: fmt.Sprintf(`"%d.25"`, n), column.JSON: fmt.Sprintf(`{"a": [%d, null]}`, n),
			column.UUID: fmt.Sprintf(`"00000000-0000-0000-0000-00000000000%d"`, n),
		}[c.Type.Kind]
		switch w.rand.IntN(12) {
		case 0:
			text = "null"
		case 1:
			text = `"odd"`
		}
		parts = append(parts, fmt.Sprintf("%q:%s", c.Field, text))
	}
	image, err := format.Canonicalize([]byte("{" + strings.Join(parts, ",") + "}"))
	if err != nil {
		w.t.Fatal(err)
	}
	return image
}
