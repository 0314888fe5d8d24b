package writepath_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/writepath"
)

// refusing is a store that takes no write below a prefix while it is in trouble.
type refusing struct {
	objstore.Bucket
	prefix string
	err    error
	over   atomic.Bool
}

func (r *refusing) refuse(op, key string) error {
	if r.over.Load() || !strings.HasPrefix(key, r.prefix) {
		return nil
	}
	return &objstore.Error{Op: op, Bucket: r.String(), Key: key, Err: r.err}
}

func (r *refusing) Put(ctx context.Context, key string, body []byte) (objstore.Version, error) {
	if err := r.refuse(objstore.OpPut, key); err != nil {
		return objstore.Absent, err
	}
	return r.Bucket.Put(ctx, key, body)
}

func (r *refusing) Swap(ctx context.Context, key string, want objstore.Version, body []byte) (objstore.Version, error) {
	if err := r.refuse(objstore.OpSwap, key); err != nil {
		return objstore.Absent, err
	}
	return r.Bucket.Swap(ctx, key, want, body)
}

// TestStoreThatRefusesWrites: a store that is read-only, or full, for some of the objects of a
// commit. A certain failure is reported at once; a failure after the head swap fails no commit
// (I2); when the store works again, the same Committer continues.
func TestStoreThatRefusesWrites(t *testing.T) {
	for _, tc := range []struct {
		prefix  string
		err     error
		commits bool
		unknown bool // the contract of Swap leaves open whether it was written
	}{
		{prefix: "", err: objstore.ErrDenied},
		{prefix: format.LockKey, err: objstore.ErrDenied},
		{prefix: format.CommitsPrefix, err: objstore.ErrDenied},
		{prefix: format.HeadKey, err: objstore.ErrDenied},
		{prefix: "meta/indices/", err: objstore.ErrDenied, commits: true},
		{prefix: "", err: syscall.ENOSPC},
		{prefix: format.LockKey, err: syscall.ENOSPC},
		{prefix: format.CommitsPrefix, err: syscall.ENOSPC},
		{prefix: format.HeadKey, err: objstore.ErrFull},
		{prefix: format.HeadKey, err: syscall.ENOSPC, unknown: true},
		{prefix: "meta/indices/", err: syscall.ENOSPC, commits: true},
	} {
		t.Run(fmt.Sprintf("%v below %q", tc.err, tc.prefix), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				disk := mem.New("x")
				initialise(t, disk, format.EngineV1, thing)
				b := &refusing{Bucket: disk, prefix: tc.prefix, err: tc.err}
				c := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "test"})
				_, err := c.Commit(t.Context(), put(1, "a", 1, thing))
				var unknown *writepath.UnknownOutcomeError
				open := errors.As(err, &unknown)
				switch {
				case tc.commits && err != nil:
					t.Errorf("commit: %v, want success", err)
				case !tc.commits && !errors.Is(err, tc.err):
					t.Errorf("commit: %v, want %v", err, tc.err)
				case open != tc.unknown:
					t.Errorf("commit: %v, unknown outcome: %t, want %t", err, open, tc.unknown)
				case open && strings.Count(err.Error(), tc.err.Error()) != 1:
					t.Errorf("commit: %v, which tells the cause more than once", err)
				}
				head := ontosql.CommitID(1)
				if tc.commits {
					head = 2
				}
				if got := readHead(t, disk).CommitID; got != head {
					t.Errorf("the head is commit %d, want %d", got, head)
				}
				b.over.Store(true)
				if out, err := c.Commit(t.Context(), put(head, "b", 1, thing)); err != nil || out.Commit != head+1 {
					t.Errorf("when the trouble is over: %+v, %v, want commit %d", out, err, head+1)
				}
				closeIt(t, c)
				verify(t, disk)
				if unknown != nil {
					if got, err := writepath.AttemptStatus(viewOf(t, disk), unknown.Text()); got != writepath.AttemptAborted {
						t.Errorf("the attempt is %q (%v), want %q", got, err, writepath.AttemptAborted)
					}
				}
			})
		})
	}
}

// TestFullStoreKeepsARegistration: the schema objects cannot be written, and the
// types of the commit are there all the same (A13); the next writer projects.
func TestFullStoreKeepsARegistration(t *testing.T) {
	disk := mem.New("x")
	initialise(t, disk, format.EngineV1, thing)
	c := writepath.Open(writepath.Options{Bucket: &refusing{Bucket: disk, prefix: "meta/schema/", err: syscall.ENOSPC}, RuntimeID: "test"})
	if out, err := c.Register(t.Context(), time.Time{}, schemas(other)); err != nil || out.Commit != 2 {
		t.Fatalf("register: %+v, %v", out, err)
	}
	closeIt(t, c)
	verify(t, disk)
	c = writepath.Open(writepath.Options{Bucket: disk, RuntimeID: "next"})
	if _, err := c.Commit(t.Context(), put(2, "a", 1, other)); err != nil {
		t.Errorf("rows of a type that was not projected: %v", err)
	}
	closeIt(t, c)
	checkProjected(t, disk, thing, other)
	verify(t, disk)
}

// TestClocksMinutesApart: gateways whose clocks differ by more than a lease is
// long. They take living leases from each other, and all that suffers is their
// speed: what is acknowledged stands, what is refused does not, and created_at
// never runs backwards (A12).
func TestClocksMinutesApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		disk := mem.New("x")
		initialise(t, disk, format.EngineV1, thing)
		var mu sync.Mutex
		acknowledged, refused := map[string]writepath.Outcome{}, map[string]error{}
		var clients sync.WaitGroup
		var gateways []*writepath.Committer
		for g, skew := range []time.Duration{-5 * time.Minute, 0, 5 * time.Minute} {
			c := writepath.Open(writepath.Options{
				Bucket: slow(disk, 3*time.Millisecond), RuntimeID: fmt.Sprint("gateway-", g), LockTimeout: 20 * time.Minute,
				Now: func() time.Time { return time.Now().Add(skew) },
			})
			gateways = append(gateways, c)
			for n := range 3 {
				clients.Go(func() {
					for step := range 12 {
						id := fmt.Sprint(g, "-", n, "-", step)
						out, err := c.Commit(t.Context(), put(1, id, step, thing))
						mu.Lock()
						if err == nil {
							acknowledged[id] = out
						} else {
							refused[id] = err
						}
						mu.Unlock()
						time.Sleep(20 * time.Millisecond)
					}
				})
			}
		}
		clients.Wait()
		for _, c := range gateways {
			closeIt(t, c)
		}
		found := map[string]ontosql.CommitID{}
		for _, m := range verify(t, disk) {
			for i := range m.Files {
				for _, r := range rowsOf(t, disk, &m.Files[i], m.CommitID) {
					found[r.Key] = m.CommitID
				}
			}
		}
		for id, out := range acknowledged {
			if found[id] != out.Commit {
				t.Errorf("%s was acknowledged as commit %d and is in commit %d", id, out.Commit, found[id])
			}
		}
		for id, err := range refused {
			if found[id] != 0 || !errors.Is(err, ontosql.ErrHeadMoved) && !errors.Is(err, writepath.ErrLeaseLost) {
				t.Errorf("%s is in commit %d and was refused: %v", id, found[id], err)
			}
		}
		if len(acknowledged) < 50 {
			t.Errorf("%d commits were acknowledged and %d refused, want most of 108", len(acknowledged), len(refused))
		}
		t.Logf("%d acknowledged, %d refused", len(acknowledged), len(refused))
	})
}
