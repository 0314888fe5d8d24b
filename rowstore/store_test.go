package rowstore_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
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

// TestEveryPoint fills a table, in a file of many rows and in batches of few, extends it, opens it
// again and asks for keys at every point.
func TestEveryPoint(t *testing.T) {
	w := newWorld(t)
	dir := t.TempDir()
	for range 3 {
		w.commit(3000)
	}
	s := w.open(dir, 1<<40)
	for round := range 6 {
		h := w.at(len(w.marks))
		for _, ref := range []ontosql.TypeRef{thing, link} {
			u := w.use(s, h, ref)
			w.check(u, h, ref, 30)
			u.Release()
		}
		if round == 3 {
			s.Close()
			s = w.open(dir, 1<<40)
			before := w.reads.Load()
			w.use(s, h, thing).Release()
			if w.reads.Load() != before {
				t.Error("a store that was closed is filled anew")
			}
		}
		w.commit(1 + round*20)
	}
	s.Close()
}

// TestOtherHistories: a table of another history, of a type with other columns, or from before a drop is not
// used, and a new one takes its place.
func TestOtherHistories(t *testing.T) {
	w := newWorld(t)
	for range 4 {
		w.commit(40)
	}
	s := w.open(t.TempDir(), 1<<40)
	defer s.Close()
	old := w.at(4)
	w.use(s, old, thing).Release()
	// The store was restored to commit 2, and went on in another way.
	w.marks = w.marks[:2]
	w.rows[thing] = old.between(thing, 0, 2)
	w.rows[link] = old.between(link, 0, 2)
	for range 3 {
		w.commit(40)
	}
	h := w.at(5)
	if u := s.Use(h, h.types[thing]); u != nil {
		t.Error("the table of another history is used")
	}
	u := w.use(s, h, thing)
	w.check(u, h, thing, 100)
	u.Release()
	// The same after an extension of many rows, which makes a new table.
	w.commit(200_001)
	h = w.at(6)
	u = w.use(s, h, thing)
	w.check(u, h, thing, 5)
	u.Release()
	// A type with one column more, and one that was dropped and created again.
	more := *w.types[thing]
	more.Columns = append(slices.Clip(more.Columns), catalog.Column{Name: "late", Field: "late", Type: column.Type{Kind: column.Int64}})
	if u := s.Use(h, &more); u != nil {
		t.Error("the table of a type with other columns is used")
	}
	again := *w.types[thing]
	again.Floor = 6
	w.types[thing] = &again
	w.commit(40)
	h = w.at(7)
	u = w.use(s, h, thing)
	w.check(u, h, thing, 10)
	u.Release()
}

