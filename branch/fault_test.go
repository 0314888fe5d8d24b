package branch_test

import (
	"errors"
	"fmt"
	"maps"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/branch"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/faulty"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/writepath"
)

// faults are what may become of a request: it is lost, its answer is lost, or the process dies there.
var faults = []struct {
	name          string
	applied, dead bool
}{{"question lost", false, false}, {"answer lost", true, false}, {"dead", false, true}}

// TestCreateFaults breaks each request of Create. There is no ontology at the address until the branch
// is complete, and the same call completes it.
func TestCreateFaults(t *testing.T) {
	trunk := kinds[0].create(t, format.EngineV2)
	for i := range 3 {
		trunk.write(t, rows{"n1": {"a": fmt.Sprint(i)}, "l1": {"b": "1"}})
	}
	trunk.settle(t)
	want := history(t, source(t, trunk.Store), 1<<40, nil)
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			for at := 0; ; at++ {
				disk := mem.New("branch")
				to := &faulty.Bucket{Bucket: disk, At: at, Applied: f.applied, Dead: f.dead}
				_, err := branch.Create(t.Context(), to, trunk.Store, nil)
				if _, _, none := disk.Get(t.Context(), format.HeadKey); none == nil {
					if diff := cmp.Diff(want, history(t, source(t, bucketStore(t, disk)), 1<<40, nil)); diff != "" {
						t.Fatalf("request %d broken: a branch that is not complete (-parent +branch):\n%s", at, diff)
					}
				} else if err == nil || !errors.Is(none, objstore.ErrNotFound) {
					t.Fatalf("request %d broken: created, and the head: %v", at, none)
				}
				if _, err := branch.Create(t.Context(), disk, trunk.Store, nil); err != nil {
					t.Fatalf("request %d broken: run again: %v", at, err)
				}
				child := bucketStore(t, disk)
				clean(t, child)
				if diff := cmp.Diff(want, history(t, source(t, child), 1<<40, nil)); diff != "" {
					t.Fatalf("request %d broken: run again (-parent +branch):\n%s", at, diff)
				}
				if _, _, err := disk.Get(t.Context(), format.CopyMarkKey); !errors.Is(err, objstore.ErrNotFound) {
					t.Errorf("request %d broken: the mark is left: %v", at, err)
				}
				if at >= to.Requests() {
					return
				}
			}
		})
	}
}

// TestMergeFaults breaks each request of a merge and of the committer behind it. The merge is there
// wholly or not at all, and in the end once.
func TestMergeFaults(t *testing.T) {
	trunk := kinds[0].create(t, format.EngineV1)
	trunk.write(t, rows{"n1": {"a": "1"}, "n2": {"a": "1"}})
	twig := kinds[0].branch(t, trunk)
	twig.change(t, addField("d", true))
	twig.write(t, rows{"n1": {"a": "2", "d": "3"}, "n3": {"a": "3"}})
	trunk.write(t, rows{"n2": {"a": "5"}})
	before := trunk.at(t, 1<<40)
	after := rows{"n1": {"a": "2", "d": "3"}, "n2": {"a": "5"}, "n3": {"a": "3"}}
	head := source(t, trunk.Store).Pin().Head.Commit
	trunk.settle(t)
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			for at := 0; ; at++ {
				disk := copied(t, trunk.Bucket)
				b := &faulty.Bucket{Bucket: disk, At: at, Applied: f.applied, Dead: f.dead}
				w := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "first"})
				_, err := branch.Merge(t.Context(), twig.Store, bucketStore(t, b), w, branch.MergeOptions{})
				_ = w.Close(t.Context())
				now := bucketSite(t, disk)
				visible := source(t, now.Store).Pin().Head.Commit
				want := before
				if visible > head {
					want = after
				}
				if err == nil && visible != head+1 {
					t.Fatalf("request %d broken: merged, and the head is commit %d after %d", at, visible, head)
				}
				if diff := cmp.Diff(want, now.at(t, 1<<40)); diff != "" {
					t.Fatalf("request %d broken: the merge is half there (-want +got):\n%s", at, diff)
				}
				breakLock(t, disk)
				if _, err := branch.Merge(t.Context(), twig.Store, now.Store, now.committer, branch.MergeOptions{}); err != nil {
					t.Fatalf("request %d broken: run again: %v", at, err)
				}
				now.settle(t)
				clean(t, now.Store)
				if got := source(t, now.Store).Pin().Head.Commit; got != head+1 {
					t.Fatalf("request %d broken: run again, the head is commit %d, want one merge after %d", at, got, head)
				}
				if diff := cmp.Diff(after, now.at(t, 1<<40)); diff != "" {
					t.Fatalf("request %d broken: run again (-want +got):\n%s", at, diff)
				}
				if at >= b.Requests() {
					return
				}
			}
		})
	}
}

// copied is a copy of a bucket in memory, object by object.
func copied(t testing.TB, from objstore.Bucket) *mem.Bucket {
	t.Helper()
	to := mem.New("copy")
	var keys []string
	if err := from.List(t.Context(), "", func(o objstore.Object) error {
		keys = append(keys, o.Key)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if err := objstore.Copy(t.Context(), to, from, keys); err != nil {
		t.Fatal(err)
	}
	return to
}

// breakLock removes the lock that a dead writer has left.
func breakLock(t testing.TB, b objstore.Bucket) {
	t.Helper()
	if err := b.Delete(t.Context(), format.LockKey); err != nil {
		t.Fatal(err)
	}
}

// TestMergeWhileBothWrite merges while writers of both branches commit. No write is lost: in the end
// each branch has what its writer wrote last to its own rows, and the other's as of the merge.
func TestMergeWhileBothWrite(t *testing.T) {
	for _, k := range kinds {
		if k.name != "memory" && k.name != "sqlite" {
			continue
		}
		t.Run(k.name, func(t *testing.T) {
			trunk := k.create(t, format.EngineV1)
			trunk.write(t, rows{"n0": {"a": "0"}})
			twig := k.branch(t, trunk)
			stop := make(chan struct{})
			var writers sync.WaitGroup
			written := map[*site]rows{trunk: {}, twig: {}}
			for s, names := range map[*site][]string{trunk: {"n1", "n0"}, twig: {"n2", "n3"}} {
				writers.Go(func() {
					for i := 0; ; i++ {
						select {
						case <-stop:
							return
						default:
						}
						// The field that both branches write has the same value in both: no conflict.
						row := map[string]string{"a": fmt.Sprint(i)}
						s.write(t, rows{names[i%2]: row})
						written[s][names[i%2]] = row
					}
				})
			}
			merges := 0
			var last ontosql.CommitID
			for merges < 5 && !t.Failed() {
				done, err := branch.Merge(t.Context(), twig.Store, trunk.Store, trunk.committer, branch.MergeOptions{})
				if err != nil {
					t.Errorf("merge: %v", err)
					break
				}
				if done.Commit > 0 {
					merges, last = merges+1, done.From
				}
			}
			close(stop)
			writers.Wait()
			want := rows{}
			maps.Copy(want, written[trunk])
			for key, row := range twig.at(t, last) {
				if key == "n2" || key == "n3" {
					want[key] = row
				}
			}
			if want["n0"] == nil {
				want["n0"] = map[string]string{"a": "0"}
			}
			if diff := cmp.Diff(want, trunk.at(t, 1<<40)); diff != "" {
				t.Errorf("rows in the end (-want +got):\n%s", diff)
			}
		})
	}
}
