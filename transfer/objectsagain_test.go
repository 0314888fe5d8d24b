package transfer_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/fixtures"
	"github.com/ontosql/ontosql/maintain"
	"github.com/ontosql/ontosql/maintain/maintaintest"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/faulty"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/transfer"
	"github.com/ontosql/ontosql/writepath"
)

// requests notes the requests to a bucket.
type requests struct {
	mu  sync.Mutex
	all []string
}

func (r *requests) through(b objstore.Bucket) objstore.Bucket {
	return &faulty.Bucket{Bucket: b, At: -1, Delay: func(_ context.Context, _ int, op, key string) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.all = append(r.all, op+" "+key)
	}}
}

// take returns the requests so far that keep accepts, and forgets all.
func (r *requests) take(keep func(string) bool) (taken []string) {
	for _, one := range r.all {
		if keep(one) {
			taken = append(taken, one)
		}
	}
	r.all = nil
	return taken
}

// TestCopyAgain copies a store three times: as the original left it after its first commits, after it
// migrated, compacted and dropped, and when nothing is new. Each run reads of the source's commits what
// is new, and writes nothing else.
func TestCopyAgain(t *testing.T) {
	for _, engine := range []string{"s3-v1", "s3-v2"} {
		t.Run(engine, func(t *testing.T) {
			source, disk := &mem.Bucket{}, &mem.Bucket{}
			fixtures.Load(t, source, engine+"/stage1-commits")
			log, err := chain.Open("", chain.Options{Bucket: source})
			if err != nil {
				t.Fatal(err)
			}
			defer log.Close()
			var read, write requests
			c := transfer.NewObjects(read.through(source), log, write.through(disk), transfer.CopyOptions{Temp: t.TempDir()})
			copied := func() *transfer.Copied {
				t.Helper()
				done, err := c.Copy(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				maintaintest.Clean(t, disk)
				return done
			}
			first := copied()
			before := objectsIn(t, disk)
			fixtures.Load(t, source, engine+"/stage3-final")
			read.take(func(string) bool { return false })
			write.take(func(string) bool { return false })
			second := copied()
			if second.Head != 8 || second.Commits != 8-int(first.Head) || second.Points != second.Commits {
				t.Errorf("after commit %d the second run says %+v", first.Head, *second)
			}
			old := func(request string) bool {
				_, key, _ := strings.Cut(request, " ")
				_, there := before[key]
				return there && strings.HasPrefix(key, format.CommitsPrefix)
			}
			// Except for the manifest of the target's head, which says whose copy it is.
			if again := read.take(old); len(again) > 1 {
				t.Errorf("the second run reads of the source %q", again)
			}
			wide := func(request string) bool { return old(request) || request == "list " || request == "list commits/" }
			if again := write.take(wide); len(again) > 1 {
				t.Errorf("the second run asks the target for %q", again)
			}
			want := sharedIn(t, source)
			delete(want, orphan)
			if diff := gocmp.Diff(sums(want), sums(sharedIn(t, disk))); diff != "" {
				t.Errorf("objects (-source +target):\n%s", diff)
			}
			third := copied()
			if third.Commits != 0 || third.Objects != 0 || third.Head != 8 {
				t.Errorf("with nothing new a run says %+v", *third)
			}
			objects := func(request string) bool { return !strings.HasPrefix(request, "list") }
			// The source's head is looked at; in the target, head, manifest, lock and mark.
			if asked := read.take(objects); len(asked) > 2 {
				t.Errorf("with nothing new the source is asked for %q", asked)
			}
			if asked := write.take(objects); len(asked) > 4 {
				t.Errorf("with nothing new the target is asked for %q", asked)
			}
		})
	}
}

// TestCopyAgainBroken breaks every request of the second run to the target and to the source, and all
// that come after it: the copy is sound at the old head or at the new one, and, as if the source were
// lost, a gateway commits to it. If the source is not lost, the next run does the rest.
func TestCopyAgainBroken(t *testing.T) {
	for _, by := range []struct {
		name        string
		first, then func(*testing.T, *mem.Bucket)
		exactly     bool // between two schema objects the copy breaks no rule, either
	}{
		{
			"original",
			func(t *testing.T, b *mem.Bucket) { fixtures.Load(t, b, "s3-v1/stage1-commits") },
			func(t *testing.T, b *mem.Bucket) {
				fixtures.Load(t, b, "s3-v1/stage3-final") // migrated, compacted, dropped
				if err := b.Delete(t.Context(), orphan); err != nil {
					t.Fatal(err)
				}
			},
			false,
		},
		{"gateway creates", gatewayBegins, func(t *testing.T, b *mem.Bucket) { gatewayCreates(t, b, "Second") }, true},
		{"gateway drops and creates", gatewayBegins, func(t *testing.T, b *mem.Bucket) {
			gatewayDrops(t, b, "First")
			gatewayCreates(t, b, "First")
			gatewayCreates(t, b, "Second")
			gatewayDrops(t, b, "Second")
		}, true},
	} {
		t.Run(by.name, func(t *testing.T) {
			t.Parallel()
			source, first := &mem.Bucket{}, &mem.Bucket{}
			by.first(t, source)
			if _, err := copyObjects(t, source, first); err != nil {
				t.Fatal(err)
			}
			earlier := sound(t, first, true)
			by.then(t, source)
			later := sound(t, source, true)
			want := sharedIn(t, source)
			for _, side := range []string{"source", "target"} {
				for _, applied := range []bool{false, true} {
					for at, more := 0, true; more; at++ {
						disk := clone(t, first)
						broken := &faulty.Bucket{Bucket: disk, At: at, Applied: applied, Dead: true}
						from, to := objstore.Bucket(source), objstore.Bucket(broken)
						if side == "source" {
							broken.Bucket = source
							from, to = broken, disk
						}
						_, err := copyObjects(t, from, to)
						more = err != nil || at < broken.Requests()
						if err := disk.Delete(t.Context(), format.LockKey); err != nil { // the lease of the dead is over
							t.Fatal(err)
						}
						restored := clone(t, disk)
						head := sound(t, restored, by.exactly)
						if written := gatewayCreates(t, restored, "Restored"); written != head+2 {
							t.Errorf("after two commits the copy of commit %d is at %d", head, written)
						}
						sound(t, restored, by.exactly)
						if t.Failed() || head != earlier && head != later {
							t.Fatalf("after request %d to the %s broke (%v), the copy is at commit %d", at, side, err, head)
						}
						if err != nil {
							if _, err := copyObjects(t, source, disk); err != nil {
								t.Fatalf("after request %d to the %s broke, the next run: %v", at, side, err)
							}
						}
						if diff := gocmp.Diff(sums(want), sums(sharedIn(t, disk))); diff != "" {
							t.Fatalf("after request %d to the %s broke (-source +target):\n%s", at, side, diff)
						}
					}
				}
			}
		})
	}
}

// sound fails the test if the store breaks a rule, and returns its head. Unless exactly, schema objects
// need not agree: so it is in the middle of a change of the schema by the original.
func sound(t *testing.T, b objstore.Bucket, exactly bool) ontosql.CommitID {
	t.Helper()
	report, err := maintain.Verify(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range report.Errors() {
		if exactly || p.Rule != maintain.SchemaObjects {
			t.Errorf("%s", p)
		}
	}
	return report.Head
}

// clone is a bucket with the objects of another.
func clone(t *testing.T, b *mem.Bucket) *mem.Bucket {
	t.Helper()
	to := &mem.Bucket{}
	for key, body := range objectsIn(t, b) {
		if _, err := to.Put(t.Context(), key, []byte(body)); err != nil {
			t.Fatal(err)
		}
	}
	return to
}

// gatewayBegins makes an ontology with a type.
func gatewayBegins(t *testing.T, b *mem.Bucket) {
	t.Helper()
	if _, err := writepath.Init(t.Context(), b, writepath.InitOptions{Engine: format.EngineV1}); err != nil {
		t.Fatal(err)
	}
	gatewayCreates(t, b, "First")
}

// gatewayCreates commits a type and then a row of it, and returns the commit.
func gatewayCreates(t *testing.T, b objstore.Bucket, name string) ontosql.CommitID {
	t.Helper()
	ref := ontosql.TypeRef{Kind: ontosql.Entity, Name: name}
	key := format.NewField("id", format.FieldStr, false)
	key.PrimaryKey = true
	schema := format.Schema{Ref: ref, Fields: []format.SchemaField{key}}
	version := int64(0)
	gatewayCommits(t, b, writepath.Tx{Schema: func(s *migration.State) error {
		err := s.Create(&schema, format.Extras{})
		version = s.Version(ref)
		return err
	}})
	return gatewayCommits(t, b, writepath.Tx{Data: []writepath.Data{{
		Type: ref, Fields: format.DataFields(schema.Fields), SchemaVersion: version,
		Rows: func(yield func(writepath.Row, error) bool) {
			yield(writepath.Row{Row: format.Row{Key: "a", Fields: []byte(`{"id":"a"}`)}}, nil)
		},
	}}})
}

func gatewayDrops(t *testing.T, b objstore.Bucket, name string) {
	t.Helper()
	gatewayCommits(t, b, writepath.Tx{Schema: func(s *migration.State) error {
		return s.Drop(ontosql.TypeRef{Kind: ontosql.Entity, Name: name}, true)
	}})
}

func gatewayCommits(t *testing.T, b objstore.Bucket, tx writepath.Tx) ontosql.CommitID {
	t.Helper()
	c := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "gateway", TempDir: t.TempDir()})
	body, _, err := b.Get(t.Context(), format.HeadKey)
	if err != nil {
		t.Fatal(err)
	}
	head, err := format.DecodeHead(format.HeadKey, body)
	if err != nil {
		t.Fatal(err)
	}
	tx.Pin = head.CommitID
	out, err := c.Commit(t.Context(), tx)
	if err != nil {
		t.Fatalf("commit to %s: %v", b, err)
	}
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	return out.Commit
}
