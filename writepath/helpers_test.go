package writepath_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/maintain/maintaintest"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/writepath"
)

var (
	thing = ontosql.TypeRef{Kind: ontosql.Entity, Name: "Thing"}
	other = ontosql.TypeRef{Kind: ontosql.Entity, Name: "Other"}
	links = ontosql.TypeRef{Kind: ontosql.Relation, Name: "Links"}
	birth = time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC)
)

func schemaOf(ref ontosql.TypeRef) format.Schema {
	n := format.NewField("n", format.FieldInt, false)
	if ref.Kind == ontosql.Relation {
		return format.Schema{Ref: ref, Left: "Thing", Right: "Other", Fields: []format.SchemaField{n}}
	}
	key := format.NewField("id", format.FieldStr, false)
	key.PrimaryKey = true
	return format.Schema{Ref: ref, Fields: []format.SchemaField{key, n}}
}

func schemas(refs ...ontosql.TypeRef) []format.Schema {
	all := make([]format.Schema, len(refs))
	for i, ref := range refs {
		all[i] = schemaOf(ref)
	}
	return all
}

// row is version n of the identity id; of a relation it links id with "x".
func row(ref ontosql.TypeRef, id string, n int) format.Row {
	if ref.Kind == ontosql.Relation {
		return format.Row{Left: id, Right: "x", Fields: fmt.Appendf(nil, `{"n":%d}`, n)}
	}
	return format.Row{Key: id, Fields: fmt.Appendf(nil, `{"id":%q,"n":%d}`, id, n)}
}

func data(ref ontosql.TypeRef, rows ...writepath.Row) writepath.Data {
	return writepath.Data{Type: ref, Fields: format.DataFields(schemaOf(ref).Fields), SchemaVersion: writepath.FirstVersion, Rows: sequence(rows)}
}