// TestKilled copies a store as it is on the disk while it is open and filled, as a crash would leave
// it, and opens the copy.
func TestKilled(t *testing.T) {
	w := newWorld(t)
	w.commit(21_000)
	w.commit(100)
	dir := t.TempDir()
	s := w.open(dir, 1<<40)
	defer s.Close()
	for round := range 5 {
		h := w.at(len(w.marks))
		w.use(s, h, thing).Release()
		crashed := t.TempDir()
		if err := os.CopyFS(crashed, os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
		after := w.open(crashed, 1<<40)
		u := w.use(after, h, thing)
		w.check(u, h, thing, 20)
		u.Release()
		after.Close()
		w.commit(round * 50)
	}
}

// TestDamaged spoils the files of a store: it is made anew, or stops answering.
func TestDamaged(t *testing.T) {
	w := newWorld(t)
	w.commit(21_000)
	h := w.at(1)
	for name, spoil := range map[string]func(path string) error{
		"cut off": func(path string) error { return os.Truncate(path, 10) },
		"other bytes": func(path string) error {
			body, err := os.ReadFile(path)
			for i := range body {
				body[i] ^= 0x5a
			}
			if err == nil {
				err = os.WriteFile(path, body, 0o600)
			}
			return err
		},
		"one byte": func(path string) error { // of a block of rows
			f, err := os.OpenFile(path, os.O_RDWR, 0)
			if err != nil {
				return err
			}
			_, err = f.WriteAt([]byte{0x5a}, 2000)
			return errors.Join(err, f.Close())
		},
		"removed": os.Remove,
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := w.open(dir, 1<<40)
			w.use(s, h, thing).Release()
			s.Close()
			files, err := filepath.Glob(filepath.Join(dir, "rows-v1-1", "*.sst"))
			if err != nil || len(files) == 0 {
				t.Fatalf("files %v, %v", files, err)
			}
			for _, f := range files {
				if err := spoil(f); err != nil {
					t.Fatal(err)
				}
			}
			s = w.open(dir, 1<<40)
			defer s.Close()
			s.Follow(h)
			u := s.Use(h, h.types[thing])
			if u == nil {
				return // it was found when the store was opened
			}
			defer u.Release()
			columns := columnsOf(w.types[thing], "n")
			_, err = readNewest(t.Context(), u, &column.Batch{Cols: make([]column.Vector, 1)}, w.rows[thing][0].key, 1, columns)
			if err == nil {
				t.Fatal("a damaged file was read")
			}
			u.Distrust(err)
			for limit := time.Now().Add(testenv.Patience); s.Use(h, h.types[thing]) != nil; {
				if time.Now().After(limit) {
					t.Fatal("the store still answers")
				}
			}
		})
	}
}

// TestBudget: tables that are not looked up make room, and one that does not fit is not made.
func TestBudget(t *testing.T) {
	w := newWorld(t)
	w.commit(200)
	h := w.at(1)
	s := w.open(t.TempDir(), 3)
	defer s.Close()
	s.Follow(h)
	for limit := time.Now().Add(testenv.Patience); ; time.Sleep(time.Millisecond) {
		if u := s.Use(h, h.types[thing]); u != nil {
			t.Fatal("a table without room was made")
		}
		if status := s.Status(); status[0].Reason != nil {
			if !strings.Contains(status[0].Reason.Error(), "budget") {
				t.Errorf("the reason is %v", status[0].Reason)
			}
			return
		}
		if time.Now().After(limit) {
			t.Fatal("nothing was tried")
		}
	}
}

// TestTwoProcesses: two stores below one directory have a place each, and what one leaves is removed
// by the next.
func TestTwoProcesses(t *testing.T) {
	w := newWorld(t)
	w.commit(50)
	h := w.at(1)
	dir := t.TempDir()
	first, second := w.open(dir, 1<<40), w.open(dir, 1<<40)
	for _, s := range []*rowstore.Store{first, second} {
		u := w.use(s, h, thing)
		w.check(u, h, thing, 20)
		u.Release()
	}
	second.Close()
	first.Close()
	w.open(dir, 1<<40).Close()
	left, err := filepath.Glob(filepath.Join(dir, "rows-v1-?"))
	if err != nil || len(left) != 1 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// TestReadersBesideTheWorker reads while the table is extended, dropped and made again.
func TestReadersBesideTheWorker(t *testing.T) {
	w := newWorld(t)
	w.commit(100)
	s := w.open(t.TempDir(), 1<<40)
	defer s.Close()
	w.use(s, w.at(1), thing).Release()
	var readers sync.WaitGroup
	stop := make(chan struct{})
	h := w.at(1)
	own := h.rows[thing][0].key
	for range 4 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				u := s.Use(h, h.types[thing])
				if u == nil {
					continue
				}
				b := &column.Batch{Cols: make([]column.Vector, 1)}
				if _, err := readNewest(t.Context(), u, b, own, 1, columnsOf(w.types[thing], "n")); err != nil || b.Len != 1 {
					t.Errorf("%d rows, %v", b.Len, err)
				}
				u.Release()
			}
		})
	}
	for range 30 {
		w.commit(20)
		s.Follow(w.at(len(w.marks)))
		time.Sleep(2 * time.Millisecond)
	}
	close(stop)
	readers.Wait()
}
