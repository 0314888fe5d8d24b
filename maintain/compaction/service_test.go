package compaction_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/maintain/compaction"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/faulty"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/writepath"
)

// looked is longer than the time between two looks of the automatic compaction.
const looked = 11 * time.Second

// journal is what a Service logs.
type journal struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.buf.Write(p)
}

// take returns what was logged since the last call.
func (j *journal) take() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	defer j.buf.Reset()
	return j.buf.String()
}

// automatic starts the automatic compaction of a gateway.
func automatic(t *testing.T, b objstore.Bucket) *journal {
	t.Helper()
	j := &journal{}
	store := open(t, b)
	store.Logger = slog.New(slog.NewTextHandler(j, nil))
	s := compaction.NewService(store)
	s.Start()
	t.Cleanup(s.Close)
	return j
}

// TestAutomatic: types with sixteen new files are merged by tiers, others are left alone, and no
// answer changes.
func TestAutomatic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, format.EngineV1)
		j := automatic(t, w.Bucket)
		for range 15 {
			w.put(1, thing, links)
		}
		time.Sleep(looked)
		if n := len(w.paths(thing)); n != 15 {
			t.Errorf("fifteen files: the index has %d entries", n)
		}
		w.put(1, thing)
		before := w.answers()
		time.Sleep(looked)
		if got, want := w.paths(thing), format.SnapshotKey(thing, 2, 17); len(got) != 1 || got[0] != want {
			t.Errorf("sixteen files: the index has %s, want %s", got, want)
		}
		if n := len(w.paths(links)); n != 15 {
			t.Errorf("fifteen files of another type: the index has %d entries", n)
		}
		if text := j.take(); !strings.Contains(text, "type compacted") || !strings.Contains(text, "files=16") {
			t.Errorf("it logged %q", text)
		}
		w.same(before, "compacted")
		w.sound()
		for range 100 {
			w.put(2, thing)
			time.Sleep(3 * time.Second)
		}
		before = w.answers()
		time.Sleep(looked)
		if n := len(w.paths(thing)); n > 40 {
			t.Errorf("after 116 commits the index has %d entries", n)
		}
		w.same(before, "compacted again and again")
		w.sound()
	})
}

// TestAutomaticUnder: while another maintainer does the work, nothing is compacted and that is no
// failure. Then the work is done under what keeps others away, and the replaced index is told of.
func TestAutomaticUnder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, format.EngineV1)
		for range 16 {
			w.put(1, thing)
		}
		var held atomic.Bool
		held.Store(true)
		var heads []ontosql.CommitID // of the goroutine that compacts
		var told int
		j := &journal{}
		store := open(t, w.Bucket)
		store.Logger = slog.New(slog.NewTextHandler(j, nil))
		store.Under = func(ctx context.Context, head ontosql.CommitID, work func(context.Context) error) error {
			if held.Load() {
				return &writepath.LeaseHeldError{Owner: "other", Until: time.Now().Add(time.Minute)}
			}
			heads = append(heads, head)
			return work(ctx)
		}
		store.OnIndex = func() { told++ }
		s := compaction.NewService(store)
		s.Start()
		time.Sleep(3 * looked)
		if n := len(w.paths(thing)); n != 16 {
			t.Errorf("while another one compacts: the index has %d entries", n)
		}
		held.Store(false)
		time.Sleep(looked)
		s.Close()
		if n := len(w.paths(thing)); n != 1 {
			t.Errorf("the index has %d entries, want a snapshot", n)
		}
		if len(heads) != 1 || heads[0] != 17 || told != 1 {
			t.Errorf("worked up to %v, told of %d indexes; want commit 17 and one", heads, told)
		}
		if text := j.take(); strings.Contains(text, "level=WARN") {
			t.Errorf("it logged %q", text)
		}
	})
}

