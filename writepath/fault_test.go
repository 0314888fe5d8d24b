package writepath_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/eventbus/outbox"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/original"
	"github.com/ontosql/ontosql/maintain/maintaintest"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/faulty"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/writepath"
)

// work is one client's request in the fault loop, and its outcome.
type work struct {
	types []ontosql.TypeRef
	id    string
	first bool // the types are registered just before

	schema func(*migration.State) error // in the same commit; there is an older row of the types

	tags map[string]format.TagChange // in the same commit

	events []string // payloads, in the same commit

	reserves bool // the lock is reserved first, and then the head is looked at

	out writepath.Outcome
	err error
}

func (w *work) do(ctx context.Context, c *writepath.Committer) {
	pin := ontosql.CommitID(1)
	if w.first {
		out, err := c.Register(ctx, time.Time{}, schemas(w.types...))
		if w.err = err; err != nil {
			return
		}
		pin = out.Commit
	}
	if w.schema != nil {
		pin = 2
	}
	tx := put(pin, w.id, 1, w.types...)
	tx.Schema, tx.Tags, tx.Events = w.schema, w.tags, made(w.events...)
	if w.reserves {
		r, err := c.Reserve(ctx, 0)
		if w.err = err; err != nil {
			return
		}
		defer r.Release()
		time.Sleep(15 * time.Second) // it works; the lease is renewed meanwhile
		tx.Reservation = r
	}
	w.out, w.err = c.Commit(ctx, tx)
}

// remake drops the links and the things, makes things that are declared in SQL,
// and says something of the others.
func remake(s *migration.State) error {
	made := schemaOf(thing)
	return errors.Join(
		s.Drop(links, false), s.Drop(thing, true),
		s.Create(&made, format.Extras{Comment: "New things.", Columns: []format.ColumnExtras{{Field: "n", Default: "7"}}}),
		s.Describe(format.Extras{Kind: "entity", Type: "Other", Comment: "What else there is."}),
	)
}

// breakage is the fault of request number At of a run.
type breakage struct {
	name          string
	applied, dead bool
	none          bool // only the intruder comes
}

var breakages = []breakage{
	{name: "question lost"},
	{name: "answer lost", applied: true},
	{name: "process dead", dead: true},
	{name: "answer lost and process dead", applied: true, dead: true},
	{name: "no fault", none: true},
}

// TestFaultAtEveryRequest breaks each request of a commit in turn, alone and with an original
// writer that takes over an expired lock just before and commits. In every case: an
// acknowledged commit exists (I9); another one exists entirely or not at all (I10); one
// reported as failed does not exist; the chain is intact (I2, I3, I4); and the store remains
// usable without intervention.
func TestFaultAtEveryRequest(t *testing.T) {
	cases := []struct {
		name    string
		clients []work
		types   []ontosql.TypeRef // registered beforehand
	}{
		{"single", []work{{types: []ontosql.TypeRef{thing}, id: "a"}}, []ontosql.TypeRef{thing, other}},
		{"group", []work{{types: []ontosql.TypeRef{thing}, id: "a"}, {types: []ontosql.TypeRef{thing}, id: "b"}, {types: []ontosql.TypeRef{other}, id: "c"}}, []ontosql.TypeRef{thing, other}},
		{"many types", []work{{types: []ontosql.TypeRef{thing, other, links}, id: "a"}}, []ontosql.TypeRef{thing, other, links}},
		{"first commit of a type", []work{{types: []ontosql.TypeRef{thing, links}, id: "a", first: true}}, []ontosql.TypeRef{other}},
		{"reserved", []work{{types: []ontosql.TypeRef{thing}, id: "a", reserves: true}, {types: []ontosql.TypeRef{other}, id: "b"}}, []ontosql.TypeRef{thing, other}},
		{"tag and rows", []work{{types: []ontosql.TypeRef{thing}, id: "a", tags: map[string]format.TagChange{"v1": {After: &format.Tag{Commit: 1}}}}, {types: []ontosql.TypeRef{other}, id: "b"}}, []ontosql.TypeRef{thing, other}},
		{"events and rows", []work{{types: []ontosql.TypeRef{thing}, id: "a", events: []string{`{"a":1}`, `{"a":2}`}}, {types: []ontosql.TypeRef{other}, id: "b", events: []string{largeEvent}}}, []ontosql.TypeRef{thing, other}},
		{"schema and rows", []work{{types: []ontosql.TypeRef{thing}, id: "a", schema: remake}}, []ontosql.TypeRef{thing, other, links}},
	}
	for _, tc := range cases {
		for _, broken := range breakages {
			for _, intruder := range []bool{false, true} {
				if broken.none && !intruder {
					continue
				}
				t.Run(fmt.Sprintf("%s/%s/intruder %t", tc.name, broken.name, intruder), func(t *testing.T) {
					t.Parallel()
					for at, more := 0, true; more; at++ {
						synctest.Test(t, func(t *testing.T) {
							f := fault{breakage: broken, at: at, intruder: intruder}
							more = f.run(t, tc.types, tc.clients)
							if t.Failed() {
								t.Fatalf("at request %d", at)
							}
						})
					}
				})
			}
		}
	}
}

