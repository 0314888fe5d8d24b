package writepath_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/faulty"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/objstore/metered"
	"github.com/ontosql/ontosql/writepath"
)

var (
	thing = ontosql.TypeRef{Kind: ontosql.Entity, Name: "Thing"}
	birth = time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC)
)

func schemas() []format.Schema {
	key := format.NewField("id", format.FieldStr, false)
	key.PrimaryKey = true
	return []format.Schema{{Ref: thing, Fields: []format.SchemaField{key, format.NewField("n", format.FieldInt, false)}}}
}

func row(id string, n int) format.Row {
	return format.Row{Key: id, Fields: fmt.Appendf(nil, `{"id":%q,"n":%d}`, id, n)}
}

func commit(n int) writepath.Commit {
	return writepath.Commit{
		At:       birth.Add(time.Duration(n) * time.Hour),
		Metadata: map[string]string{"message": fmt.Sprintf("number %d", n)},
		Data:     []writepath.Data{{Type: thing, Rows: slices.Values([]format.Row{row("a", n)})}},
	}
}

func initialise(t *testing.T, b objstore.Bucket) {
	t.Helper()
	o := writepath.InitOptions{URI: "mem://x", Engine: format.EngineV1, Now: func() time.Time { return birth }}
	if _, err := writepath.Init(t.Context(), b, o); err != nil {
		t.Fatalf("initialise: %v", err)
	}
}

// write initialises a store, registers a type and publishes one commit.
func write(ctx context.Context, b objstore.Bucket) (ontosql.CommitID, error) {
	o := writepath.InitOptions{URI: "mem://x", Engine: format.EngineV1, Now: func() time.Time { return birth }}
	if _, err := writepath.Init(ctx, b, o); err != nil {
		return 0, err
	}
	p, err := writepath.NewPublisher(ctx, b, "test")
	if err != nil {
		return 0, err
	}
	if _, err := p.Register(ctx, birth, schemas()); err != nil {
		return 0, err
	}
	return p.Publish(ctx, commit(1))
}

// head reads the head as a stranger does, with everything it leads to.
func head(t *testing.T, b objstore.Bucket) (*format.Head, []*format.Manifest) {
	t.Helper()
	body, _, err := b.Get(t.Context(), format.HeadKey)
	if errors.Is(err, objstore.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		t.Fatal(err)
	}
	h, err := format.DecodeHead(format.HeadKey, body)
	if err != nil {
		t.Fatal(err)
	}
	var chain []*format.Manifest
	for path := h.ManifestPath; path != nil; {
		body, _, err := b.Get(t.Context(), *path)
		if err != nil {
			t.Fatalf("the head leads to %s: %v", *path, err)
		}
		m, err := format.DecodeManifest(*path, body)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range m.Files {
			if _, _, err := b.Get(t.Context(), f.Path); err != nil {
				t.Fatalf("commit %d names %s: %v", m.CommitID, f.Path, err)
			}
		}
		chain = append(chain, m)
		path = m.ParentManifestPath
	}
	return h, chain
}

// TestFaultAtEveryRequest breaks each request of init, register and commit in
// turn. Whatever breaks, a reader sees a whole state: what the head leads to is
// there, and nothing else counts (I2, I10).
func TestFaultAtEveryRequest(t *testing.T) {
	for _, variant := range []struct {
		name          string
		applied, dead bool
	}{{"question lost", false, false}, {"answer lost", true, false}, {"process dead", false, true}} {
		t.Run(variant.name, func(t *testing.T) {
			for at := 0; ; at++ {
				disk := mem.New("x")
				b := &faulty.Bucket{Bucket: disk, At: at, Applied: variant.applied, Dead: variant.dead}
				id, err := write(t.Context(), b)
				h, chain := head(t, disk)
				switch {
				case err == nil && (h == nil || h.CommitID != 2 || id != 2):
					t.Fatalf("request %d broke, commit 2 was acknowledged as %d and the head is %+v", at, id, h)
				case h != nil && int(h.CommitID) != len(chain):
					t.Fatalf("request %d broke: the head is commit %d and leads to %d manifests", at, h.CommitID, len(chain))
				case errors.Is(err, ontosql.ErrHeadMoved) && h.CommitID == 2:
					t.Fatalf("request %d broke: the commit is visible and was called lost: %v", at, err)
				}
				if b.Requests() <= at {
					if err != nil {
						t.Fatalf("without a fault: %v", err)
					}
					return
				}
			}
		})
	}
}

func TestRequestsOfACommit(t *testing.T) {
	var log []string
	b := metered.New(mem.New("x"), metered.Options{OnRequest: func(op, key string) { log = append(log, op+" "+key) }})
	initialise(t, b)
	p, err := writepath.NewPublisher(t.Context(), b, "test")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Register(t.Context(), birth, schemas()); err != nil {
		t.Fatal(err)
	}
	log = nil
	if _, err := p.Publish(t.Context(), commit(1)); err != nil {
		t.Fatal(err)
	}
	_, chain := head(t, b)
	dir := strings.TrimSuffix(format.ManifestKey(2, ""), "-/manifest.json")
	var got []string
	for _, line := range log[:4] {
		op, key, _ := strings.Cut(line, " ")
		if strings.HasPrefix(key, dir) {
			_, file, _ := strings.Cut(strings.TrimPrefix(key, "commits/"), "/")
			key = "commits/2-*/" + file
		}
		got = append(got, op+" "+key)
	}
	want := []string{
		"put commits/2-*/entities/Thing.parquet",
		"put commits/2-*/manifest.json",
		"swap meta/head.json",
		"put meta/indices/entities/Thing.json",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("requests of one commit (-want +got):\n%s", diff)
	}
	if m := chain[0]; m.CommitID != 2 || *m.ParentCommitID != 1 || len(m.Files) != 1 || m.Files[0].RowCount != 1 {
		t.Errorf("manifest of the commit: %+v", m)
	}
}

func TestPublisherIsRefusedWhenTheHeadMoved(t *testing.T) {
	b := mem.New("x")
	initialise(t, b)
	first, err := writepath.NewPublisher(t.Context(), b, "first")
	if err != nil {
		t.Fatal(err)
	}
	second, err := writepath.NewPublisher(t.Context(), b, "second")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := first.Register(t.Context(), birth, schemas()); err != nil {
		t.Fatal(err)
	}
	if _, err := second.Register(t.Context(), birth, schemas()); !errors.Is(err, ontosql.ErrHeadMoved) {
		t.Errorf("the second publisher: %v, want ErrHeadMoved", err)
	}
	if h, chain := head(t, b); h.CommitID != 1 || chain[0].RuntimeID != "first" {
		t.Errorf("the head is %+v of %s, want the first publisher's commit", h, chain[0].RuntimeID)
	}
	if _, err := writepath.NewPublisher(t.Context(), b, "third"); err == nil {
		t.Error("a publisher opened a store with commits in it")
	}
}

func TestCreatedAtNeverRunsBackwards(t *testing.T) {
	b := mem.New("x")
	initialise(t, b)
	p, err := writepath.NewPublisher(t.Context(), b, "test")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Register(t.Context(), birth, schemas()); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Publish(t.Context(), commit(-5)); err != nil {
		t.Fatal(err)
	}
	if _, chain := head(t, b); chain[0].CreatedAt.Before(chain[1].CreatedAt.Time) {
		t.Errorf("commit 2 is of %s and its parent of %s", chain[0].CreatedAt, chain[1].CreatedAt)
	}
}