// TestAutomaticOfOneGateway: of three gateways one compacts at a time, and when it dies another
// one goes on.
func TestAutomaticOfOneGateway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, format.EngineV2)
		for range 40 {
			w.put(2, thing, links)
		}
		before := w.answers()
		var uploads atomic.Int64
		counted := &faulty.Bucket{Bucket: w.Bucket, At: -1, Delay: func(_ context.Context, _ int, op, _ string) {
			if op == objstore.OpUpload {
				uploads.Add(1)
				time.Sleep(5 * time.Second)
			}
		}}
		now := time.Now()
		dead := &format.Lock{OwnerID: "dead", AcquiredAt: format.TimeOf(now), ExpiresAt: format.TimeOf(now.Add(25 * time.Second)), LeaseTTLms: 30000}
		w.replace(format.CompactionLockKey, format.EncodeLock(dead))
		for range 3 {
			automatic(t, counted)
		}
		time.Sleep(2 * looked)
		if uploads.Load() > 0 {
			t.Error("a lock that has not expired was taken over")
		}
		time.Sleep(10 * looked)
		if n := uploads.Load(); n != 2 { // of 32 files of each type; the other eight are left alone
			t.Errorf("%d snapshots were written, want 2", n)
		}
		w.same(before, "compacted")
		w.sound()
	})
}

// TestAutomaticAfterErrors: a type that cannot be compacted does not keep others from it, is named
// in the log, and is tried again after a minute, two, four and so on. A store that refuses writes
// is asked less and less often.
func TestAutomaticAfterErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, format.EngineV1)
		for range 20 {
			w.put(1, other, thing)
		}
		damaged := w.paths(other)[7]
		whole, _, _ := w.Get(t.Context(), damaged)
		w.replace(damaged, []byte("PAR1"))
		j := automatic(t, w.Bucket)
		time.Sleep(looked)
		if n := len(w.paths(thing)); n > 5 {
			t.Errorf("the sound type has %d files", n)
		}
		if text := j.take(); !strings.Contains(text, damaged) || !strings.Contains(text, "retry_in=1m0s") {
			t.Errorf("it logged %q", text)
		}
		time.Sleep(8 * time.Minute)
		if n := strings.Count(j.take(), damaged); n != 3 {
			t.Errorf("in eight minutes it was tried %d more times, want 3", n)
		}
		w.replace(damaged, whole)
		time.Sleep(8 * time.Minute)
		if n := len(w.paths(other)); n > 5 {
			t.Errorf("the repaired type has %d files", n)
		}
		w.sound()
	})
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, format.EngineV1)
		for range 20 {
			w.put(1, other, thing)
		}
		before := w.objects()
		for _, why := range []error{objstore.ErrDenied, objstore.ErrFull} {
			j := automatic(t, refusing{w.Bucket, why})
			time.Sleep(time.Hour)
			if n := strings.Count(j.take(), "level=WARN"); n < 5 || n > 7 {
				t.Errorf("%v: %d warnings in an hour, want about 6", why, n)
			}
		}
		if after := w.objects(); len(after) != len(before) {
			t.Error("the store has changed")
		}
	})
}

// TestAutomaticStops: Close ends a compaction that goes on, at once and without a trace in the
// store but the snapshot that no index names.
func TestAutomaticStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, format.EngineV1)
		for range 20 {
			w.put(1, thing)
		}
		before, paths := w.answers(), len(w.paths(thing))
		uploading := make(chan struct{})
		b := &faulty.Bucket{Bucket: w.Bucket, At: -1, Delay: func(ctx context.Context, _ int, op, _ string) {
			if op == objstore.OpUpload {
				close(uploading)
				<-ctx.Done()
			}
		}}
		s := compaction.NewService(open(t, b))
		s.Start()
		<-uploading
		if now := s.Automatic(); now == nil || now.Type != thing || now.Phase != compaction.Merging || now.Done == 0 || now.Done != now.Total {
			t.Errorf("what goes on is %+v", now)
		}
		began := time.Now()
		s.Close()
		if took := time.Since(began); took > time.Second {
			t.Errorf("it took %v to stop", took)
		}
		if s.Automatic() != nil {
			t.Error("something still goes on")
		}
		if n := len(w.paths(thing)); n != paths {
			t.Errorf("the index has %d entries, had %d", n, paths)
		}
		w.same(before, "stopped")
		w.sound()
	})
}