func sequence(rows []writepath.Row) iter.Seq2[writepath.Row, error] {
	return func(yield func(writepath.Row, error) bool) {
		for _, r := range rows {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// put is a transaction that writes one version of one identity of each type.
func put(pin ontosql.CommitID, id string, n int, refs ...ontosql.TypeRef) writepath.Tx {
	tx := writepath.Tx{Pin: pin}
	for _, ref := range refs {
		tx.Data = append(tx.Data, data(ref, writepath.Row{Row: row(ref, id, n)}))
	}
	return tx
}

// initialise creates an ontology with the given types, in commit 1 if there are any.
func initialise(t *testing.T, b objstore.Bucket, engine string, refs ...ontosql.TypeRef) {
	t.Helper()
	o := writepath.InitOptions{URI: "mem://x", Engine: engine, Now: func() time.Time { return birth }}
	if _, err := writepath.Init(t.Context(), b, o); err != nil {
		t.Fatalf("initialise: %v", err)
	}
	if len(refs) == 0 {
		return
	}
	c := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "setup"})
	if _, err := c.Register(t.Context(), birth, schemas(refs...)); err != nil {
		t.Fatalf("register: %v", err)
	}
	if err := c.Close(t.Context()); err != nil {
		t.Fatalf("close: %v", err)
	}
}

func readHead(t testing.TB, b objstore.Bucket) *format.Head {
	t.Helper()
	body, _, err := b.Get(context.WithoutCancel(t.Context()), format.HeadKey)
	if errors.Is(err, objstore.ErrNotFound) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	h, err := format.DecodeHead(format.HeadKey, body)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// viewOf returns the current chain of a store.
func viewOf(t testing.TB, b objstore.Bucket) *chain.View {
	t.Helper()
	log, err := chain.Open("", chain.Options{Bucket: b})
	if err != nil {
		t.Fatal(err)
	}
	view, err := log.At(t.Context(), readHead(t, b))
	if err != nil {
		t.Fatal(err)
	}
	return view
}

// commits reads everything the head leads to, oldest first, as a stranger does,
// and checks it: ids are dense (I3), what is named is there and is what its name
// says (I4), created_at of ours never runs backwards (A12), indexes name files of the chain (I5).
func commits(t testing.TB, b objstore.Bucket) []*format.Manifest {
	t.Helper()
	return readChain(t, b, false)
}

// readChain is commits. A store is settled once a writer of ours came to its end
// after a drop: until then the original may have put dropped files into an index.
func readChain(t testing.TB, b objstore.Bucket, settled bool) []*format.Manifest {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	h := readHead(t, b)
	if h == nil {
		return nil
	}
	var chain []*format.Manifest
	files := map[string]indexed{}
	gone := map[string]ontosql.CommitID{} // types that a later commit dropped, the first that did
	sum := h.CommitSHA256
	for path, id := h.ManifestPath, h.CommitID; path != nil; id-- {
		body, _, err := b.Get(ctx, *path)
		if err != nil {
			t.Fatalf("the head leads to %s: %v", *path, err)
		}
		if got := sha256.Sum256(body); sum != "" && hex.EncodeToString(got[:]) != sum {
			t.Fatalf("the head gives %s the sha256 %s, it has %x", *path, sum, got)
		}
		sum = ""
		m, err := format.DecodeManifest(*path, body)
		if err != nil {
			t.Fatal(err)
		}
		if m.CommitID != id {
			t.Fatalf("%s is commit %d, want %d", *path, m.CommitID, id)
		}
		if n := len(chain); n > 0 && attemptOf(chain[n-1]) != "" && m.CreatedAt.After(chain[n-1].CreatedAt.Time) {
			t.Errorf("commit %d is of %s, the one after it of %s", id, m.CreatedAt, chain[n-1].CreatedAt)
		}
		for i := range m.Files {
			files[m.Files[i].Path] = indexed{id, gone[m.Files[i].Ref().String()]}
			rowsOf(t, b, &m.Files[i], id)
		}
		change, err := m.SchemaChange(*path)
		if err != nil {
			t.Fatal(err)
		}
		if change != nil {
			for _, d := range change.Dropped {
				gone[d.Kind+":"+d.Type] = id
			}
		}
		chain = append(chain, m)
		path = m.ParentManifestPath
	}
	slices.Reverse(chain)
	if int(h.CommitID) != len(chain) {
		t.Fatalf("the head is commit %d and leads to %d manifests", h.CommitID, len(chain))
	}
	checkIndexes(t, b, h, files, settled)
	return chain
}

// verify ends every test that wrote: the store is intact, and the original could read and
// continue it.
func verify(t testing.TB, b objstore.Bucket) []*format.Manifest {
	t.Helper()
	chain := readChain(t, b, true)
	maintaintest.Clean(t, b)
	return chain
}

// indexed is the commit of a file, and the one that dropped its type, 0 for none.
type indexed struct{ id, dropped ontosql.CommitID }

func checkIndexes(t testing.TB, b objstore.Bucket, h *format.Head, files map[string]indexed, settled bool) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	err := b.List(ctx, "meta/indices/", func(o objstore.Object) error {
		body, _, err := b.Get(ctx, o.Key)
		if err != nil {
			return err
		}
		x, err := format.DecodeIndex(o.Key, body)
		if err != nil {
			return err
		}
		if x.MaxIndexedCommit > h.CommitID {
			t.Errorf("%s is at commit %d, the head at %d", o.Key, x.MaxIndexedCommit, h.CommitID)
		}
		there := map[string]bool{}
		for _, e := range x.Entries {
			there[e.Path] = true
			f := files[e.Path]
			if f.id != e.MinCommitID || e.MinCommitID != e.MaxCommitID {
				t.Errorf("%s says %s is of commits %d to %d, the chain says %d", o.Key, e.Path, e.MinCommitID, e.MaxCommitID, f.id)
			}
			if settled && f.dropped > 0 && f.dropped <= x.MaxIndexedCommit {
				t.Errorf("%s is at commit %d and has %s, which commit %d dropped", o.Key, x.MaxIndexedCommit, e.Path, f.dropped)
			}
		}
		for path, f := range files {
			kind, name := filepath.Base(filepath.Dir(o.Key)), x.TypeName
			mine, _ := filepath.Match("commits/*/"+kind+"/"+name+".parquet", path)
			mine2, _ := filepath.Match("commits/*/"+kind+"/"+name+"/v*.parquet", path)
			if (mine || mine2) && f.dropped == 0 && f.id <= x.MaxIndexedCommit && !there[path] {
				t.Errorf("%s is complete up to commit %d and lacks %s", o.Key, x.MaxIndexedCommit, path)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// rowsOf reads a data file and checks it against its manifest.
func rowsOf(t testing.TB, b objstore.Bucket, f *format.File, id ontosql.CommitID) []format.Row {
	t.Helper()
	body, _, err := b.Get(context.WithoutCancel(t.Context()), f.Path)
	if err != nil {
		t.Fatalf("commit %d names %s: %v", id, f.Path, err)
	}
	if sum := sha256.Sum256(body); hex.EncodeToString(sum[:]) != f.ContentSHA256 {
		t.Fatalf("%s has not the sha256 that commit %d gives it", f.Path, id)
	}
	cached, ok := parsed.Load(f.ContentSHA256)
	if !ok {
		cached = parse(t, body, f)
		parsed.Store(f.ContentSHA256, cached)
	}
	rows := cached.([]format.Row)
	if int64(len(rows)) != f.RowCount {
		t.Errorf("%s has %d rows, commit %d says %d", f.Path, len(rows), id, f.RowCount)
	}
	for _, r := range rows {
		if r.Commit != id {
			t.Errorf("%s has a row of commit %d, it is of commit %d", f.Path, r.Commit, id)
		}
	}
	return rows
}

// parsed caches the rows of files by sha256: the fault loop reads the same few files thousands
// of times.
var parsed sync.Map

func parse(t testing.TB, body []byte, f *format.File) []format.Row {
	t.Helper()
	local, err := os.CreateTemp("", "writepath-test-*")
	if err != nil {
		t.Fatal(err)
	}
	defer os.Remove(local.Name())
	if _, err := local.Write(body); err != nil {
		t.Fatal(err)
	}
	if err := local.Close(); err != nil {
		t.Fatal(err)
	}
	rows, err := format.ReadRows(local.Name())
	if err != nil {
		t.Fatalf("%s: %v", f.Path, err)
	}
	return rows
}

// attemptOf returns the attempt of a manifest, "" for a foreign one.
func attemptOf(m *format.Manifest) string {
	var name string
	_ = json.Unmarshal(m.Metadata[format.MetadataAttempt], &name)
	return name
}
