package publish_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/internal/testenv"
	"github.com/ontosql/ontosql/nameservice"
	"github.com/ontosql/ontosql/nameservice/memory"
	"github.com/ontosql/ontosql/nameservice/publish"
	"github.com/ontosql/ontosql/objstore"
)

var shop = nameservice.Alias{Name: "shop", Branch: "main"}

// manifest is the path of a commit of the history that the tests publish.
func manifest(id ontosql.CommitID) string { return fmt.Sprintf("commits/%d/manifest.json", id) }

func headOf(id ontosql.CommitID) ontosql.Head {
	return ontosql.Head{Commit: id, ManifestPath: manifest(id)}
}

func headPayload(id ontosql.CommitID) string {
	return fmt.Sprintf(`{"address":"s3://b/shop/%s","t":%d}`, manifest(id), id)
}

// world is a name service with the record of an ontology, as a Publisher sees them. It runs in a
// bubble, so that time passes only while everybody waits.
type world struct {
	t       *testing.T
	records memory.Service
	service *watched
	log     journal
	*publish.Publisher
}

// journal is what a Publisher logs.
type journal struct{ testenv.Output }

func (j *journal) count(text string) int { return strings.Count(j.String(), text) }

// watched is a name service that counts what is pushed, and that breaks when it is told to.
type watched struct {
	nameservice.Service

	mu     sync.Mutex
	pushed [len(nameservice.Concerns)][]time.Time
	calls  int
	// broken decides what becomes of a call, by its number.
	broken func(call int) fault
}

// fault is what becomes of a call.
type fault int

const (
	works   fault = iota
	lost          // the service is not reached
	applied       // the answer is lost
	refused       // the service answers with an error
	hangs         // there is no answer until the caller gives up
)

var errAway = errors.New("away")

// call makes a call.
func (w *watched) call(ctx context.Context, do func() error) error {
	w.mu.Lock()
	at := w.calls
	w.calls++
	f := works
	if w.broken != nil {
		f = w.broken(at)
	}
	w.mu.Unlock()
	switch f {
	case lost:
		return fmt.Errorf("%w: %w", objstore.ErrUnreachable, errAway)
	case refused:
		return errAway
	case hangs:
		<-ctx.Done()
		return objstore.ContextError(ctx)
	}
	err := do()
	if f == applied {
		return fmt.Errorf("%w: %w", ontosql.ErrOutcomeUnknown, errAway)
	}
	return err
}

func (w *watched) breakBy(broken func(call int) fault) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.broken = broken
}

func (w *watched) Get(ctx context.Context, a nameservice.Alias) (r *nameservice.Record, err error) {
	if err := w.call(ctx, func() error { r, err = w.Service.Get(ctx, a); return err }); err != nil {
		return nil, err
	}
	return r, nil
}

func (w *watched) Write(ctx context.Context, a nameservice.Alias, e nameservice.Edit) (result nameservice.Result, err error) {
	if err := w.call(ctx, func() error { result, err = w.Service.Write(ctx, a, e); return err }); err != nil {
		return nameservice.Result{}, err
	}
	if result.Updated {
		w.mu.Lock()
		w.pushed[e.Concern] = append(w.pushed[e.Concern], time.Now())
		w.mu.Unlock()
	}
	return result, nil
}

// pushes returns when a concern was pushed.
func (w *watched) pushes(c nameservice.Concern) []time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]time.Time(nil), w.pushed[c]...)
}

// newWorld has a record of the ontology, without a Publisher.
func newWorld(t *testing.T) *world {
	w := &world{t: t}
	w.service = &watched{Service: &w.records}
	if _, err := w.records.Create(t.Context(), nameservice.New{Alias: shop, CreatedAt: time.Now()}); err != nil {
		t.Fatal(err)
	}
	return w
}

// open starts a Publisher whose ontology has 10,000 commits.
func (w *world) open() {
	w.Publisher = publish.New(publish.Options{
		Service: w.service, Alias: shop, StorageURI: "s3://b/shop",
		Manifest: func(_ context.Context, id ontosql.CommitID) (string, error) {
			if id > 10_000 {
				return "", nil
			}
			return manifest(id), nil
		},
		Logger: slog.New(slog.NewTextHandler(&w.log, nil)),
	})
}

func (w *world) close() {
	w.t.Helper()
	if err := w.Close(w.t.Context()); err != nil {
		w.t.Error("close:", err)
	}
}

