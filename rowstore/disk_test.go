package rowstore

import (
	"errors"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// fullDisk fails all writes once it is full.
type fullDisk struct {
	vfs.FS
	full *atomic.Bool
}

func (d fullDisk) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := d.FS.Create(name, category)
	return fullFile{f, d.full}, err
}

type fullFile struct {
	vfs.File
	full *atomic.Bool
}

var errFull = errors.New("no space left on device")

func (f fullFile) Write(p []byte) (int, error) {
	if f.full.Load() {
		return 0, errFull
	}
	return f.File.Write(p)
}

// TestErrorsOfTheDisk: the library does not learn of an error, which it might end the process for;
// the store does.
func TestErrorsOfTheDisk(t *testing.T) {
	var full atomic.Bool
	var told []error
	d := &disk{FS: fullDisk{vfs.NewMem(), &full}, failed: func(err error) { told = append(told, err) }}
	f, err := d.Create("a", vfs.WriteCategoryUnspecified)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := f.Write([]byte("before")); n != 6 || err != nil || told != nil {
		t.Fatalf("%d, %v, told %v", n, err, told)
	}
	full.Store(true)
	if n, err := f.Write([]byte("behind")); n != 6 || err != nil || len(told) != 1 || !errors.Is(told[0], errFull) {
		t.Errorf("%d, %v, told %v", n, err, told)
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		t.Error(err)
	}
}
