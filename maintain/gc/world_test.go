package gc_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/fixtures"
	"github.com/ontosql/ontosql/internal/original"
	"github.com/ontosql/ontosql/maintain"
	"github.com/ontosql/ontosql/maintain/gc"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/writepath"
)

// Objects of a store that the original filled (its commits 1 to 8, with snapshots and a dropped
// type), and what writers have left in it since.
const (
	store = "s3-v1/stage3-final"

	lost        = "commits/3-dead0001/entities/Customer.parquet"
	lostToo     = "commits/3-dead0001/manifest.json"
	unnamed     = "commits/3-aa32d0a5/entities/Customer.parquet"
	above       = "commits/9-dead0002/entities/Customer.parquet"
	aboveToo    = "commits/9-dead0002/manifest.json"
	farAbove    = "commits/10-dead0003/manifest.json"
	replaced    = "snapshots/entities/product-1-1.parquet"
	ofNoType    = "snapshots/relations/Gone-and-away-1-7.parquet"
	ofTheDrop   = "snapshots/entities/Scratch-5-6.parquet" // the original leaves it
	ownManifest = "commits/5-154d5f35/manifest.json"
	ownFile     = "commits/5-154d5f35/entities/Customer.parquet"
)

// garbage is what may be removed, in the order of keys.
var garbage = []string{farAbove, unnamed, lost, lostToo, above, aboveToo, ofTheDrop, replaced, ofNoType}

// foreign are objects that are never removed.
var foreign = []string{
	"commits/README", "commits/3-dead0001/notes.txt", "commits/03-dead/manifest.json", "commits/x/manifest.json",
	"snapshots/entities/product-2.parquet", "snapshots/entities/-1-2.parquet", "snapshots/product-1-2.parquet", "other/9-dead0002/manifest.json",
}

// world is a bucket with a store.
type world struct {
	*mem.Bucket
	t testing.TB
}

func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{mem.New("x"), t}
	fixtures.Load(t, w, store)
	return w
}

// litter leaves garbage behind, which a day makes old.
func (w *world) litter() *world {
	w.t.Helper()
	for _, key := range garbage {
		if key != ofTheDrop {
			w.put(key, "garbage")
		}
	}
	return w
}

func (w *world) put(key, body string) {
	w.t.Helper()
	if _, err := w.Put(context.WithoutCancel(w.t.Context()), key, []byte(body)); err != nil {
		w.t.Fatal(err)
	}
}

// options are those of a process of its own.
func options(t testing.TB, b objstore.Bucket) gc.Options {
	t.Helper()
	log, err := chain.Open("", chain.Options{Bucket: b})
	if err != nil {
		t.Fatal(err)
	}
	return gc.Options{
		MaintenanceOptions: writepath.MaintenanceOptions{Bucket: b, Log: log, Owner: "gc-test", LockTimeout: 100 * time.Millisecond},
		Grace:              gc.DefaultGrace,
	}
}

// collect runs a collection that removes.
func collect(t testing.TB, b objstore.Bucket) (*gc.Collection, error) {
	t.Helper()
	o := options(t, b)
	o.Apply = true
	return gc.Run(context.WithoutCancel(t.Context()), o)
}

// objects are all objects but the lock.
func (w *world) objects() map[string]string {
	w.t.Helper()
	all := map[string]string{}
	err := w.List(context.WithoutCancel(w.t.Context()), "", func(o objstore.Object) error {
		body, _, err := w.Get(context.WithoutCancel(w.t.Context()), o.Key)
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

// left is the garbage that is still there.
func (w *world) left() (keys []string) {
	w.t.Helper()
	all := w.objects()
	for _, key := range garbage {
		if _, there := all[key]; there {
			keys = append(keys, key)
		}
	}
	return keys
}

// sound fails the test if the store breaks a rule that the fixture does not break, or if the
// original cannot read it.
func (w *world) sound(when string) map[ontosql.TypeRef]original.Type {
	w.t.Helper()
	ctx := context.WithoutCancel(w.t.Context())
	report, err := maintain.Verify(ctx, w.Bucket)
	if err == nil {
		err = report.Err()
	}
	if err != nil {
		w.t.Errorf("%s: verify: %v", when, err)
	}
	rows, err := original.Read(ctx, w.Bucket)
	if err != nil {
		w.t.Errorf("%s: the original: %v", when, err)
	}
	return rows
}

// customer is a type of the fixture.
var customer = ontosql.TypeRef{Kind: ontosql.Entity, Name: "Customer"}

// foreignCommit commits as the original, with a clock so far ahead that every lease has expired.
func (w *world) foreignCommit(b objstore.Bucket, ahead time.Duration) error {
	o := &original.Writer{Bucket: b, Owner: "original", Now: func() time.Time { return time.Now().Add(ahead) }}
	_, err := o.Commit(context.WithoutCancel(w.t.Context()), func(*format.Head) ([]original.Data, error) {
		return customerRows("late"), nil
	})
	return err
}

// customerRow is a version of a customer.
func customerRow(key string) format.Row {
	return format.Row{Key: key, Fields: fmt.Appendf(nil, `{"id":%q}`, key)}
}

// customerRows is what a commit of the original writes of one customer.
func customerRows(key string) []original.Data {
	return []original.Data{{Type: customer, Rows: []format.Row{customerRow(key)}}}
}

// keysOf are the keys of a plan.
func keysOf(planned []gc.Garbage) (keys []string) {
	for _, g := range planned {
		keys = append(keys, g.Key)
	}
	slices.Sort(keys)
	return keys
}
