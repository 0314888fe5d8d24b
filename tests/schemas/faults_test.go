package schemas

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway/gatewaytest"
	"github.com/ontosql/ontosql/internal/original"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/faulty"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/writepath"
)

// before is what there is before a change of the schema.
var before = []string{
	"CREATE TABLE other (id text PRIMARY KEY, n bigint)",
	"CREATE TABLE item (id bigint PRIMARY KEY, title text NOT NULL, price bigint DEFAULT 3)",
	"CREATE TABLE shelf (id text PRIMARY KEY)",
	"CREATE TABLE stands (left_key bigint REFERENCES item, right_key text REFERENCES shelf, slot text, since date, PRIMARY KEY (left_key, right_key, slot))",
	"BEGIN",
	"INSERT INTO item VALUES (1, 'one', 10), (2, 'two', NULL), (3, 'three', 30)",
	"INSERT INTO shelf VALUES ('top')",
	"INSERT INTO stands VALUES (1, 'top', 'a', '2026-01-02')",
	"COMMIT",
}

// definitions are the changes that the fault loop makes.
var definitions = []struct {
	name string
	do   []string
}{
	{"create an entity", []string{"CREATE TABLE room (id text PRIMARY KEY, size numeric(6,2) DEFAULT 1.5)"}},
	{"create a relation", []string{"CREATE TABLE likes (left_key bigint REFERENCES item, right_key bigint REFERENCES item, PRIMARY KEY (left_key, right_key))"}},
	{"create as", []string{"CREATE TABLE copied AS SELECT id, title FROM item WHERE id > 1"}},
	{"add a column", []string{"ALTER TABLE item ADD COLUMN maker text"}},
	{"add a column with a default", []string{"ALTER TABLE item ADD COLUMN maker text NOT NULL DEFAULT 'Acme'"}},
	{"change a type", []string{"ALTER TABLE item ALTER COLUMN price TYPE text USING 'p' || price"}},
	{"drop a column", []string{"ALTER TABLE stands DROP COLUMN since"}},
	{"rename a column", []string{"ALTER TABLE item RENAME COLUMN title TO name"}},
	{"drop a table", []string{"BEGIN", "SET LOCAL ontosql.purge_history = on", "DROP TABLE shelf CASCADE", "COMMIT"}},
	{"comment", []string{"COMMENT ON COLUMN item.title IS 'What it is called.'"}},
	{"definitions and rows", []string{
		"BEGIN", "SET LOCAL ontosql.purge_history = on", "DROP TABLE stands", "CREATE TABLE stands (id text PRIMARY KEY, n bigint)",
		"INSERT INTO stands VALUES ('new', 1)", "ALTER TABLE item DROP COLUMN price, ADD COLUMN seen date DEFAULT '2026-03-04'",
		"INSERT INTO item (id, title) VALUES (4, 'four')", "INSERT INTO shelf VALUES ('low')", "COMMIT",
	}},
}

// breakage is what happens to one request.
type breakage struct {
	name          string
	applied, dead bool
	none          bool // only another writer comes
}

var breakages = []breakage{
	{name: "process dead", dead: true},
	{name: "answer lost", applied: true},
	{name: "question lost"},
	{name: "answer lost and process dead", applied: true, dead: true},
	{name: "no fault", none: true},
}

// TestFaultAtEveryRequest breaks each request of a statement that changes the schema, alone and
// with a commit of the original right before it. Our readers see the rows and the schema from
// before or from after the statement, never a mixture, and agree with the answer that the
// client received; after the next writer the original sees the same.
func TestFaultAtEveryRequest(t *testing.T) {
	for e, engine := range []string{format.EngineV1, format.EngineV2} {
		objects := founded(t, engine)
		for d, def := range definitions {
			t.Run(engine+"/"+def.name, func(t *testing.T) {
				t.Parallel()
				old, err := ours(t.Context(), filled(t, objects))
				if err != nil {
					t.Fatal(err)
				}
				done := filled(t, objects)
				if err := doAll(t.Context(), done, def.do); err != nil {
					t.Fatal(err)
				}
				f := fault{do: def.do, objects: objects, old: old, new: agree(t, done)}
				if cmp.Equal(f.old, f.new) {
					t.Fatal("the statements change nothing")
				}
				f.everyRequest(t, e*len(definitions)+d)
			})
		}
	}
}

// founded is a store with what there is before.
func founded(t *testing.T, engine string) map[string][]byte {
	t.Helper()
	b := mem.New("founded")
	if _, err := writepath.Init(t.Context(), b, writepath.InitOptions{URI: "mem://founded", Engine: engine, Now: time.Now}); err != nil {
		t.Fatal(err)
	}
	if err := doAll(t.Context(), b, before); err != nil {
		t.Fatal(err)
	}
	agree(t, b)
	return objectsOf(t, b)
}

