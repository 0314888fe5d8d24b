package writepath_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore/faulty"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/writepath"
)

// trip is how long every request takes in the op log, so that the clock counts
// round trips: requests with the same number are under way at the same time.
const trip = 10 * time.Millisecond

// TestOpLog writes down every request of commits, with the round trip it
// belongs to:
//
//	store engine=v1|v2 types=(Thing,Other,Links)   a fresh store
//	fill types=(...)                               three hundred commits by another process
//	commit types=(...) ids=(...) [pin=n]           transactions at once, and what they cost
//	create types=(...)                             a schema change: types that are new
//	migrate types=(...)                            a schema change: their second version
//	drop types=(...)                               a schema change: they are gone
//	register types=(Thing)                         the original registers a type, without a commit
//	pin [fresh]                                    what a reader of this process pins, and by which requests
//	rest for=duration                              let time pass, and tell what happened in it
//	foreign types=(Thing) id=x                     a commit of the original
//	close
func TestOpLog(t *testing.T) {
	datadriven.Walk(t, "testdata/oplog", func(t *testing.T, path string) {
		synctest.Test(t, func(t *testing.T) {
			w := &world{}
			defer func() { // after a difference too
				if w.c != nil {
					closeIt(t, w.c)
				}
				w.store.Close()
				verify(t, w.disk)
			}()
			datadriven.RunTest(t, path, w.do)
		})
	})
}

type world struct {
	disk  *mem.Bucket
	c     *writepath.Committer
	store *resolver.Store

	mu    sync.Mutex
	began time.Time
	log   []string
}

func (w *world) do(t *testing.T, d *datadriven.TestData) string {
	var names, ids []string
	for _, arg := range d.CmdArgs {
		switch arg.Key {
		case "types":
			names = arg.Vals
		case "ids":
			ids = arg.Vals
		}
	}
	var refs []ontosql.TypeRef
	for _, name := range names {
		ref := ontosql.TypeRef{Kind: ontosql.Entity, Name: name}
		if name == links.Name {
			ref.Kind = ontosql.Relation
		}
		refs = append(refs, ref)
	}
	w.mark()
	switch d.Cmd {
	case "store":
		engine := format.EngineV1
		d.MaybeScanArgs(t, "engine", &engine)
		w.disk = mem.New("x")
		initialise(t, w.disk, engine, refs...)
		b := &faulty.Bucket{Bucket: w.disk, At: -1, Delay: w.delay}
		log, err := chain.Open("", chain.Options{Bucket: b})
		if err != nil {
			t.Fatal(err)
		}
		w.c = writepath.Open(writepath.Options{RuntimeID: "test", Bucket: b, Log: log})
		w.store = resolver.Open(resolver.Options{Bucket: b, Log: log, OwnHead: w.c.Head})
		w.mark()
		return ""
	case "commit":
		pin := int64(readHead(t, w.disk).CommitID)
		d.MaybeScanArgs(t, "pin", &pin)
		return w.commit(t, ontosql.CommitID(pin), ids, refs)
	case "create":
		return w.change(t, func(s *migration.State) error {
			for _, schema := range schemas(refs...) {
				if err := s.Create(&schema, format.Extras{}); err != nil {
					return err
				}
			}
			return nil
		})
	case "migrate":
		return w.change(t, migrate(refs...).Schema)
	case "drop":
		return w.change(t, func(s *migration.State) error {
			for _, ref := range refs {
				if err := s.Drop(ref, true); err != nil {
					return err
				}
			}
			return nil
		})
	case "register":
		theyRegister(t, w.disk, refs[0], time.Now())
		return ""
	case "pin":
		pin := w.store.Pin
		if d.HasArg("fresh") {
			pin = w.store.PinFresh
		}
		p, err := pin(t.Context())
		if err != nil {
			return err.Error()
		}
		answer := fmt.Sprintf("commit %d, %d round trips", p.Head.Commit, w.trips())
		synctest.Wait()
		return w.told(answer + "\n")
	case "fill":
		w.fill(t, refs)
		return ""
	case "rest":
		var text string
		d.ScanArgs(t, "for", &text)
		pause, err := time.ParseDuration(text)
		if err != nil {
			d.Fatalf(t, "%v", err)
		}
		time.Sleep(pause)
		synctest.Wait()
		return w.told("")
	case "foreign":
		var id string
		d.ScanArgs(t, "id", &id)
		return fmt.Sprintf("commit %d", theyCommit(t, w.disk, refs[0], id))
	case "close":
		closeIt(t, w.c)
		w.c = nil
		return w.told("")
	}
	d.Fatalf(t, "unknown command")
	return ""
}

// fill makes a history that our committer knows nothing of.
func (w *world) fill(t *testing.T, refs []ontosql.TypeRef) {
	c := writepath.Open(writepath.Options{Bucket: w.disk, RuntimeID: "filler"})
	defer closeIt(t, c)
	for n := range 300 {
		if _, err := c.Commit(t.Context(), put(readHead(t, w.disk).CommitID, "a", n, refs...)); err != nil {
			t.Fatalf("fill: %v", err)
		}
	}
}

// commit runs one transaction for each id. It does not wait for requests after the answer.
func (w *world) commit(t *testing.T, pin ontosql.CommitID, ids []string, refs []ontosql.TypeRef) string {
	answers := make([]string, len(ids))
	var wg sync.WaitGroup
	for i, id := range ids {
		wg.Go(func() {
			if i > 0 {
				time.Sleep(time.Millisecond) // the first is alone for a moment
			}
			_, err := w.c.Commit(t.Context(), put(pin, id, 1, refs...))
			answers[i] = fmt.Sprintf("%s: committed, %d round trips", id, w.trips())
			if err != nil {
				answers[i] = fmt.Sprintf("%s: %v, %d round trips", id, err, w.trips())
			}
		})
	}
	wg.Wait()
	synctest.Wait() // requests that follow at once are sent before the answer
	return w.told(strings.Join(answers, "\n") + "\n")
}

// change commits a schema change and says what it cost.
func (w *world) change(t *testing.T, schema func(*migration.State) error) string {
	out, err := w.c.Commit(t.Context(), writepath.Tx{Pin: readHead(t, w.disk).CommitID, Schema: schema})
	answer := fmt.Sprintf("commit %d, %d round trips", out.Commit, w.trips())
	if err != nil {
		answer = fmt.Sprintf("%v, %d round trips", err, w.trips())
	}
	synctest.Wait()
	return w.told(answer + "\n")
}

func (w *world) mark() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.began, w.log = time.Now(), nil
}

func (w *world) trips() int { return int(time.Since(w.began) / trip) }

func (w *world) delay(ctx context.Context, _ int, op, key string) {
	w.mu.Lock()
	w.log = append(w.log, fmt.Sprintf("%2d  %s %s", w.trips()+1, op, attemptName.ReplaceAllString(key, "$1-*/")))
	w.mu.Unlock()
	time.Sleep(trip)
}

var attemptName = regexp.MustCompile(`(commits/\d+)-[0-9a-f]{8}/`)

// told is what was asked for since the last mark.
func (w *world) told(answers string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	slices.Sort(w.log)
	return answers + strings.Join(w.log, "\n")
}
