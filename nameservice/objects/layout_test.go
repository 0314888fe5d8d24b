package objects_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/nameservice"
	"github.com/ontosql/ontosql/nameservice/objects"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/dir"
	"github.com/ontosql/ontosql/objstore/mem"
)

func put(t *testing.T, b objstore.Bucket, key, body string) {
	t.Helper()
	if _, err := b.Put(t.Context(), key, []byte(body)); err != nil {
		t.Fatal(err)
	}
}

func keys(t *testing.T, b objstore.Bucket) []string {
	t.Helper()
	var all []string
	if err := b.List(t.Context(), "", func(o objstore.Object) error {
		all = append(all, o.Key)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

func content(t *testing.T, b objstore.Bucket, key string) string {
	t.Helper()
	body, _, err := b.Get(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func example(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestExampleFiles: the files of seed 003, "File Content Format", are one record, and a write of a
// concern leaves the rest of its file and the other file as they are.
func TestExampleFiles(t *testing.T) {
	mydb := nameservice.Alias{Name: "mydb", Branch: "main"}
	const main, index = "ns@v2/mydb/main.json", "ns@v2/mydb/main.index.json"
	b := mem.New("names")
	put(t, b, main, example(t, "testdata/main.json"))
	put(t, b, index, example(t, "testdata/main.index.json"))
	s := objects.Open(objects.Options{Bucket: b})
	r, err := s.Get(t.Context(), mydb)
	if err != nil || r.Head.V != 42 || r.Index.V != 17 || r.Status.V != 89 || r.Config.V != 2 || r.Legacy {
		t.Fatalf("Get: %+v, %v", r, err)
	}
	for _, c := range nameservice.Concerns {
		next := nameservice.Value{V: r.Value(c).V + 1, Payload: []byte(`{"x":1}`)}
		want := map[string]nameservice.Members{}
		for _, key := range []string{main, index} {
			want[key], _ = nameservice.ParseMembers(key, []byte(content(t, b, key)))
		}
		file := main
		if c == nameservice.Index {
			file = index
		}
		want[file].Set(c, next)
		result, err := s.Write(t.Context(), mydb, nameservice.NewPush(c, r.Value(c), next))
		must(t, result, err)
		for key, members := range want {
			if got := content(t, b, key); !nameservice.EqualPayloads([]byte(got), members.Encode()) {
				t.Errorf("%s after a push of %s:\n got %s\nwant %s", key, c, got, members.Encode())
			}
		}
	}
}

// TestLayouts: which files a record has.
func TestLayouts(t *testing.T) {
	for layout, want := range map[objects.Layout][2][]string{
		objects.LayoutB: {{"ns@v2/shop/main.json"}, {"ns@v2/shop/main.index.json", "ns@v2/shop/main.json"}},
		objects.LayoutC: {{"ns@v2/shop/main.head.json"}, {"ns@v2/shop/main.config.json", "ns@v2/shop/main.head.json", "ns@v2/shop/main.index.json", "ns@v2/shop/main.status.json"}},
	} {
		b := mem.New("names")
		s := objects.Open(objects.Options{Bucket: b, Layout: layout})
		if _, err := s.Create(t.Context(), nameservice.New{Alias: shop}); err != nil {
			t.Fatal(err)
		}
		if got := keys(t, b); !slices.Equal(got, want[0]) {
			t.Errorf("layout %d, a new record:\n got %q\nwant %q", layout, got, want[0])
		}
		for _, c := range nameservice.Concerns {
			result, err := s.Write(t.Context(), shop, nameservice.NewFastForward(c, value(5, c)))
			must(t, result, err)
		}
		if got := keys(t, b); !slices.Equal(got, want[1]) {
			t.Errorf("layout %d, all concerns:\n got %q\nwant %q", layout, got, want[1])
		}
		// A service of the other layout writes the record where it is.
		other := objects.Open(objects.Options{Bucket: b, Layout: 1 - layout})
		for _, c := range nameservice.Concerns {
			result, err := other.Write(t.Context(), shop, nameservice.NewPush(c, value(5, c), value(6, c)))
			must(t, result, err)
		}
		if got := keys(t, b); !slices.Equal(got, want[1]) {
			t.Errorf("layout %d, written by a service of the other one:\n got %q\nwant %q", layout, got, want[1])
		}
		if _, err := other.Create(t.Context(), nameservice.New{Alias: shop}); !errors.Is(err, nameservice.ErrExists) {
			t.Errorf("layout %d, created again in the other one: %v", layout, err)
		}
	}
}

// TestLayoutA: a single file with the index in it stays one.
func TestLayoutA(t *testing.T) {
	b := mem.New("names")
	put(t, b, "ns@v2/mydb/main.json", example(t, "../testdata/ledger-ready.json"))
	mydb := nameservice.Alias{Name: "mydb", Branch: "main"}
	s := objects.Open(objects.Options{Bucket: b})
	r, err := s.Get(t.Context(), mydb)
	if err != nil || r.Index.V != 17 {
		t.Fatalf("Get: %+v, %v", r, err)
	}
	for _, c := range nameservice.Concerns {
		next := nameservice.Value{V: r.Value(c).V + 1, Payload: []byte(`{"x":1}`)}
		result, err := s.Write(t.Context(), mydb, nameservice.NewPush(c, r.Value(c), next))
		must(t, result, err)
		r.Set(c, next)
	}
	if got := content(t, b, "ns@v2/mydb/main.json"); !nameservice.EqualPayloads([]byte(got), r.Members().Encode()) || len(keys(t, b)) != 1 {
		t.Errorf("the files are %q, with %s; want one with %s", keys(t, b), got, r.Members().Encode())
	}
}

// TestGraphSourceBesideOntologies: a graph source that another program has stored where the seed has
// it is found, and is not taken for the ontology of its name.
func TestGraphSourceBesideOntologies(t *testing.T) {
	b := mem.New("names")
	put(t, b, "ns@v2/search/main.json", example(t, "../testdata/graph-bm25.json"))
	s := objects.Open(objects.Options{Bucket: b, Damaged: func(err error) { t.Errorf("reported as damaged: %v", err) }})
	graph, ontology := nameservice.Alias{Graph: true, Name: "search", Branch: "main"}, nameservice.Alias{Name: "search", Branch: "main"}
	if r, err := s.Get(t.Context(), graph); err != nil || r.Index.V != 5 {
		t.Errorf("Get %s: %+v, %v", graph, r, err)
	}
	if _, err := s.Get(t.Context(), ontology); !errors.Is(err, nameservice.ErrNotFound) {
		t.Errorf("Get %s: %v", ontology, err)
	}
	result, err := s.Write(t.Context(), graph, nameservice.NewFastForward(nameservice.Head, value(1, nameservice.Head)))
	must(t, result, err)
	for _, a := range []nameservice.Alias{graph, ontology} {
		if _, err := s.Create(t.Context(), nameservice.New{Alias: a, Type: map[bool]string{true: "vg:bm25"}[a.Graph]}); !errors.Is(err, nameservice.ErrExists) {
			t.Errorf("Create %s: %v", a, err)
		}
	}
	if list, err := s.List(t.Context(), "vg:bm25"); err != nil || len(list) != 1 || list[0].Alias != graph {
		t.Errorf("List: %v, %v", list, err)
	}
	if got := keys(t, b); len(got) != 1 {
		t.Errorf("files: %q", got)
	}
}

// TestDamagedFiles: a damaged record is an error that names its file, and a List leaves it out and
// reports it.
func TestDamagedFiles(t *testing.T) {
	const good = `{"pk":"shop:main","v":2,"type":"ledger","name":"shop","branch":"main"}`
	for _, test := range []struct {
		story string
		files map[string]string
		key   string
		list  bool // only a List sees it
	}{
		{"no JSON", map[string]string{"main.json": `{"pk":`}, "main.json", false},
		{"no record", map[string]string{"main.json": `{}`}, "main.json", false},
		{"the record of another file", map[string]string{"main.json": `{"pk":"other:main","v":2,"type":"ledger","name":"other","branch":"main"}`}, "main.json", false},
		{"an index that is no JSON", map[string]string{"main.json": good, "main.index.json": ``}, "main.index.json", false},
		{"an index that is no object", map[string]string{"main.json": good, "main.index.json": `{"pk":"shop:main","v":2,"index_v":1,"index":7}`}, "main.index.json", false},
		{"the index of another record", map[string]string{"main.json": good, "main.index.json": `{"pk":"other:main","v":2,"index_v":1,"index":{}}`}, "main.index.json", false},
		{"two layouts", map[string]string{"main.json": good, "main.head.json": good}, "main.json", false},
		{"two indexes", map[string]string{
			"main.json":       `{"pk":"shop:main","v":2,"type":"ledger","name":"shop","branch":"main","index_v":1,"index":{}}`,
			"main.index.json": `{"pk":"shop:main","v":2,"index_v":1,"index":{}}`,
		}, "main.json", false},
		{"an index without a record", map[string]string{"main.index.json": `{"pk":"shop:main","v":2,"index_v":1,"index":{}}`}, "main.index.json", true},
	} {
		b := mem.New("names")
		for file, body := range test.files {
			put(t, b, "ns@v2/shop/"+file, body)
		}
		put(t, b, "ns@v2/shop/notes.txt", "")
		put(t, b, "elsewhere/main.json", "")
		var reported []string
		s := objects.Open(objects.Options{Bucket: b, Damaged: func(err error) { reported = append(reported, damaged(err)) }})
		if _, err := s.Create(t.Context(), nameservice.New{Alias: nameservice.Alias{Name: "healthy", Branch: "main"}}); err != nil {
			t.Fatal(err)
		}
		want := "ns@v2/shop/" + test.key
		for call, do := range map[string]func() error{
			"Get":    func() error { _, err := s.Get(t.Context(), shop); return err },
			"Create": func() error { _, err := s.Create(t.Context(), nameservice.New{Alias: shop}); return err },
			"Write": func() error {
				_, err := s.Write(t.Context(), shop, nameservice.NewFastForward(nameservice.Head, value(9, nameservice.Head)))
				return err
			},
			"Migrate": func() error { _, err := s.Migrate(t.Context(), shop); return err },
		} {
			if test.list {
				break
			}
			if got := damaged(do()); got != want {
				t.Errorf("%s: %s names %q as damaged, want %q", test.story, call, got, want)
			}
		}
		list, err := s.List(t.Context(), "")
		if err != nil || len(list) != 1 || list[0].Name != "healthy" {
			t.Errorf("%s: List returns %v, %v; want the healthy record", test.story, list, err)
		}
		if !slices.Equal(reported, []string{want}) {
			t.Errorf("%s: List reports %q, want %q", test.story, reported, want)
		}
	}
}

// damaged is the key of the object that an error names.
func damaged(err error) string {
	var corrupt *ontosql.CorruptError
	if !errors.As(err, &corrupt) {
		return ""
	}
	return corrupt.Key
}

// counting counts reads.
type counting struct {
	objstore.Bucket
	reads atomic.Int32
}

func (b *counting) Get(ctx context.Context, key string) ([]byte, objstore.Version, error) {
	b.reads.Add(1)
	return b.Bucket.Get(ctx, key)
}

// TestListAgain: a List reads what has changed since the last one.
func TestListAgain(t *testing.T) {
	path := t.TempDir()
	directory, err := dir.Open(path, dir.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Run("versions are listed", func(t *testing.T) { listAgain(t, mem.New("names"), func(string) {}) })
	t.Run("they are not", func(t *testing.T) {
		listAgain(t, directory, func(key string) { // the files are not new
			if err := os.Chtimes(filepath.Join(path, key), time.Time{}, time.Now().Add(-time.Minute)); err != nil {
				t.Fatal(err)
			}
		})
	})
}

func listAgain(t *testing.T, bucket objstore.Bucket, age func(key string)) {
	b := &counting{Bucket: bucket}
	s, other := objects.Open(objects.Options{Bucket: b}), objects.Open(objects.Options{Bucket: b.Bucket})
	createShop(t, other, nil)
	if _, err := other.Create(t.Context(), nameservice.New{Alias: nameservice.Alias{Name: "b", Branch: "main"}}); err != nil {
		t.Fatal(err)
	}
	list := func(story string, reads int32, head int64) {
		t.Helper()
		b.reads.Store(0)
		all, err := s.List(t.Context(), "")
		if err != nil || len(all) != 2 || all[1].Head.V != head || b.reads.Load() != reads {
			t.Errorf("%s: %d records, head %d, %v, with %d reads; want head %d with %d reads", story, len(all), all[1].Head.V, err, b.reads.Load(), head, reads)
		}
	}
	for _, key := range keys(t, bucket) {
		age(key)
	}
	list("the first", 3, 5)
	list("nothing has changed", 0, 5)
	result, err := other.Write(t.Context(), shop, nameservice.NewFastForward(nameservice.Head, value(6, nameservice.Head)))
	must(t, result, err)
	list("one file has changed", 1, 6)
}

// TestLegacyFiles: of a record of version 1 in two files, the first write of any concern stores both as
// version 2.
func TestLegacyFiles(t *testing.T) {
	for _, c := range nameservice.Concerns {
		b := mem.New("names")
		plantShop(t, nil, b)
		s := objects.Open(objects.Options{Bucket: b})
		r, err := s.Get(t.Context(), shop)
		if err != nil || !r.Legacy || r.Index.V != 1 || r.Head.V != 5 {
			t.Fatalf("Get: %+v, %v", r, err)
		}
		next := value(r.Value(c).V+1, c)
		result, err := s.Write(t.Context(), shop, nameservice.NewPush(c, r.Value(c), next))
		must(t, result, err)
		r.Set(c, next)
		if got := found(t, s); string(got.Members().Encode()) != string(r.Members().Encode()) || got.Legacy {
			t.Errorf("after a push of %s, version 1: %v\n got %s\nwant %s", c, got.Legacy, got.Members().Encode(), r.Members().Encode())
		}
		if got := keys(t, b); len(got) != 2 {
			t.Errorf("after a push of %s the files are %q", c, got)
		}
	}
}
