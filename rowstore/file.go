package rowstore

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/cockroachdb/pebble/v2/objstorage/objstorageprovider"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// fileWriter writes a sorted file, which the store takes over. The caller closes it, and removes it at the
// end.
type fileWriter struct {
	store *Store
	path  string
	w     *sstable.Writer
}

// newFileWriter makes a file for a table, with more words in its name if there are several.
func newFileWriter(s *Store, number uint64, words ...string) (*fileWriter, error) {
	name := strings.Join(append([]string{"fill", fmt.Sprint(number)}, words...), "-")
	f := &fileWriter{store: s, path: filepath.Join(s.path, name)}
	file, err := s.fs.FS.Create(f.path, vfs.WriteCategoryUnspecified)
	if err != nil {
		return nil, err
	}
	f.w = sstable.NewWriter(objstorageprovider.NewFileWritable(&diskFile{file, func(err error) error { return err }}), s.writerOptions)
	return f, nil
}

// set adds a version, whose key is behind those before it.
func (f *fileWriter) set(key, row []byte) error { return f.w.Set(key, row) }

// close completes the file.
func (f *fileWriter) close() error { return f.w.Close() }

// ingest gives the file to the store, and others with it: all or none is there after a crash.
func (f *fileWriter) ingest(ctx context.Context, others ...*fileWriter) error {
	paths := []string{f.path}
	for _, o := range others {
		paths = append(paths, o.path)
	}
	return f.store.db.Ingest(ctx, paths)
}

// remove removes the file where it was written. What the store has taken over stays.
func (f *fileWriter) remove() { _ = f.store.fs.Remove(f.path) }