func (w *world) commit(id ontosql.CommitID) {
	w.Committed(publish.Commit{ID: id, Manifest: manifest(id), Took: 12 * time.Millisecond})
}

// write replaces a concern as another process does.
func (w *world) write(c nameservice.Concern, v int64, payload string) {
	w.t.Helper()
	result, err := w.records.Write(w.t.Context(), shop, nameservice.NewFastForward(c, nameservice.Value{V: v, Payload: json.RawMessage(payload)}))
	if err != nil || !result.Updated {
		w.t.Fatalf("write %s %d: %+v, %v", c, v, result, err)
	}
}

// want compares a concern of the record.
func (w *world) want(c nameservice.Concern, v int64, payload string) {
	w.t.Helper()
	r, err := w.records.Get(w.t.Context(), shop)
	if err != nil {
		w.t.Fatal(err)
	}
	got, want := r.Value(c), nameservice.Value{V: v, Payload: json.RawMessage(payload)}
	if !got.Equal(want) {
		w.t.Errorf("%s is %d %s, want %d %s", c, got.V, got.Payload, want.V, want.Payload)
	}
}

// settle lets time pass.
func settle(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// tell runs a story with a new world and a Publisher.
func tell(t *testing.T, name string, story func(w *world)) {
	t.Run(name, func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			w.open()
			story(w)
		})
	})
}

func TestHead(t *testing.T) {
	tell(t, "the first commit of a quiet time is pushed at once", func(w *world) {
		defer w.close()
		began := time.Now()
		w.commit(1)
		synctest.Wait()
		w.want(nameservice.Head, 1, headPayload(1))
		settle(time.Hour)
		w.commit(2)
		synctest.Wait()
		w.want(nameservice.Head, 2, headPayload(2))
		if passed := time.Since(began); passed != time.Hour {
			w.t.Errorf("the pushes took %s", passed-time.Hour)
		}
	})
	tell(t, "a thousand commits in ten seconds are eleven pushes", func(w *world) {
		began := time.Now()
		for id := range ontosql.CommitID(1000) {
			w.commit(id + 1)
			settle(10 * time.Millisecond)
		}
		settle(time.Second)
		w.want(nameservice.Head, 1000, headPayload(1000))
		w.close()
		pushes := w.service.pushes(nameservice.Head)
		if len(pushes) != 11 {
			w.t.Errorf("%d pushes, want 11", len(pushes))
		}
		for i, at := range pushes {
			if passed := at.Sub(began); passed != time.Duration(i)*time.Second {
				w.t.Errorf("push %d was made after %s", i, passed)
			}
		}
	})
	tell(t, "close pushes the last one", func(w *world) {
		w.commit(1)
		synctest.Wait()
		w.commit(2)
		synctest.Wait()
		w.want(nameservice.Head, 1, headPayload(1)) // a second has not passed
		w.close()
		w.want(nameservice.Head, 2, headPayload(2))
	})
	tell(t, "two writers push in turn", func(w *world) {
		defer w.close()
		w.commit(1)
		synctest.Wait()
		w.write(nameservice.Head, 2, headPayload(2))
		settle(time.Minute)
		w.commit(3)
		synctest.Wait()
		w.want(nameservice.Head, 3, headPayload(3))
		w.write(nameservice.Head, 5, headPayload(5))
		w.commit(4)
		settle(time.Minute)
		w.want(nameservice.Head, 5, headPayload(5)) // the other one was faster
		w.commit(6)
		synctest.Wait()
		w.want(nameservice.Head, 6, headPayload(6))
		if logged := w.log.String(); logged != "" {
			w.t.Errorf("logged: %s", logged)
		}
	})
	tell(t, "a record that is made later", func(w *world) {
		w.records = memory.Service{}
		w.commit(1)
		settle(5 * time.Second)
		if _, err := w.records.Create(w.t.Context(), nameservice.New{Alias: shop}); err != nil {
			w.t.Fatal(err)
		}
		settle(time.Minute)
		w.want(nameservice.Head, 1, headPayload(1))
		w.close()
	})
}