// TestServiceTakesTurns: a client's compaction waits for the automatic one, unless it is cancelled.
func TestServiceTakesTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, format.EngineV1)
		for range 20 {
			w.put(1, thing)
		}
		uploading, goOn := make(chan struct{}), make(chan struct{})
		var once sync.Once
		b := &faulty.Bucket{Bucket: w.Bucket, At: -1, Delay: func(_ context.Context, _ int, op, _ string) {
			if op == objstore.OpUpload {
				once.Do(func() { close(uploading); <-goOn })
			}
		}}
		s := compaction.NewService(open(t, b))
		s.Start()
		defer s.Close()
		<-uploading
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := s.Compact(ctx, compaction.Options{Apply: true}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("beside the automatic one: %v", err)
		}
		close(goOn)
		if done, err := s.Compact(t.Context(), compaction.Options{Apply: true}); err != nil || len(done.Planned) != 1 || done.Planned[0].Bytes == 0 {
			t.Errorf("after it: %+v, %v", done, err)
		}
		w.sound()
	})
}

// TestPublicationGivesWay: a publication whose requests are slow is given up and repeated as long
// as transactions of the process wait. No commit waits long for it, and it is done in the end.
func TestPublicationGivesWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, format.EngineV1)
		for range 20 {
			w.put(1, thing)
		}
		before := w.answers()
		var slow atomic.Bool
		b := &faulty.Bucket{Bucket: w.Bucket, At: -1, Delay: func(ctx context.Context, _ int, op, key string) {
			if slow.Load() && op == objstore.OpSwap && key == format.IndexKey(thing) {
				select {
				case <-ctx.Done():
				case <-time.After(300 * time.Millisecond):
				}
			}
		}}
		c := writepath.Open(writepath.Options{Bucket: w.Bucket, RuntimeID: "gateway"})
		store := open(t, b)
		store.Waiting, store.LockTimeout = c.Waiting, time.Minute
		slow.Store(true)
		compacted := make(chan error, 1)
		go func() {
			_, err := compaction.Compact(t.Context(), store, compaction.Options{Apply: true})
			compacted <- err
		}()
		longest := time.Duration(0)
		for n := range 300 {
			began := time.Now()
			if _, err := c.Commit(t.Context(), w.fresh(other, fmt.Sprint("c", n))); err != nil {
				t.Fatal(err)
			}
			longest = max(longest, time.Since(began))
			time.Sleep(17 * time.Millisecond)
		}
		if longest > 150*time.Millisecond { // the pause in which a committer under load leaves the lock to others
			t.Errorf("a commit waited %v", longest)
		}
		select {
		case err := <-compacted:
			t.Errorf("it was published although commits waited, with %v", err)
		default:
		}
		if err := <-compacted; err != nil {
			t.Errorf("when no commit waits: %v", err)
		}
		if err := c.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := len(w.paths(thing)); n != 1 {
			t.Errorf("the index has %d entries", n)
		}
		for key, rows := range w.answers() {
			if want, known := before[key]; known && fmt.Sprint(rows) != fmt.Sprint(want) {
				t.Errorf("%s: %s, want %s", key, rows, want)
			}
		}
		w.sound()
	})
}

// TestServiceOfNothing: a bucket without an ontology is left alone.
func TestServiceOfNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := mem.New("x")
		j := automatic(t, b)
		time.Sleep(time.Hour)
		if text := j.take(); text != "" {
			t.Errorf("it logged %q", text)
		}
	})
}
