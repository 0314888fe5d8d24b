package storage

import (
	"sync"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/diskcache"
	"github.com/ontosql/ontosql/resolver"
)

// prune leaves out files that cannot have the wanted keys, if their footers are known.
func (b *Files) prune(files []resolver.File, keys []string) []resolver.File {
	return resolver.Prune(files, keys, b.footer)
}

// footers caches the facts of files, so that a statement over thousands of files does not
// decode as many notes of the disk cache.
type footers struct {
	mu    sync.RWMutex
	known map[diskcache.Blob]footer
}

// footer is what is known of one file.
type footer struct {
	facts *format.Facts // nil for nothing
	whole bool          // all facts are there, and not rows and keys alone
}

// mostFooters bounds the number of files.
const mostFooters = 1 << 19

func (k *footers) get(b diskcache.Blob) footer {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.known[b]
}

func (k *footers) put(b diskcache.Blob, f footer) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.known == nil || len(k.known) >= mostFooters {
		k.known = map[diskcache.Blob]footer{}
	}
	k.known[b] = f
}

// read returns all facts of a file. It decodes the file's note in the disk cache, once.
func (k *footers) read(b diskcache.Blob, note []byte) (*format.Facts, error) {
	if f := k.get(b); f.whole {
		return f.facts, nil
	}
	facts, err := format.DecodeFacts(note)
	if err != nil {
		return nil, err
	}
	k.put(b, footer{facts: facts, whole: true})
	return facts, nil
}

// footer returns the facts of a file if this gateway has read or written it.
func (b *Files) footer(f resolver.File) (*format.Facts, bool) {
	at := blob(f)
	if known := b.footers.get(at); known.facts != nil {
		return known.facts, true
	}
	note, ok := b.cache.Metadata(at)
	if !ok {
		return nil, false
	}
	facts, err := b.footers.read(at, note)
	return facts, err == nil
}

// Far reports whether the bucket is not on this machine (Backend).
func (b *Files) Far() bool { return !objstore.IsLocal(b.bucket) }

// Wrote records the key range of the files of a commit of this gateway (Backend). A
// statement that asks for one key then does not fetch files without it.
func (b *Files) Wrote(files []format.File, keys map[ontosql.TypeRef]KeyRange) {
	for _, f := range files {
		if k, ok := keys[f.Ref()]; ok {
			b.footers.put(diskcache.Blob{Key: f.Path, SHA256: f.ContentSHA256},
				footer{facts: &format.Facts{Rows: f.RowCount, KeyBounds: true, MinKey: k.Low, MaxKey: k.High}})
		}
	}
}
