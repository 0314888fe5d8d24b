package gateway

import (
	"bytes"
	"context"
	"io"
	"sync"

	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

// ownFiles are data files that this gateway has just put into the store. Each is
// given out once: who reads it keeps it in the cache. The rows of a small one are
// given out once too, whether the file was or not.
type ownFiles struct {
	mu    sync.Mutex
	known map[string]ownFile // by key
	keys  []string           // in the order they came, perhaps of some that are gone
	size  int
}

type ownFile struct {
	body []byte
	rows []format.Row
}

func (f ownFile) size() int {
	n := len(f.body)
	for i := range f.rows {
		n += len(f.rows[i].Fields) + rowOverhead
	}
	return n
}

// Bounds of the memory. A large file is better fetched than kept.
const (
	mostOwnBytes   = 32 << 20
	largestOwnFile = 1 << 20
	mostOwnFiles   = 1 << 14 // in number, those given out included
	rowOverhead    = 256     // of a row, beside its fields
)

// keep remembers a file, and its rows unless they are nil, and forgets the oldest
// that are too many.
func (o *ownFiles) keep(key string, body []byte, rows []format.Row) {
	if body == nil || len(body) > largestOwnFile {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.known == nil {
		o.known = map[string]ownFile{}
	}
	o.put(key, ownFile{body, rows})
	o.keys = append(o.keys, key)
	for o.size > mostOwnBytes || len(o.keys) > mostOwnFiles {
		o.put(o.keys[0], ownFile{})
		o.keys = o.keys[1:]
	}
}

// take is a file that is remembered, nil for none. It is not given again.
func (o *ownFiles) take(key string) []byte {
	o.mu.Lock()
	defer o.mu.Unlock()
	f := o.known[key]
	o.put(key, ownFile{rows: f.rows})
	return f.body
}

// takeRows are the rows of files, in their order; false where those of one of them
// are not remembered, and then none is taken.
func (o *ownFiles) takeRows(files []chain.File) (rows []format.Row, ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, f := range files {
		own := o.known[f.Path]
		if own.rows == nil {
			return nil, false
		}
		rows = append(rows, own.rows...)
	}
	for _, f := range files {
		o.put(f.Path, ownFile{body: o.known[f.Path].body})
	}
	return rows, true
}

// put changes what is remembered of a file.
func (o *ownFiles) put(key string, f ownFile) {
	o.size += f.size() - o.known[key].size()
	if f.body == nil && f.rows == nil {
		delete(o.known, key)
		return
	}
	o.known[key] = f
}

// fileStore is a bucket of which the cache gets what it has not: what is remembered
// is not asked for.
type fileStore struct {
	objstore.Bucket
	own *ownFiles
}

// Open opens an object. The version of a remembered one is Absent: a data file is
// known by its checksum (objstore.Bucket).
func (s fileStore) Open(ctx context.Context, key string) (io.ReadCloser, objstore.Version, error) {
	if body := s.own.take(key); body != nil {
		return io.NopCloser(bytes.NewReader(body)), objstore.Absent, nil
	}
	return s.Bucket.Open(ctx, key)
}