// TestDivergence: a head of another history is left, and told once.
func TestDivergence(t *testing.T) {
	for name, foreign := range map[string]nameservice.Value{
		"the same commit at another address": {V: 7, Payload: json.RawMessage(`{"address":"s3://b/shop/commits/other/manifest.json","t":7}`)},
		"an earlier one":                     {V: 3, Payload: json.RawMessage(`{"address":"s3://elsewhere/shop/commits/3/manifest.json","t":3}`)},
		"a later one":                        {V: 20_000, Payload: json.RawMessage(`{"address":"s3://elsewhere/shop/commits/20000/manifest.json","t":20000}`)},
		"one without a payload":              {V: 7},
	} {
		tell(t, name, func(w *world) {
			w.write(nameservice.Head, foreign.V, string(foreign.Payload))
			for id := range ontosql.CommitID(5) {
				w.commit(7 + id)
				settle(time.Minute)
			}
			w.want(nameservice.Head, foreign.V, string(foreign.Payload))
			if n := w.log.count("have diverged"); n != 1 {
				w.t.Errorf("told %d times, want once: %s", n, w.log.String())
			}
			if foreign.V < 12 { // somebody decides
				w.write(nameservice.Head, 11, headPayload(11))
				w.commit(12)
				settle(time.Minute)
				w.want(nameservice.Head, 12, headPayload(12))
			}
			w.close()
		})
	}
}

// TestAway: while the name service is away commits go on. When it is back, the newest head is there
// within the longest delay, without another commit.
func TestAway(t *testing.T) {
	tell(t, "away for an hour", func(w *world) {
		w.service.breakBy(func(int) fault { return lost })
		for id := range ontosql.CommitID(60) {
			w.commit(id + 1)
			w.Indexed(id + 1)
			settle(time.Minute)
		}
		w.want(nameservice.Head, 0, "null")
		w.service.breakBy(nil)
		settle(30 * time.Second)
		w.want(nameservice.Head, 60, headPayload(60))
		w.want(nameservice.Index, 1, `{"default":{"address":"s3://b/shop/meta/indices/","t":60,"rev":0}}`)
		if n := w.log.count("not pushed to the name service"); n != 3 { // one for each concern
			w.t.Errorf("%d warnings, want 3: %s", n, w.log.String())
		}
		if n := w.log.count("pushed to the name service again"); n != 3 {
			w.t.Errorf("%d messages that it is back, want 3: %s", n, w.log.String())
		}
		w.close()
	})
	tell(t, "close does not wait for it", func(w *world) {
		w.service.breakBy(func(int) fault { return hangs })
		w.commit(1)
		settle(time.Second)
		began := time.Now()
		err := w.Close(w.t.Context())
		if passed := time.Since(began); err == nil || passed > 5*time.Second {
			w.t.Errorf("close: %v after %s, want an error after 5s at most", err, passed)
		}
	})
}

// TestHeal: the writer of commit 9 died before its push. Another gateway sees that the record is
// behind, and pushes it when the writer has had time to.
func TestHeal(t *testing.T) {
	tell(t, "the writer has died", func(w *world) {
		w.write(nameservice.Head, 8, headPayload(8))
		for range 3 { // it looks every second
			w.Heal(headOf(9))
			settle(time.Second)
		}
		w.want(nameservice.Head, 9, headPayload(9))
		w.Heal(headOf(5)) // an old one
		w.close()
		w.want(nameservice.Head, 9, headPayload(9))
	})
	tell(t, "the writer is slow", func(w *world) {
		w.write(nameservice.Head, 8, headPayload(8))
		w.Heal(headOf(9))
		settle(2 * time.Second)
		w.write(nameservice.Head, 9, headPayload(9))
		settle(time.Minute)
		if n := len(w.service.pushes(nameservice.Head)); n != 0 {
			w.t.Errorf("%d pushes, want none", n)
		}
		w.close()
	})
	tell(t, "an own commit does not wait", func(w *world) {
		w.Heal(headOf(9))
		w.commit(10)
		synctest.Wait()
		w.want(nameservice.Head, 10, headPayload(10))
		w.close()
	})
}

