package rowstore_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/internal/testenv"
	"github.com/ontosql/ontosql/mirror"
	"github.com/ontosql/ontosql/rowstore"
)

// world is a history of two types whose versions are known.
type world struct {
	t      *testing.T
	engine *duckdb.Engine
	rand   *rand.Rand
	marks  []string     // of each commit
	stored int          // rows in the engine's tables
	reads  atomic.Int64 // calls of Rows
	rows   map[ontosql.TypeRef][]version
	types  map[ontosql.TypeRef]*catalog.Type
}

// version is one stored row: its key texts, commit and value.
type version struct {
	key    []string
	commit ontosql.CommitID
	n      int64 // even: n is NULL
	text   string
	at     int // its place among all rows that were ever stored
}

var (
	thing = ontosql.TypeRef{Kind: ontosql.Entity, Name: "Thing"}
	link  = ontosql.TypeRef{Kind: ontosql.Relation, Name: "Link"}
)

func newWorld(t *testing.T) *world {
	t.Helper()
	engine, err := duckdb.Open(t.Context(), duckdb.Options{TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(engine.Close)
	conn, err := engine.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for ref, keys := range map[ontosql.TypeRef]string{thing: "k0 VARCHAR", link: "k0 VARCHAR, k1 VARCHAR"} {
		if err := conn.Exec(t.Context(), "CREATE TABLE "+ref.Name+" ("+keys+", c BIGINT, n BIGINT, note VARCHAR, o BIGINT)"); err != nil {
			t.Fatal(err)
		}
	}
	key := func(name string, role catalog.Role) catalog.Column {
		return catalog.Column{Name: name, Field: name, Role: role, Type: column.Type{Kind: column.Text}, NotNull: true}
	}
	fields := []catalog.Column{{Name: "n", Field: "n", Type: column.Type{Kind: column.Int64}}, {Name: "note", Field: "note", Type: column.Type{Kind: column.Text}}}
	return &world{t: t, engine: engine, rand: rand.New(rand.NewPCG(29, uint64(len(t.Name())))), rows: map[ontosql.TypeRef][]version{}, types: map[ontosql.TypeRef]*catalog.Type{
		thing: {Ref: thing, SchemaID: 1, Columns: append([]catalog.Column{key("id", catalog.FromEntityKey)}, fields...), Key: []int{0}},
		link:  {Ref: link, SchemaID: 1, Columns: append([]catalog.Column{key("left_key", catalog.FromLeftKey), key("right_key", catalog.FromRightKey)}, fields...), Key: []int{0, 1}},
	}}
}

// keyTexts have what an encoding of keys can trip over.
var keyTexts = []string{"", "a", "a\x00", "a\x00b", "a\x01", "ab", "ä", "\U0010ffff", "\x00", "\x00\xc3\xbf", strings.Repeat("k", 3000)}

// commit writes some rows of both types; of one identity sometimes two.
func (w *world) commit(rows int) {
	id := ontosql.CommitID(len(w.marks) + 1)
	w.marks = append(w.marks, fmt.Sprintf("%d-%d", id, w.rand.Uint64()))
	conn, err := w.engine.Conn(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	defer conn.Close()
	for ref := range w.types {
		b := &column.Batch{Len: rows, Cols: make([]column.Vector, len(w.types[ref].Key)+4)}
		keys := len(w.types[ref].Key)
		for i := range b.Cols {
			b.Cols[i].Type.Kind = column.Int64
			if i < keys || i == keys+2 {
				b.Cols[i].Type.Kind = column.Text
			}
		}
		for i := range rows {
			w.stored++
			v := version{commit: id, n: w.rand.Int64N(1000), text: strings.Repeat("x", w.rand.IntN(40)), at: w.stored}
			for range len(w.types[ref].Key) {
				v.key = append(v.key, keyTexts[w.rand.IntN(len(keyTexts))]+fmt.Sprint(w.rand.IntN(1+rows/20)))
			}
			w.rows[ref] = append(w.rows[ref], v)
			for k, text := range v.key {
				b.Cols[k].Str = append(b.Cols[k].Str, []byte(text))
			}
			b.Cols[keys].I64 = append(b.Cols[keys].I64, int64(id))
			if b.Cols[keys+1].I64 = append(b.Cols[keys+1].I64, v.n); v.n%2 == 0 {
				b.Cols[keys+1].SetNull(i, rows)
			}
			b.Cols[keys+2].Str = append(b.Cols[keys+2].Str, []byte(v.text))
			b.Cols[keys+3].I64 = append(b.Cols[keys+3].I64, int64(v.at))
		}
		if err := conn.Append(w.t.Context(), "main", ref.Name, b); err != nil {
			w.t.Fatal(err)
		}
	}
}

// at is the world at one of its commits, as a pin sees it.
func (w *world) at(head int) history {
	h := history{world: w, marks: slices.Clone(w.marks[:head]), rows: maps.Clone(w.rows), types: maps.Clone(w.types)}
	return h
}

type history struct {
	world *world
	marks []string
	rows  map[ontosql.TypeRef][]version
	types map[ontosql.TypeRef]*catalog.Type
}

func (h history) Head() ontosql.CommitID { return ontosql.CommitID(len(h.marks)) }

func (h history) Mark(c ontosql.CommitID) string {
	if c < 1 || int(c) > len(h.marks) {
		return ""
	}
	return h.marks[c-1]
}

func (h history) Type(ref ontosql.TypeRef) (*catalog.Type, bool) {
	t, ok := h.types[ref]
	return t, ok
}

func (h history) between(ref ontosql.TypeRef, after, through ontosql.CommitID) (found []version) {
	for _, v := range h.rows[ref] {
		if v.commit > after && v.commit <= through {
			found = append(found, v)
		}
	}
	return found
}

func (h history) Size(t *catalog.Type, after, through ontosql.CommitID) (files int, rows int64) {
	n := len(h.between(t.Ref, after, through))
	return n, int64(n)
}

func (h history) Rows(_ context.Context, t *catalog.Type, after, through ontosql.CommitID) (*mirror.Rows, error) {
	h.world.reads.Add(1)
	var places []string // the rows of one commit are stored together
	of := h.between(t.Ref, after, through)
	for i := range of {
		if i == 0 || of[i-1].commit != of[i].commit {
			places = append(places, fmt.Sprintf("o BETWEEN %d AND ", of[i].at))
		}
		if i == len(of)-1 || of[i+1].commit != of[i].commit {
			places[len(places)-1] += fmt.Sprint(of[i].at)
		}
	}
	columns := map[ontosql.Kind]string{ontosql.Entity: "k0, c, 1::BIGINT AS s, '{}' AS j, n AS f1, note AS f2, o", ontosql.Relation: "k0, k1, '' AS k2, c, 1::BIGINT AS s, '{}' AS j, n AS f2, note AS f3, o"}[t.Ref.Kind]
	return &mirror.Rows{SQL: "SELECT " + columns + " FROM memory.main." + t.Ref.Name + " WHERE " + strings.Join(places, " OR "), Duplicates: true, Bytes: 1, Release: func() {}}, nil
}

// open opens the store below a directory.
func (w *world) open(dir string, budget int64) *rowstore.Store {
	w.t.Helper()
	s, err := rowstore.Open(w.t.Context(), rowstore.Options{Engine: w.engine, Dir: dir, Budget: budget, Memory: 1 << 20})
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

// use waits for the table of a type up to the head of a history.
func (w *world) use(s *rowstore.Store, h history, ref ontosql.TypeRef) *rowstore.Use {
	w.t.Helper()
	s.Follow(h)
	for limit := time.Now().Add(testenv.Patience); ; time.Sleep(time.Millisecond) {
		u := s.Use(h, h.types[ref])
		if u != nil && u.Through >= h.Head() {
			return u
		}
		if u != nil {
			u.Release()
		}
		if time.Now().After(limit) {
			w.t.Fatalf("no table of %s up to %d: %+v", ref, h.Head(), s.Status())
		}
	}
}

// columnsOf are the stored columns that show columns of a type.
func columnsOf(t *catalog.Type, names ...string) (columns []int) {
	for _, name := range names {
		at := slices.IndexFunc(t.Columns, func(c catalog.Column) bool { return c.Name == name })
		columns = append(columns, rowstore.TypeColumn(t, at))
	}
	return columns
}

// readNewest reads the newest versions of the identities that begin with some texts.
func readNewest(ctx context.Context, u *rowstore.Use, to *column.Batch, texts []string, upper ontosql.CommitID, columns []int) (complete bool, err error) {
	r := rowstore.Reader{Use: u, Upper: upper, Columns: columns, Rows: 1000}
	defer func() { err = errors.Join(err, r.Close()) }()
	return r.Newest(ctx, to, texts)
}

// check compares look-ups by key and by the beginning of a key, at random points, with the world.
func (w *world) check(u *rowstore.Use, h history, ref ontosql.TypeRef, questions int) {
	w.t.Helper()
	t := h.types[ref]
	columns := columnsOf(t, "note", t.Columns[0].Name, "n")
	for range questions {
		upper := ontosql.CommitID(w.rand.IntN(int(h.Head()) + 2))
		all := h.between(ref, 0, h.Head())
		key := all[w.rand.IntN(len(all))].key
		if w.rand.IntN(5) == 0 {
			key = []string{"nobody"}
		}
		key = key[:1+w.rand.IntN(len(key))]
		newest := map[string]string{}
		for _, v := range h.between(ref, t.Floor-1, min(upper, h.Head())) {
			if slices.Equal(v.key[:len(key)], key) {
				n := "NULL"
				if v.n%2 != 0 {
					n = fmt.Sprint(v.n)
				}
				newest[fmt.Sprintf("%q", v.key)] = fmt.Sprintf("%s|%s|%s", v.text, v.key[0], n)
			}
		}
		b := &column.Batch{Cols: make([]column.Vector, len(columns))}
		complete, err := readNewest(w.t.Context(), u, b, key, upper, columns)
		if err != nil || !complete {
			w.t.Fatalf("%q at %d: %v", key, upper, err)
		}
		var got []string
		for i := range b.Len {
			n := "NULL"
			if !b.Cols[2].IsNull(i) {
				n = fmt.Sprint(b.Cols[2].I64[i])
			}
			got = append(got, fmt.Sprintf("%s|%s|%s", b.Cols[0].Str[i], b.Cols[1].Str[i], n))
		}
		if want := slices.Sorted(maps.Values(newest)); !slices.Equal(slices.Sorted(slices.Values(got)), want) {
			w.t.Errorf("%s %q at commit %d: %q, want %q", ref, key, upper, got, want)
		}
	}
}
