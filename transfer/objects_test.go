package transfer_test

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/fixtures"
	"github.com/ontosql/ontosql/internal/original"
	"github.com/ontosql/ontosql/maintain/maintaintest"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/dir"
	"github.com/ontosql/ontosql/objstore/faulty"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/transfer"
	"github.com/ontosql/ontosql/writepath"
)

// copyObjects copies with a chain log of its own.
func copyObjects(t *testing.T, from, to objstore.Bucket) (*transfer.Copied, error) {
	t.Helper()
	log, err := chain.Open("", chain.Options{Bucket: from})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	return transfer.NewObjects(from, log, to, transfer.CopyOptions{Temp: t.TempDir()}).Copy(t.Context())
}

// objectsIn are the objects of a bucket by key.
func objectsIn(t *testing.T, b objstore.Bucket) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := b.List(t.Context(), "", func(o objstore.Object) error {
		all[o.Key] = ""
		return nil
	})
	for key := range all {
		body, _, bad := b.Get(t.Context(), key)
		all[key], err = string(body), errors.Join(err, bad)
	}
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// sharedIn are the objects of a bucket that a copy has too: all but the lock.
func sharedIn(t *testing.T, b objstore.Bucket) map[string]string {
	t.Helper()
	all := objectsIn(t, b)
	delete(all, format.LockKey)
	return all
}

// sums are the checksums of objects, whose contents no message has room for.
func sums(objects map[string]string) map[string]string {
	all := map[string]string{}
	for key, body := range objects {
		all[key] = fmt.Sprintf("%x", sha256.Sum256([]byte(body)))
	}
	return all
}

// orphan is a snapshot of the fixtures that no index names any more, for its type
// was dropped.
const orphan = "snapshots/entities/Scratch-5-6.parquet"

// theirs is what the original reads of a store.
func theirs(t *testing.T, b objstore.Bucket) map[ontosql.TypeRef]original.Type {
	t.Helper()
	types, err := original.Read(t.Context(), b)
	if err != nil {
		t.Fatalf("the original opens the store: %v", err)
	}
	for _, typ := range types { // it gives them no order
		slices.SortFunc(typ.Rows, func(a, b format.Row) int {
			return cmp.Or(strings.Compare(a.Key, b.Key), strings.Compare(a.Left, b.Left), strings.Compare(a.Right, b.Right), strings.Compare(a.Instance, b.Instance))
		})
	}
	return types
}

// TestCopyObjects copies every store that the original wrote, twice: all that
// belongs to the ontology is there, byte for byte, and nothing else.
func TestCopyObjects(t *testing.T) {
	for _, store := range fixtures.Stores {
		t.Run(store, func(t *testing.T) {
			from, to := &mem.Bucket{}, dirBucket(t)
			fixtures.Load(t, from, store)
			want := objectsIn(t, from)
			delete(want, orphan)
			for key, body := range map[string]string{
				"commits/9-deadbeef/entities/Customer.parquet": "of an attempt that lost",
				"meta/ontosql/probe-1":                         "of a preflight",
				format.CompactionLockKey:                       "of a gateway that compacts",
				format.CheckpointKey:                           "of a compaction",
				"notes.txt":                                    "of somebody",
			} {
				if _, err := from.Put(t.Context(), key, []byte(body)); err != nil {
					t.Fatal(err)
				}
			}
			done, err := copyObjects(t, from, to)
			if err != nil {
				t.Fatal(err)
			}
			if diff := gocmp.Diff(sums(want), sums(objectsIn(t, to))); diff != "" {
				t.Errorf("objects (-source +target):\n%s", diff)
			}
			if done.Objects != len(want)-1 { // the head
				t.Errorf("it says that it wrote %d objects, there are %d and the head", done.Objects, len(want)-1)
			}
			maintaintest.Clean(t, to)
			again, err := copyObjects(t, from, to)
			if err != nil {
				t.Fatal(err)
			}
			if again.Objects != 0 || again.Commits != 0 || again.Head != done.Head {
				t.Errorf("the second copy did %+v, want nothing", *again)
			}
		})
	}
}