type fault struct {
	breakage
	at       int
	intruder bool

	disk    *mem.Bucket
	foreign ontosql.CommitID // the intruder's commit
}

// run performs the work with one fault and reports whether there were further requests.
func (f *fault) run(t *testing.T, types []ontosql.TypeRef, clients []work) (more bool) {
	f.disk = mem.New("x")
	initialise(t, f.disk, format.EngineV1, types...)
	if clients[0].schema != nil {
		before := writepath.Open(writepath.Options{Bucket: f.disk, RuntimeID: "setup"})
		if _, err := before.Commit(t.Context(), put(1, "old", 1, clients[0].types...)); err != nil {
			t.Fatal(err)
		}
		closeIt(t, before)
	}
	b := &faulty.Bucket{Bucket: f.disk, At: f.at, Applied: f.applied, Dead: f.dead}
	if f.none {
		b.At = -1
	}
	b.Delay = func(ctx context.Context, number int, _, _ string) {
		time.Sleep(time.Millisecond)
		if f.intruder && number == f.at {
			f.intrude(t)
		}
	}
	c := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "test"})
	clients = append([]work{}, clients...)
	var wg sync.WaitGroup
	for i := range clients {
		wg.Go(func() { clients[i].do(t.Context(), c) })
	}
	wg.Wait()
	// The clock of the original differs by more than a lease allows, see PROTOCOL.md.
	if got, want := headOf(c), readHead(t, f.disk).CommitID; got != -1 && got != want && !f.intruder {
		t.Errorf("the head is known to be %d, it is %d", got, want)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_ = c.Close(ctx)
	f.check(t, clients)
	f.checkSent(t, false)
	if f.dead { // remains of the dead writer need no repair by hand
		maintaintest.Clean(t, f.disk)
	}
	f.goOn(t, clients)
	return b.Requests() > f.at
}

// intrude commits as the original, with a clock so far ahead that every lease has expired.
func (f *fault) intrude(t *testing.T) {
	id, err := theirs(t.Context(), &original.Writer{Bucket: f.disk, Owner: "intruder", Now: ahead}, other, "intruder")
	if err != nil && !errors.Is(err, original.ErrHeadMismatch) { // we were faster: it has nothing to show
		t.Errorf("the intruder: %v", err)
	}
	f.foreign = id
}

// check compares the outcomes of the clients with the store.
func (f *fault) check(t *testing.T, clients []work) {
	t.Helper()
	chain := commits(t, f.disk)
	if f.foreign > 0 && (int(f.foreign) > len(chain) || chain[f.foreign-1].RuntimeID != "intruder") {
		t.Errorf("the intruder's commit %d is gone", f.foreign)
	}
	for _, w := range clients {
		found := f.find(t, chain, w)
		var unknown *writepath.UnknownOutcomeError
		switch {
		case w.err == nil && (len(found) != 1 || found[0].CommitID != w.out.Commit || attemptOf(found[0]) != w.out.Attempt):
			t.Errorf("client %s was told commit %d, attempt %s, and is in %d commits", w.id, w.out.Commit, w.out.Attempt, len(found))
		case errors.As(w.err, &unknown):
			if len(found) > 1 || len(found) == 1 && attemptOf(found[0]) != unknown.Attempt {
				t.Errorf("client %s was told %v and is in %d commits", w.id, w.err, len(found))
			}
			if !f.dead {
				t.Errorf("client %s was told %v although the store can be asked", w.id, w.err)
			}
		case w.err != nil && len(found) > 0:
			t.Errorf("client %s was told %v and is in commit %d", w.id, w.err, found[0].CommitID)
		}
	}
}

