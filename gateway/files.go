package gateway

import (
	"context"
	"errors"
	"os"
	"sync"
	"syscall"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/diskcache"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/writepath"
)

// prune leaves out files whose keys lie outside what the statement asks for, as
// far as their footers are known.
func (db *Database) prune(files []resolver.File, keys keyBounds) []resolver.File {
	return resolver.Prune(files, keys.first(), db.footer)
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
func (db *Database) footer(f resolver.File) (*format.Facts, bool) {
	b := blob(f)
	if known := db.footers.get(b); known.facts != nil {
		return known.facts, true
	}
	note, ok := db.cache.Note(b)
	if !ok {
		return nil, false
	}
	facts, err := db.footers.read(b, note)
	return facts, err == nil
}

// wrote remembers the keys of the files of a commit of this gateway: the next
// statement that asks for one of them need not fetch the others to know.
func (db *Database) wrote(files []format.File, staged []*staging) {
	for _, f := range files {
		for _, g := range staged {
			if g.typ.Ref == f.Ref() {
				db.footers.put(diskcache.Blob{Key: f.Path, SHA256: f.ContentSHA256},
					footer{facts: &format.Facts{Rows: f.RowCount, KeyBounds: true, MinKey: g.low, MaxKey: g.high}})
			}
		}
	}
}

// distrustSnapshots finds the snapshots among files that cannot be had, so that
// the next resolution reads the commits' own files instead (I5). It reports
// whether there were any.
func (db *Database) distrustSnapshots(ctx context.Context, t ontosql.TypeRef, files []resolver.File) (bool, error) {
	found := false
	for _, f := range files {
		if !f.Snapshot() {
			continue
		}
		_, lease, err := db.fetch(ctx, []resolver.File{f})
		if err == nil {
			lease.Release()
			continue
		}
		if ctx.Err() != nil || shortage(err) {
			return false, err
		}
		found = true
		if err := db.store.Distrust(ctx, t, f.Key, err); err != nil {
			return false, err
		}
	}
	return found, nil
}

// shortage reports whether this machine lacks something, which says nothing of a
// file.
func shortage(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) || errors.Is(err, diskcache.ErrCacheFull)
}

// fetch brings files into the cache and says what they hold.
func (db *Database) fetch(ctx context.Context, files []resolver.File) ([]*format.Facts, *diskcache.Lease, error) {
	blobs := make([]diskcache.Blob, len(files))
	for i, f := range files {
		blobs[i] = blob(f)
	}
	lease, err := db.cache.Fetch(ctx, fileStore{db.bucket, &db.own.files}, blobs)
	if err != nil {
		return nil, nil, err
	}
	facts := make([]*format.Facts, len(files))
	for i, note := range lease.Notes() {
		if facts[i], err = db.footers.read(blobs[i], note); err == nil {
			err = agrees(files[i], facts[i])
		}
		if err != nil {
			lease.Release()
			return nil, nil, err
		}
	}
	return facts, lease, nil
}

// Identities reads the data files of other writers for a committer
// (writepath.Options) through the cache, where statements look for them too.
func Identities(cache *diskcache.Cache, bucket objstore.Bucket) func(context.Context, chain.File, func(string)) error {
	return func(ctx context.Context, f chain.File, each func(identity string)) error {
		lease, err := cache.Fetch(ctx, bucket, []diskcache.Blob{{Key: f.Path, SHA256: f.ContentSHA256}})
		if err != nil {
			return err
		}
		defer lease.Release()
		return writepath.ReadIdentities(lease.Paths()[0], f, each)
	}
}

// fileSize is the size of a local file in bytes, 0 where it cannot be told.
func fileSize(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

func blob(f resolver.File) diskcache.Blob {
	return diskcache.Blob{Key: f.Key, SHA256: f.SHA256, Version: f.Version}
}

// agrees holds what a manifest says of a file against the file.
func agrees(f resolver.File, facts *format.Facts) error {
	if f.RowCount >= 0 && f.RowCount != facts.Rows {
		return ontosql.Corrupt(f.Key, "row_count", "the manifest says %d rows, the file has %d", f.RowCount, facts.Rows)
	}
	if facts.Rows > 0 && (facts.MinCommit < f.Min || facts.MaxCommit > f.Max) {
		return ontosql.Corrupt(f.Key, "commit_id", "rows of the commits %d to %d in a file of %d to %d",
			facts.MinCommit, facts.MaxCommit, f.Min, f.Max)
	}
	return nil
}
