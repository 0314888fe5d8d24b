package transfer_test

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/fixtures"
	"github.com/ontosql/ontosql/maintain/maintaintest"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/faulty"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/sqlite/check"
	"github.com/ontosql/ontosql/transfer"
)

// TestBucketToFileAndBack copies every store of the original into a file, and from there into a
// bucket: readers get the same answers from all three.
func TestBucketToFileAndBack(t *testing.T) {
	for _, store := range fixtures.Stores {
		t.Run(store, func(t *testing.T) {
			from, back := &mem.Bucket{}, &mem.Bucket{}
			fixtures.Load(t, from, store)
			path := filepath.Join(t.TempDir(), "onto.db")
			src := bucketSource(t, from)
			done, err := transfer.CopyToFile(t.Context(), src, path, transfer.CopyOptions{Temp: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			want := tell(t, src).withoutSnapshots(t)
			file := fileSource(t, path)
			if diff := cmp.Diff(want, tell(t, file).withoutSnapshots(t)); diff != "" {
				t.Errorf("the file (-bucket +file):\n%s", diff)
			}
			if left, _ := filepath.Glob(path + "?*"); len(left) > 0 && slices.ContainsFunc(left, func(s string) bool { return strings.Contains(s, "copying") }) {
				t.Errorf("left beside the file: %q", left)
			}
			if int(done.Head) != len(want.Commits) || done.Points != len(want.Commits) || done.Types != len(want.Types) || done.Events != len(want.Events) {
				t.Errorf("it says %+v", *done)
			}
			report, err := check.Run(t.Context(), path, check.Options{Data: true, Now: time.Now})
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range report.Findings {
				t.Errorf("fsck: %+v", f)
			}
			if _, err := transfer.CopyToBucket(t.Context(), file, back, transfer.CopyOptions{Temp: t.TempDir()}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, tell(t, bucketSource(t, back)).withoutSnapshots(t)); diff != "" {
				t.Errorf("the bucket that came of the file (-before +after):\n%s", diff)
			}
			maintaintest.Clean(t, back)
			if diff := cmp.Diff(theirs(t, from), theirs(t, back)); diff != "" {
				t.Errorf("what the original reads (-before +after):\n%s", diff)
			}
		})
	}
}

// TestFileToBucketAndBack moves the files that the original wrote into a bucket, and
// from there into another file.
func TestFileToBucketAndBack(t *testing.T) {
	for _, name := range []string{"sqlite-v1", "sqlite-v2"} {
		t.Run(name, func(t *testing.T) {
			from := filepath.Join(fixtures.Dir(t, name), "onto.db")
			src, to := fileSource(t, from), &mem.Bucket{}
			want := tell(t, src)
			if len(want.Events) == 0 || len(want.Commits) != 7 {
				t.Fatalf("the fixture has %d events and %d commits", len(want.Events), len(want.Commits))
			}
			if _, err := transfer.CopyToBucket(t.Context(), src, to, transfer.CopyOptions{Temp: t.TempDir()}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, tell(t, bucketSource(t, to))); diff != "" {
				t.Errorf("the bucket (-file +bucket):\n%s", diff)
			}
			maintaintest.Clean(t, to)
			theirs(t, to)
			back := filepath.Join(t.TempDir(), "back.db")
			if _, err := transfer.CopyToFile(t.Context(), bucketSource(t, to), back, transfer.CopyOptions{Temp: t.TempDir()}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, tell(t, fileSource(t, back))); diff != "" {
				t.Errorf("the second file (-first +second):\n%s", diff)
			}
		})
	}
}

// TestFileToBucketBroken breaks every request to the target in two ways; the next
// run does the rest, and the keys are the same.
func TestFileToBucketBroken(t *testing.T) {
	src := fileSource(t, filepath.Join(fixtures.Dir(t, "sqlite-v2"), "onto.db"))
	whole := &mem.Bucket{}
	move := func(to objstore.Bucket) error {
		_, err := transfer.CopyToBucket(t.Context(), src, to, transfer.CopyOptions{Temp: t.TempDir()})
		return err
	}
	if err := move(whole); err != nil {
		t.Fatal(err)
	}
	want := sums(objectsIn(t, whole))
	for _, way := range []struct {
		name          string
		applied, dead bool
	}{{"question", false, true}, {"answer", true, true}} {
		t.Run(way.name, func(t *testing.T) {
			for at := 0; ; at++ {
				disk := &mem.Bucket{}
				broken := &faulty.Bucket{Bucket: disk, At: at, Applied: way.applied, Dead: way.dead}
				err := move(broken)
				if err != nil {
					if err := move(disk); err != nil {
						t.Fatalf("after request %d broke, the next run: %v", at, err)
					}
				}
				if diff := cmp.Diff(want, sums(objectsIn(t, disk))); diff != "" {
					t.Fatalf("after request %d broke (-whole +this):\n%s", at, diff)
				}
				if err == nil && at >= broken.Requests() {
					return
				}
			}
		})
	}
}

// TestBucketToFileBroken breaks every request to the source. There is no file until
// it is complete.
func TestBucketToFileBroken(t *testing.T) {
	disk := &mem.Bucket{}
	fixtures.Load(t, disk, "s3-v2/stage3-final")
	src := bucketSource(t, disk)
	want := tell(t, src).withoutSnapshots(t)
	dir := t.TempDir()
	for at := 0; ; at++ {
		path := filepath.Join(dir, "onto.db")
		broken := &faulty.Bucket{Bucket: disk, At: at, Dead: true}
		_, err := transfer.CopyToFile(t.Context(), transfer.NewBucket(broken, src.Pin(), t.TempDir()), path, transfer.CopyOptions{Temp: t.TempDir()})
		if err == nil {
			if at == 0 {
				t.Fatal("the copy asked its source for nothing")
			}
			return
		}
		if _, missing := os.Stat(path); !errors.Is(missing, os.ErrNotExist) {
			t.Fatalf("request %d broke, and there is a file", at)
		}
		if _, err := transfer.CopyToFile(t.Context(), src, path, transfer.CopyOptions{Temp: t.TempDir()}); err != nil {
			t.Fatalf("after request %d broke, the next run: %v", at, err)
		}
		if diff := cmp.Diff(want, tell(t, fileSource(t, path)).withoutSnapshots(t)); diff != "" {
			t.Fatalf("after request %d broke (-source +target):\n%s", at, diff)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

// TestGoOnLater copies earlier states of a store and continues to later ones, in both
// directions.
func TestGoOnLater(t *testing.T) {
	path, bucket, file := filepath.Join(t.TempDir(), "onto.db"), &mem.Bucket{}, ""
	for _, stage := range []string{"stage1-commits", "stage2-migrated", "stage3-final"} {
		from := &mem.Bucket{}
		fixtures.Load(t, from, "s3-v2/"+stage)
		src := bucketSource(t, from)
		done, err := transfer.CopyToFile(t.Context(), src, path, transfer.CopyOptions{Temp: t.TempDir()})
		if err != nil {
			t.Fatalf("%s: %v", stage, err)
		}
		if stage != "stage1-commits" && done.Commits == int(done.Head) {
			t.Errorf("%s: all %d commits were written again", stage, done.Commits)
		}
		want := tell(t, src).withoutSnapshots(t)
		if diff := cmp.Diff(want, tell(t, fileSource(t, path)).withoutSnapshots(t)); diff != "" {
			t.Errorf("%s (-source +file):\n%s", stage, diff)
		}
		if file = path; stage == "stage1-commits" {
			continue // marks of a file that grows stay the same from here on
		}
		if _, err := transfer.CopyToBucket(t.Context(), fileSource(t, file), bucket, transfer.CopyOptions{Temp: t.TempDir()}); err != nil {
			t.Fatalf("%s: %v", stage, err)
		}
		if diff := cmp.Diff(want, tell(t, bucketSource(t, bucket)).withoutSnapshots(t)); diff != "" {
			t.Errorf("%s (-source +bucket):\n%s", stage, diff)
		}
		maintaintest.Clean(t, bucket)
	}
	for _, c := range []struct{ from, to string }{{"s3-v1/stage3-final", path}, {"s3-v2/stage1-commits", path}} {
		from := &mem.Bucket{}
		fixtures.Load(t, from, c.from)
		if _, err := transfer.CopyToFile(t.Context(), bucketSource(t, from), path, transfer.CopyOptions{Temp: t.TempDir()}); !errors.Is(err, transfer.ErrOtherOntology) {
			t.Errorf("%s over the file: %v", c.from, err)
		}
	}
	other := fileSource(t, filepath.Join(fixtures.Dir(t, "sqlite-v2"), "onto.db"))
	before := objectsIn(t, bucket)
	if _, err := transfer.CopyToBucket(t.Context(), other, bucket, transfer.CopyOptions{Temp: t.TempDir()}); !errors.Is(err, transfer.ErrOtherOntology) {
		t.Errorf("another file over the bucket: %v", err)
	}
	if !maps.Equal(before, objectsIn(t, bucket)) {
		t.Error("the bucket was changed")
	}
}

// TestFileBackIntoItsBucket brings buckets of the original up to a file that came of them
// and went on: their commits keep the places that they have.
func TestFileBackIntoItsBucket(t *testing.T) {
	for _, engine := range []string{"s3-v1", "s3-v2"} {
		last := &mem.Bucket{}
		fixtures.Load(t, last, engine+"/stage3-final")
		src, path := bucketSource(t, last), filepath.Join(t.TempDir(), "onto.db")
		if _, err := transfer.CopyToFile(t.Context(), src, path, transfer.CopyOptions{Temp: t.TempDir()}); err != nil {
			t.Fatal(err)
		}
		file, want := fileSource(t, path), tell(t, src).withoutSnapshots(t)
		for _, stage := range []string{"stage1-commits", "stage2-migrated", "stage3-final"} {
			t.Run(engine+" "+stage, func(t *testing.T) {
				to := &mem.Bucket{}
				fixtures.Load(t, to, engine+"/"+stage)
				if stage == "stage1-commits" { // of before the migration, as an earlier one would have left it
					layouts := format.EncodeLayouts(&format.Layouts{Layouts: []format.Layout{
						{ActivationCommitID: 1, IsCurrent: true, SchemaVersionID: 1, TypeKind: "entity", TypeName: "Customer"},
					}})
					if _, err := to.Put(t.Context(), format.LayoutsKey, layouts); err != nil {
						t.Fatal(err)
					}
				}
				before := objectsIn(t, to)
				done, err := transfer.CopyToBucket(t.Context(), file, to, transfer.CopyOptions{Temp: t.TempDir()})
				if err != nil {
					t.Fatal(err)
				}
				if stage == "stage3-final" && done.Commits != 0 {
					t.Errorf("%d commits were copied to where all of them were", done.Commits)
				}
				after := objectsIn(t, to)
				for key, sum := range before {
					if strings.HasPrefix(key, "commits/") && after[key] != sum {
						t.Errorf("%s is another one", key)
					}
				}
				if diff := cmp.Diff(want, tell(t, bucketSource(t, to)).withoutSnapshots(t)); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				maintaintest.Clean(t, to)
				if diff := cmp.Diff(theirs(t, last), theirs(t, to)); diff != "" {
					t.Errorf("what the original reads (-want +got):\n%s", diff)
				}
			})
		}
	}
}