// find returns the commits with the rows of a client; each must have all of them.
func (f *fault) find(t *testing.T, chain []*format.Manifest, w work) (found []*format.Manifest) {
	t.Helper()
	for _, m := range chain {
		n := 0
		for i := range m.Files {
			for _, r := range rowsOf(t, f.disk, &m.Files[i], m.CommitID) {
				if r.Key == w.id || r.Left == w.id {
					n++
				}
			}
		}
		if n == 0 {
			continue
		}
		if n != len(w.types) {
			t.Errorf("commit %d has %d of the %d rows of client %s", m.CommitID, n, len(w.types), w.id)
		}
		if tags, err := m.Tags(""); err != nil || (len(w.tags) == 1) != (tags["v1"].Commit == 1) {
			t.Errorf("commit %d of client %s has the tags %v, %v", m.CommitID, w.id, tags, err)
		}
		if events, err := outbox.Events(t.Context(), f.disk, "", m); err != nil || len(events) != len(w.events) {
			t.Errorf("commit %d of client %s has %d events, %v, want %d", m.CommitID, w.id, len(events), err, len(w.events))
		}
		found = append(found, m)
	}
	return found
}

// checkSent compares the events on the bus with those of the commits: each is there once, unless it
// may still be sent (all is false), and there are no others.
func (f *fault) checkSent(t *testing.T, all bool) {
	t.Helper()
	want := map[string]bool{}
	for _, m := range commits(t, f.disk) {
		events, err := outbox.Events(t.Context(), f.disk, "", m)
		if err != nil {
			t.Error(err)
		}
		for i := range events {
			want[events[i].Key()] = true
		}
	}
	for _, key := range keysBelow(t, f.disk, format.EventsPrefix) {
		if !want[key] {
			t.Errorf("event %s was sent, and no commit has it", key)
		}
		delete(want, key)
	}
	if all && len(want) > 0 {
		t.Errorf("events of commits that were not sent: %v", want)
	}
}

// goOn commits with another process and then with the original, waiting no longer than an
// expired lease requires.
func (f *fault) goOn(t *testing.T, clients []work) {
	t.Helper()
	time.Sleep(time.Hour + time.Minute) // the intruder's clock was ahead
	before := readHead(t, f.disk).CommitID
	c := writepath.Open(writepath.Options{Bucket: f.disk, RuntimeID: "next"})
	if out, err := c.Commit(t.Context(), put(before, "next", 1, other)); err != nil || out.Commit != before+1 {
		t.Errorf("the next writer: %+v, %v, want commit %d", out, err, before+1)
	}
	if err := c.Close(t.Context()); err != nil {
		t.Errorf("the next writer: close: %v", err)
	}
	f.check(t, clients)
	f.checkSent(t, true)
	types := registered(t, f.disk) // if a change landed, all of it is projected now
	checkProjected(t, f.disk, types...)
	checkDeclared(t, f.disk)
	for _, ref := range types {
		body, _, err := f.disk.Get(t.Context(), format.IndexKey(ref))
		if err != nil {
			t.Errorf("index of %s after the next writer: %v", ref, err)
			continue
		}
		if x, err := format.DecodeIndex("", body); err != nil || x.MaxIndexedCommit != before+1 {
			t.Errorf("index of %s after the next writer is at %d (%v), want %d", ref, x.MaxIndexedCommit, err, before+1)
		}
	}
	theyCommit(t, f.disk, other, "last")
	verify(t, f.disk)
}

// registered returns the types after the last schema change under the head.
func registered(t *testing.T, b objstore.Bucket) (refs []ontosql.TypeRef) {
	t.Helper()
	for _, m := range commits(t, b) {
		change, err := m.SchemaChange("")
		if err != nil {
			t.Fatal(err)
		}
		if change == nil {
			continue
		}
		refs = nil
		for _, s := range change.Types {
			kind, _ := ontosql.ParseKind(s.Kind)
			refs = append(refs, ontosql.TypeRef{Kind: kind, Name: s.Type})
		}
	}
	return refs
}
