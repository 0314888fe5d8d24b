package gateway

import (
	"sync"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/diskcache"
	"github.com/ontosql/ontosql/resolver"
)

// prune leaves out files whose keys lie outside what is asked for, as far as their
// footers are known.
func (b *Files) prune(files []resolver.File, keys []string) []resolver.File {
	return resolver.Prune(files, keys, b.footer)
}

// footers remembers what is known of files, so that a statement over thousands
// of them does not read as many notes of the cache.
type footers struct {
	mu    sync.RWMutex
	known map[diskcache.Blob]footer
}

// footer is what is known of one file.
type footer struct {
	facts *format.Facts // nil for nothing
	whole bool          // all facts are there, and not rows and keys alone
}

// mostFooters bounds the memory; a type of so many files is slow by other means.
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

// read is all that a file's note in the cache says. The note is looked at once.
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

// footer is what the footer of a file says, where somebody has read or written
// it.
func (b *Files) footer(f resolver.File) (*format.Facts, bool) {
	at := blob(f)
	if known := b.footers.get(at); known.facts != nil {
		return known.facts, true
	}
	note, ok := b.cache.Note(at)
	if !ok {
		return nil, false
	}
	facts, err := b.footers.read(at, note)
	return facts, err == nil
}

func (b *Files) far() bool { return !objstore.IsNear(b.bucket) }

// wrote remembers the keys of the files of a commit of this gateway: the next
// statement that asks for one of them need not fetch the others to know.
func (b *Files) wrote(files []format.File, staged []*staging) {
	for _, f := range files {
		for _, g := range staged {
			if g.typ.Ref == f.Ref() {
				b.footers.put(diskcache.Blob{Key: f.Path, SHA256: f.ContentSHA256},
					footer{facts: &format.Facts{Rows: f.RowCount, KeyBounds: true, MinKey: g.low, MaxKey: g.high}})
			}
		}
	}
}