func dirBucket(t *testing.T) objstore.Bucket {
	t.Helper()
	b, err := dir.Open(t.TempDir(), dir.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestCopyObjectsBroken breaks every request to the target, and to the source, in
// two ways, and all that come after it. There is no ontology until the copy says that it is done, and the
// next run does the rest.
func TestCopyObjectsBroken(t *testing.T) {
	source := &mem.Bucket{}
	fixtures.Load(t, source, "s3-v2/stage3-final")
	want := objectsIn(t, source)
	delete(want, orphan)
	for _, side := range []string{"source", "target"} {
		for _, way := range []struct {
			name          string
			applied, dead bool
		}{{"question", false, true}, {"answer", true, true}} {
			t.Run(side+" "+way.name, func(t *testing.T) {
				for at := 0; ; at++ {
					disk := &mem.Bucket{}
					broken := &faulty.Bucket{Bucket: disk, At: at, Applied: way.applied, Dead: way.dead}
					from, to := objstore.Bucket(source), objstore.Bucket(broken)
					if side == "source" {
						broken.Bucket = source
						from, to = broken, disk
					}
					_, err := copyObjects(t, from, to)
					if _, _, missing := disk.Get(t.Context(), format.HeadKey); missing == nil && err != nil && side == "source" {
						t.Fatalf("request %d to the source broke (%v), and the target has a head", at, err)
					}
					if err != nil {
						if _, err := copyObjects(t, source, disk); err != nil {
							t.Fatalf("after request %d broke, the next run: %v", at, err)
						}
					}
					if diff := gocmp.Diff(sums(want), sums(objectsIn(t, disk))); diff != "" {
						t.Fatalf("after request %d broke (-source +target):\n%s", at, diff)
					}
					if err == nil && at >= broken.Requests() {
						return
					}
				}
			})
		}
	}
}

// TestCopyObjectsNoHead looks at what is in the target at every moment: the head
// comes when all else is there.
func TestCopyObjectsNoHead(t *testing.T) {
	source, disk := &mem.Bucket{}, &mem.Bucket{}
	fixtures.Load(t, source, "s3-v1/stage3-final")
	var mu sync.Mutex
	after := false
	var late []string
	to := &faulty.Bucket{Bucket: disk, At: -1, Delay: func(ctx context.Context, _ int, op, key string) {
		mu.Lock()
		defer mu.Unlock()
		if after {
			late = append(late, op+" "+key)
		}
		after = after || op == objstore.OpSwap && key == format.HeadKey
	}}
	if _, err := copyObjects(t, source, to); err != nil {
		t.Fatal(err)
	}
	if want := []string{"delete meta/ontosql/copy.json"}; !slices.Equal(late, want) {
		t.Errorf("after the head: %q, want %q", late, want)
	}
}

// TestCopyObjectsWrongTarget refuses what is not an earlier state of the source,
// and writes nothing there.
func TestCopyObjectsWrongTarget(t *testing.T) {
	source, other, empty, half := &mem.Bucket{}, &mem.Bucket{}, &mem.Bucket{}, &mem.Bucket{}
	fixtures.Load(t, source, "s3-v1/stage2-migrated")
	fixtures.Load(t, other, "s3-v2/stage1-commits")
	if _, err := writepath.Init(t.Context(), empty, writepath.InitOptions{Engine: format.EngineV1}); err != nil {
		t.Fatal(err)
	}
	dying := &faulty.Bucket{Bucket: half, At: 20, Dead: true}
	if _, err := copyObjects(t, other, dying); err == nil {
		t.Fatal("the copy ended without its network")
	}
	files := &mem.Bucket{}
	if _, err := files.Put(t.Context(), "holiday.jpg", []byte("x")); err != nil {
		t.Fatal(err)
	}
	ahead := &mem.Bucket{}
	fixtures.Load(t, ahead, "s3-v1/stage3-final")
	damaged := &mem.Bucket{}
	if _, err := damaged.Put(t.Context(), format.HeadKey, []byte("{")); err != nil {
		t.Fatal(err)
	}
	leased := &mem.Bucket{}
	fixtures.Load(t, leased, "s3-v1/stage1-commits")
	now := format.TimeOf(time.Now())
	lock := format.EncodeLock(&format.Lock{AcquiredAt: now, ExpiresAt: format.TimeOf(now.Add(time.Hour)), LeaseTTLms: 1000, OwnerID: "w"})
	if _, err := leased.Put(t.Context(), format.LockKey, lock); err != nil {
		t.Fatal(err)
	}
	var held *writepath.LeaseHeldError
	var corrupt *ontosql.CorruptError
	for name, c := range map[string]struct {
		to    *mem.Bucket
		right func(error) bool
	}{
		"other ontology":   {other, func(err error) bool { return errors.Is(err, transfer.ErrOtherOntology) }},
		"fresh ontology":   {empty, func(err error) bool { return errors.Is(err, transfer.ErrOtherOntology) }},
		"half of another":  {half, func(err error) bool { return errors.Is(err, transfer.ErrOtherOntology) }},
		"later state":      {ahead, func(err error) bool { return errors.Is(err, transfer.ErrOtherOntology) }},
		"files of others":  {files, func(err error) bool { return errors.Is(err, transfer.ErrNotEmpty) }},
		"damaged head":     {damaged, func(err error) bool { return errors.As(err, &corrupt) }},
		"a writer at work": {leased, func(err error) bool { return errors.As(err, &held) }},
	} {
		before := objectsIn(t, c.to)
		_, err := copyObjects(t, source, c.to)
		if !c.right(err) {
			t.Errorf("%s: %v", name, err)
		}
		if diff := gocmp.Diff(before, objectsIn(t, c.to)); diff != "" {
			t.Errorf("%s was changed:\n%s", name, diff)
		}
	}
}

// TestCopyObjectsLive copies while a writer commits. Each target is the source as it was at one
// head, and continues to later ones.
func TestCopyObjectsLive(t *testing.T) {
	source, disk := &mem.Bucket{}, &mem.Bucket{}
	if _, err := writepath.Init(t.Context(), source, writepath.InitOptions{Engine: format.EngineV1}); err != nil {
		t.Fatal(err)
	}
	w, err := writepath.NewPublisher(t.Context(), source, "writer")
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close(t.Context())
	ref := ontosql.TypeRef{Kind: ontosql.Entity, Name: "Note"}
	fields := []format.SchemaField{format.NewField("id", format.FieldStr, false), format.NewField("n", format.FieldInt, false)}
	fields[0].PrimaryKey = true
	if _, err := w.Register(t.Context(), time.Time{}, []format.Schema{{Ref: ref, Fields: fields}}); err != nil {
		t.Fatal(err)
	}
	publish := func(n int) error {
		rows := func(yield func(format.Row) bool) {
			yield(format.Row{Key: fmt.Sprint(n % 7), Fields: fmt.Appendf(nil, `{"id":"%d","n":%d}`, n%7, n)})
		}
		_, err := w.Publish(t.Context(), writepath.Commit{Data: []writepath.Content{{Type: ref, Rows: rows}}})
		return err
	}
	var mu sync.Mutex
	n := 0
	// Before each request of the copy to the source another commit is made.
	from := &faulty.Bucket{Bucket: source, At: -1, Delay: func(context.Context, int, string, string) {
		mu.Lock()
		defer mu.Unlock()
		if n < 60 {
			n++
			if err := publish(n); err != nil {
				t.Error(err)
			}
		}
	}}
	for range 3 {
		mu.Lock()
		n -= min(n, 30)
		mu.Unlock()
		done, err := copyObjects(t, from, disk)
		if err != nil {
			t.Fatal(err)
		}
		maintaintest.Clean(t, disk)
		rows := theirs(t, disk)[ref].Rows
		if len(rows) == 0 && done.Head > 1 {
			t.Errorf("at commit %d the original reads no rows", done.Head)
		}
		for _, r := range rows {
			if r.Commit > done.Head {
				t.Errorf("a row of commit %d above the head %d", r.Commit, done.Head)
			}
		}
	}
	if _, err := copyObjects(t, source, disk); err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(theirs(t, source), theirs(t, disk)); diff != "" {
		t.Errorf("what the original reads (-source +target):\n%s", diff)
	}
	a, b := sharedIn(t, source), sharedIn(t, disk)
	for key, body := range b {
		if !bytes.Equal([]byte(a[key]), []byte(body)) {
			t.Errorf("%s differs from the source's", key)
		}
	}
}