// doAll runs statements in a process of their own.
func doAll(ctx context.Context, b objstore.Bucket, statements []string) error {
	g, err := openGate(ctx, gatewaytest.Options{Bucket: b})
	if err != nil {
		return err
	}
	defer g.Close()
	s, err := g.session(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	return s.do(statements...)
}

func objectsOf(t *testing.T, b objstore.Bucket) map[string][]byte {
	t.Helper()
	objects := map[string][]byte{}
	err := b.List(t.Context(), "", func(o objstore.Object) (err error) {
		objects[o.Key], _, err = b.Get(t.Context(), o.Key)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return objects
}

func filled(t *testing.T, objects map[string][]byte) *mem.Bucket {
	t.Helper()
	b := mem.New("onto")
	for key, body := range objects {
		if _, err := b.Put(t.Context(), key, body); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

// fault is one change of a schema on its way through every fault.
type fault struct {
	do       []string
	objects  map[string][]byte
	old, new seen
}

// stride is the step between broken requests in the bounded run: a request that is skipped in
// one statement is broken in another.
const stride = 29

// everyRequest breaks the requests one after the other, in each way; in the
// bounded form some of them, in one way each.
func (f *fault) everyRequest(t *testing.T, turn int) {
	first, step, cases := 0, 1, 0
	if torture == 0 {
		first, step = turn%stride, stride
	}
	defer func() { t.Logf("%d cases", cases) }()
	for at, more := first, true; more; at, turn = at+step, turn+1 {
		more = false
		for i, broken := range breakages {
			for _, intruder := range []bool{false, true} {
				chosen := i == turn%3 && intruder == (turn%4 == 0)
				if torture == 0 && !chosen || broken.none && !intruder {
					continue
				}
				more = f.run(t, broken, at, intruder) || more
				cases++
				if t.Failed() {
					t.Fatalf("at request %d: %s, intruder %t", at, broken.name, intruder)
				}
			}
		}
	}
}

// run makes the change with one fault and reports whether there were requests
// beyond it.
func (f *fault) run(t *testing.T, broken breakage, at int, intruder bool) (more bool) {
	ctx, disk := t.Context(), filled(t, f.objects)
	came := false
	b := &faulty.Bucket{Bucket: disk, At: at, Applied: broken.applied, Dead: broken.dead}
	if broken.none {
		b.At = -1
	}
	b.Delay = func(ctx context.Context, number int, _, _ string) {
		if !intruder || number != at {
			return
		}
		// Its clock is so far ahead that every lease has expired for it.
		w := &original.Writer{Bucket: disk, Owner: "intruder", Now: func() time.Time { return time.Now().Add(time.Hour) }}
		err := theyCommit(context.WithoutCancel(ctx), w, "intruder")
		if came = err == nil; err != nil && !errors.Is(err, original.ErrHeadMismatch) {
			t.Errorf("the intruder: %v", err)
		}
	}
	err := doAll(ctx, b, f.do)
	got, lookErr := ours(ctx, disk)
	if lookErr != nil {
		t.Fatalf("after %v: our reader: %v", err, lookErr)
	}
	f.judge(t, got, err)
	// The lease of a process that died runs out.
	if err := disk.Delete(ctx, format.LockKey); err != nil && !errors.Is(err, objstore.ErrNotFound) {
		t.Fatal(err)
	}
	if err := nextWriter(ctx, disk, "next"); err != nil {
		t.Errorf("the next writer: %v", err)
	}
	f.judge(t, agree(t, disk), err)
	if err := theyCommit(ctx, &original.Writer{Bucket: disk, Owner: "last", Now: func() time.Time { return time.Now().Add(2 * time.Hour) }}, "last"); err != nil {
		t.Errorf("the original after it: %v", err)
	}
	end := agree(t, disk)
	f.judge(t, end, err)
	want := map[string]bool{"next|||": true, "last|||": true, "intruder|||": came}
	for id, there := range want {
		if _, found := end[other.String()].Rows[id]; found != there {
			t.Errorf("row %s of the other writers is there: %t, want %t", id, found, there)
		}
	}
	return b.Requests() > at
}

// judge compares what readers see with the answer that the client received.
func (f *fault) judge(t *testing.T, got seen, told error) {
	t.Helper()
	rest := func(s seen) seen { // without what the others wrote
		all := seen{}
		for name, typ := range s {
			if name == other.String() {
				typ.Rows = nil
			}
			all[name] = typ
		}
		return all
	}
	isOld, isNew := cmp.Equal(rest(f.old), rest(got)), cmp.Equal(rest(f.new), rest(got))
	switch {
	case told == nil && !isNew:
		t.Errorf("the client was told that it is done, and (-after it +seen):\n%s", cmp.Diff(rest(f.new), rest(got)))
	case stateOf(told) == pgerr.TransactionResolutionUnknown && !isOld && !isNew:
		t.Errorf("neither before it nor after it (-after it +seen):\n%s", cmp.Diff(rest(f.new), rest(got)))
	case told != nil && stateOf(told) != pgerr.TransactionResolutionUnknown && !isOld:
		t.Errorf("the client was told %v, and (-before it +seen):\n%s", told, cmp.Diff(rest(f.old), rest(got)))
	}
	if t.Failed() {
		t.Logf("he was told: %v", told)
	}
}
