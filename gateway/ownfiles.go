package gateway

import (
	"bytes"
	"context"
	"io"
	"sync"

	"github.com/ontosql/ontosql/objstore"
)

// ownFiles are data files that this gateway has just put into the store. Each is
// given out once: who reads it keeps it in the cache.
type ownFiles struct {
	mu     sync.Mutex
	bodies map[string][]byte // by key
	keys   []string          // in the order they came, perhaps of some that are gone
	size   int
}

// Bounds of the memory. A large file is better fetched than kept.
const (
	mostOwnBytes   = 32 << 20
	largestOwnFile = 1 << 20
	mostOwnFiles   = 1 << 14 // in number, those given out included
)

// keep remembers a file and forgets the oldest that are too many.
func (o *ownFiles) keep(key string, body []byte) {
	if len(body) > largestOwnFile {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.bodies == nil {
		o.bodies = map[string][]byte{}
	}
	o.bodies[key] = body
	o.keys = append(o.keys, key)
	o.size += len(body)
	for o.size > mostOwnBytes || len(o.keys) > mostOwnFiles {
		o.remove(o.keys[0])
		o.keys = o.keys[1:]
	}
}

// take is a file that is remembered, nil for none. It is not given again.
func (o *ownFiles) take(key string) []byte {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.remove(key)
}

func (o *ownFiles) remove(key string) []byte {
	body := o.bodies[key]
	o.size -= len(body)
	delete(o.bodies, key)
	return body
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
