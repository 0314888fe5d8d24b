package storage

import (
	"bytes"
	"context"
	"io"
	"sync"

	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

// recentFiles are data files that this gateway has just put into the store. Each is
// returned once, because its reader puts it into the disk cache. The rows of a small file
// are kept for the mirror and the row store.
type recentFiles struct {
	mu    sync.Mutex
	known map[string]recentFile // by key
	keys  []string              // in the order of arrival; some may have been removed
	size  int
}

type recentFile struct {
	body  []byte
	rows  []format.Row
	keyed *keyedRows // of the rows; nil until they are looked up
}

func (f recentFile) size() int {
	n := len(f.body)
	for i := range f.rows {
		n += len(f.rows[i].Fields) + rowOverhead
	}
	return n
}

// Bounds of the memory. Large files are fetched from the store when they are read.
const (
	maxBytes     = 32 << 20
	maxFileBytes = 1 << 20
	maxFiles     = 1 << 14 // files and those that were taken
	rowOverhead  = 256     // of a row, in addition to its fields
)

// keep remembers a file, and its rows if they are not nil, and forgets the oldest files
// above the bounds.
func (o *recentFiles) keep(key string, body []byte, rows []format.Row) {
	if body == nil || len(body) > maxFileBytes {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.known == nil {
		o.known = map[string]recentFile{}
	}
	o.put(key, recentFile{body: body, rows: rows})
	o.keys = append(o.keys, key)
	for o.size > maxBytes || len(o.keys) > maxFiles {
		o.put(o.keys[0], recentFile{})
		o.keys = o.keys[1:]
	}
}

// take returns a remembered file and forgets it. It is nil if the file is not remembered.
func (o *recentFiles) take(key string) []byte {
	o.mu.Lock()
	defer o.mu.Unlock()
	f := o.known[key]
	o.put(key, recentFile{rows: f.rows, keyed: f.keyed})
	return f.body
}

// rowsOf returns the rows of files in their order, false if those of a file are not remembered.
func (o *recentFiles) rowsOf(files []chain.File) (rows []format.Row, ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, f := range files {
		own := o.known[f.Path]
		if own.rows == nil {
			return nil, false
		}
		rows = append(rows, own.rows...)
	}
	return rows, true
}

// keyed returns the rows of a file by key, nil if they are not remembered.
func (o *recentFiles) keyed(key string) *keyedRows {
	o.mu.Lock()
	defer o.mu.Unlock()
	f := o.known[key]
	if f.rows != nil && f.keyed == nil {
		f.keyed = newKeyedRows(f.rows)
		o.known[key] = f
	}
	return f.keyed
}

// put changes what is remembered of a file.
func (o *recentFiles) put(key string, f recentFile) {
	o.size += f.size() - o.known[key].size()
	if f.body == nil && f.rows == nil {
		delete(o.known, key)
		return
	}
	o.known[key] = f
}

// fileStore is the bucket that the disk cache fetches from. It does not ask the bucket
// for a remembered file.
type fileStore struct {
	objstore.Bucket
	own *recentFiles
}

// Open opens an object (objstore.Bucket). The version of a remembered file is Absent,
// because data files are identified by their checksum.
func (s fileStore) Open(ctx context.Context, key string) (io.ReadCloser, objstore.Version, error) {
	if body := s.own.take(key); body != nil {
		return io.NopCloser(bytes.NewReader(body)), objstore.Absent, nil
	}
	return s.Bucket.Open(ctx, key)
}
