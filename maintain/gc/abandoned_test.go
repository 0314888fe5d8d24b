package gc_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/maintain/gc"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/writepath"
)

// olderBy shows the objects of a bucket as older than they are, but not the head: their times were
// kept when they were copied.
type olderBy struct {
	objstore.Bucket
	by time.Duration
}

func (b olderBy) List(ctx context.Context, prefix string, fn func(objstore.Object) error) error {
	return b.Bucket.List(ctx, prefix, func(o objstore.Object) error {
		if strings.HasPrefix(o.Key, format.CommitsPrefix) {
			o.Modified = o.Modified.Add(-b.by)
		}
		return fn(o)
	})
}

// commits makes commits of the original, a minute apart.
func (w *world) commits(n int) {
	w.t.Helper()
	for range n {
		if err := w.foreignCommit(w, 0); err != nil {
			w.t.Fatal(err)
		}
		time.Sleep(time.Minute)
	}
}

// folders are the folders of commits that are there.
func (w *world) folders() []string {
	all := map[string]bool{}
	for key := range w.objects() {
		if id, attempt, ok := format.ParseCommitDir(key); ok {
			all[format.CommitPrefix(id, attempt)] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// withoutIndexes removes what else would show that commits were there.
func (w *world) withoutIndexes() {
	for key := range w.objects() {
		if strings.HasPrefix(key, format.IndicesPrefix) {
			_ = w.Delete(w.t.Context(), key)
		}
	}
}

// TestHeadSetBack: what was committed is kept when the head goes back behind it by mistake, however
// old it is and however long ago that was, also when commits have taken its numbers.
func TestHeadSetBack(t *testing.T) {
	for _, c := range []struct {
		name  string
		back  func(*world) // from commit 12 to 9
		above int          // folders that are left behind
	}{
		{"by hand", func(*world) {}, 3},
		{"by hand, and the writers go on", func(w *world) { w.commits(5) }, 3},
		{"by init --force", func(w *world) {
			plan, err := writepath.Init(w.t.Context(), w, writepath.InitOptions{URI: "mem://x", DryRun: true, Now: time.Now})
			if err == nil {
				_, err = writepath.Init(w.t.Context(), w, writepath.InitOptions{URI: "mem://x", Engine: format.EngineV1, Force: true, Token: plan.ForceToken, Now: time.Now})
			}
			if err != nil {
				w.t.Fatal(err)
			}
		}, 12},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				w.commits(1)
				nine := w.objects()[format.HeadKey]
				w.commits(3)
				time.Sleep(30 * 24 * time.Hour)
				w.put(format.HeadKey, nine)
				c.back(w)
				w.withoutIndexes()
				folders := w.folders()
				for _, later := range []time.Duration{0, 30 * 24 * time.Hour} {
					time.Sleep(later)
					done, err := collect(t, w)
					if err != nil {
						t.Fatal(err)
					}
					if left := w.folders(); !slices.Equal(left, folders) {
						t.Errorf("%s later the folders are %v, want %v", later, left, folders)
					}
					if len(done.Abandoned) != c.above || done.Kept[gc.Committed].Objects < 2*c.above-1 {
						t.Errorf("%s later: kept %v, abandoned %v", later, done.Kept, done.Abandoned)
					}
				}
			})
		})
	}
}

// TestGraceBeginsWhenItIsGarbage: an old attempt is left alone for a day after the head came back below
// it, or after the commit of its number.
func TestGraceBeginsWhenItIsGarbage(t *testing.T) {
	for name, become := range map[string]func(*world, string){
		"the head went back": func(w *world, eight string) { w.put(format.HeadKey, eight) },
		"another commit":     func(w *world, eight string) { w.put(format.HeadKey, eight); w.commits(1) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				eight := w.objects()[format.HeadKey]
				w.commits(1)
				time.Sleep(30 * 24 * time.Hour)
				become(w, eight)
				w.withoutIndexes()
				folders := w.folders()
				time.Sleep(23 * time.Hour)
				if done, err := collect(t, w); err != nil || !slices.Equal(w.folders(), folders) {
					t.Errorf("after 23 hours: %+v, %v", done, err)
				}
				time.Sleep(2 * time.Hour)
				if done, err := collect(t, w); err != nil || done.Kept[gc.Committed].Objects != 0 || len(w.folders()) != len(folders)-1 {
					t.Errorf("after 25 hours: %+v, %v", done, err)
				}
			})
		})
	}
}

// TestCopiedByOtherMeans: commits that come with their old times, by programs that copy files in the
// order of their names and the head last, are kept while the head does not have them.
func TestCopiedByOtherMeans(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := newWorld(t)
		eight := source.objects()[format.HeadKey]
		source.commits(4)
		all := source.objects()
		target := newWorld(t)
		target.put(format.HeadKey, eight)
		time.Sleep(25 * time.Hour)
		came := false // the first manifest
		for _, key := range slices.Sorted(maps.Keys(all)) {
			if _, there := target.objects()[key]; there || !strings.HasPrefix(key, format.CommitsPrefix) {
				continue
			}
			target.put(key, all[key])
			came = came || strings.HasSuffix(key, "/manifest.json")
			if !came {
				continue // it looks like any attempt
			}
			if done, err := collect(t, olderBy{target, 30 * 24 * time.Hour}); err != nil || slices.ContainsFunc(done.Planned, func(g gc.Garbage) bool { return g.Reason == gc.Above }) {
				t.Errorf("when %s has come: %+v, %v", key, done, err)
			}
		}
	})
}

// TestGroupThatDied: the attempts of a writer for one swap of the head, each made on the one before, are
// garbage like any other.
func TestGroupThatDied(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		head, err := format.DecodeHead(format.HeadKey, []byte(w.objects()[format.HeadKey]))
		if err != nil {
			t.Fatal(err)
		}
		path := *head.ManifestPath
		for id := head.CommitID + 1; id < 20; id++ {
			parent, up := path, id-1
			path = format.ManifestKey(id, fmt.Sprintf("%08x", id))
			body, err := format.EncodeManifest(&format.Manifest{
				CommitID: id, CreatedAt: format.TimeOf(time.Now()), RuntimeID: "gateway", Files: []format.File{}, Metadata: map[string]json.RawMessage{format.MetadataAttempt: json.RawMessage(`"x"`)}, ParentCommitID: &up, ParentManifestPath: &parent,
			})
			if err != nil {
				t.Fatal(err)
			}
			w.put(path, string(body))
			time.Sleep(time.Millisecond)
		}
		time.Sleep(25 * time.Hour)
		if done, err := collect(t, w); err != nil || done.Removed.Objects < 11 || len(done.Abandoned) != 0 {
			t.Errorf("collected %+v, %v", done, err)
		}
	})
}