func TestIndex(t *testing.T) {
	tell(t, "commits and rebuilds", func(w *world) {
		w.Rebuilt() // nobody knows how far
		settle(time.Minute)
		w.want(nameservice.Index, 0, "null")
		w.Indexed(4)
		settle(time.Minute)
		w.want(nameservice.Index, 1, `{"default":{"address":"s3://b/shop/meta/indices/","t":4,"rev":0}}`)
		w.Indexed(4)
		settle(time.Minute)
		w.Rebuilt()
		w.Rebuilt()
		settle(time.Minute)
		w.Rebuilt()
		settle(time.Minute)
		w.want(nameservice.Index, 3, `{"default":{"address":"s3://b/shop/meta/indices/","t":4,"rev":3}}`)
		w.Indexed(5)
		w.close()
		w.want(nameservice.Index, 4, `{"default":{"address":"s3://b/shop/meta/indices/","t":5,"rev":0}}`)
	})
	tell(t, "graphs and members of others stay", func(w *world) {
		w.write(nameservice.Index, 3, `{"audit":null,"default":{"address":"old","t":6,"rev":1,"by":"x"},"text":{"t":2}}`)
		w.Indexed(5) // another gateway was faster
		settle(time.Minute)
		w.want(nameservice.Index, 3, `{"audit":null,"default":{"address":"old","t":6,"rev":1,"by":"x"},"text":{"t":2}}`)
		w.Indexed(7)
		w.close()
		w.want(nameservice.Index, 4, `{"audit":null,"default":{"address":"s3://b/shop/meta/indices/","t":7,"rev":0,"by":"x"},"text":{"t":2}}`)
	})
}

func TestStatus(t *testing.T) {
	commit := func(w *world, id ontosql.CommitID, took time.Duration, queued int) {
		w.Committed(publish.Commit{ID: id, Manifest: manifest(id), Took: took, Queued: queued})
	}
	tell(t, "every ten seconds, if it has changed", func(w *world) {
		for id := range ontosql.CommitID(100) { // for 50 s
			commit(w, id+1, time.Duration(id)*time.Millisecond, int(id))
			settle(500 * time.Millisecond)
		}
		if n := len(w.service.pushes(nameservice.Status)); n != 6 { // the first one at once
			w.t.Errorf("%d pushes in 50 s, want 6", n)
		}
		settle(time.Minute)
		w.want(nameservice.Status, 7, `{"state":"ready","queue_depth":99,"last_commit_ms":99}`)
		commit(w, 101, 99*time.Millisecond, 99)
		w.close()
		w.want(nameservice.Status, 7, `{"state":"ready","queue_depth":99,"last_commit_ms":99}`)
	})
	tell(t, "members of others stay", func(w *world) {
		w.write(nameservice.Status, 2, `{"state":"indexing","index_lock":{"holder":"i"},"progress":0.5,"note":"x"}`)
		commit(w, 1, time.Second, 2)
		w.close()
		w.want(nameservice.Status, 3, `{"state":"indexing","index_lock":{"holder":"i"},"progress":0.5,"note":"x","queue_depth":2,"last_commit_ms":1000}`)
	})
	tell(t, "a retracted record is left alone", func(w *world) {
		if err := nameservice.Retract(w.t.Context(), &w.records, shop, "moved", time.Unix(9, 0)); err != nil {
			w.t.Fatal(err)
		}
		commit(w, 1, time.Second, 2)
		w.Indexed(1)
		w.close()
		w.want(nameservice.Status, 2, `{"state":"retracted","retracted_at":9,"reason":"moved"}`)
		w.want(nameservice.Index, 0, "null")
	})
}

// TestFaults breaks every call of a story once, in each way. The record is complete in the end.
func TestFaults(t *testing.T) {
	for name, f := range map[string]fault{"not reached": lost, "answer lost": applied, "refused": refused, "no answer": hangs} {
		t.Run(name, func(t *testing.T) {
			broke := true
			for at := 0; broke; at++ {
				synctest.Test(t, func(t *testing.T) {
					w := newWorld(t)
					w.write(nameservice.Head, 1, headPayload(1))
					w.open()
					broke = false
					w.service.breakBy(func(call int) fault {
						if call == at {
							broke = true
							return f
						}
						return works
					})
					w.commit(2)
					w.Indexed(2)
					settle(time.Minute)
					w.commit(3)
					w.Indexed(3)
					settle(time.Minute)
					w.close()
					if t.Failed() {
						t.Fatalf("with call %d broken", at)
					}
					w.want(nameservice.Head, 3, headPayload(3))
					w.want(nameservice.Index, 2, `{"default":{"address":"s3://b/shop/meta/indices/","t":3,"rev":0}}`)
					w.want(nameservice.Status, 2, `{"state":"ready","queue_depth":0,"last_commit_ms":12}`)
				})
			}
		})
	}
}
