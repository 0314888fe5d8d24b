package storage

import (
	"context"
	"errors"
	"os"
	"slices"
	"sync"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/resolver"
)

// keyedRows are the rows of one data file in memory, by the text of the first column of the key. They do
// not change.
type keyedRows struct {
	filter *format.KeyFilter // tells which texts there are not; then nothing else is known but size
	rows   []format.Row      // nil if only the texts are known
	last   map[string]int32  // the last row of each text
	before []int32           // for each row, the one before it with the same text, -1 for none
	size   int               // bytes of the texts
}

func newKeyedRows(rows []format.Row) *keyedRows {
	k := &keyedRows{rows: rows, last: make(map[string]int32, len(rows)), before: make([]int32, len(rows))}
	for i := range rows {
		text := firstKey(&rows[i])
		before, there := k.last[text]
		if !there {
			before = -1
		}
		k.last[text], k.before[i] = int32(i), before
	}
	return k
}

// firstKey is the text of the first column of the key. An entity has no left key.
func firstKey(r *format.Row) string {
	if r.Key != "" {
		return r.Key
	}
	return r.Left
}

// appendOf appends the rows with a text, in their order. ok is false if there are some, and they are not
// in memory.
func (k *keyedRows) appendOf(rows []format.Row, text string) (_ []format.Row, ok bool) {
	if k.filter != nil {
		return rows, !k.filter.May(text)
	}
	at, there := k.last[text]
	if !there {
		return rows, true
	}
	if k.rows == nil {
		return rows, false
	}
	first := len(rows)
	for ; at >= 0; at = k.before[at] {
		rows = append(rows, k.rows[at])
	}
	for i, j := first, len(rows)-1; i < j; i, j = i+1, j-1 {
		rows[i], rows[j] = rows[j], rows[i]
	}
	return rows, true
}

// foreignFiles are data files of the last commits of other writers, in memory until the row store has
// them.
type foreignFiles struct {
	mu    sync.Mutex
	known map[string]*foreignFile // by key
	keys  []string                // in the order of arrival
	size  int                     // of all that was read
}

// foreignFile is a file that is being read, or has been.
type foreignFile struct {
	of chain.File

	reading sync.Mutex // held while the file is read
	keyed   *keyedRows // nil before that; guarded by the mutex of foreignFiles
}

const (
	// maxForeignBytes bounds the texts of one file, and those of all files but for the newest.
	maxForeignBytes = 64 << 20
	// fewRows is the number of rows up to which a file is read as a whole by the first look-up
	// behind it. Of a larger one the look-up reads the bloom filters, or the keys alone.
	fewRows = 2000
	// filterBytes is about the size of the bloom filters of a file.
	filterBytes = 256 << 10
)

// get is what is known of a file.
func (f *foreignFiles) get(file chain.File) (*foreignFile, *keyedRows) {
	f.mu.Lock()
	defer f.mu.Unlock()
	one := f.known[file.Path]
	if one == nil {
		if f.known == nil {
			f.known = map[string]*foreignFile{}
		}
		one = &foreignFile{of: file}
		f.known[file.Path], f.keys = one, append(f.keys, file.Path)
	}
	return one, one.keyed
}

// put records what was read of a file, and forgets the oldest files above the bounds.
func (f *foreignFiles) put(one *foreignFile, k *keyedRows) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.known[one.of.Path] != one { // forgotten meanwhile
		return
	}
	if one.keyed != nil {
		f.size -= one.keyed.size
	}
	one.keyed = k
	f.size += k.size
	for f.size > maxForeignBytes && len(f.keys) > 1 || len(f.keys) > maxRecentFiles {
		f.remove(0)
	}
}

// forget forgets the files of a type up to a commit: the row store has them.
func (f *foreignFiles) forget(t ontosql.TypeRef, through ontosql.CommitID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := len(f.keys) - 1; i >= 0; i-- {
		if of := f.known[f.keys[i]].of; of.Commit <= through && of.Ref() == t {
			f.remove(i)
		}
	}
}

// remove forgets file i. The caller holds the mutex.
func (f *foreignFiles) remove(i int) {
	if k := f.known[f.keys[i]].keyed; k != nil {
		f.size -= k.size
	}
	delete(f.known, f.keys[i])
	f.keys = slices.Delete(f.keys, i, i+1)
}

// keyedRows returns the rows of a data file. whole asks for the rows of a large one, too, and not for
// the texts of its keys alone.
func (b *Files) keyedRows(ctx context.Context, file chain.File, whole bool) (*keyedRows, error) {
	if own := b.recent.files.keyed(file.Path); own != nil {
		return own, nil
	}
	enough := func(k *keyedRows) bool { return k != nil && (k.rows != nil || !whole) }
	one, known := b.foreign.get(file)
	if enough(known) {
		return known, nil
	}
	one.reading.Lock()
	defer one.reading.Unlock()
	if _, known = b.foreign.get(file); enough(known) { // read meanwhile
		return known, nil
	}
	_, lease, err := b.fetch(ctx, []resolver.File{{
		Key: file.Path, SHA256: file.ContentSHA256, RowCount: file.RowCount, Min: file.Commit, Max: file.Commit,
	}})
	if err != nil {
		return nil, err
	}
	defer lease.Release()
	k, err := readKeyed(ctx, lease.Paths()[0], whole || file.RowCount <= fewRows)
	if err != nil {
		return nil, err
	}
	b.foreign.put(one, k)
	return k, nil
}

// errLarge: a file has too many bytes to be kept in memory.
var errLarge = errors.New("file is too large for the memory")

// readKeyed reads a local data file.
func readKeyed(ctx context.Context, path string, whole bool) (*keyedRows, error) {
	if !whole {
		if filter, err := format.ReadKeyFilter(path); err != nil || filter != nil {
			return &keyedRows{filter: filter, size: filterBytes}, err
		}
		k := &keyedRows{last: map[string]int32{}}
		err := format.ReadIdentities(path, func(r *format.Row) {
			text := firstKey(r)
			if k.size += len(text); k.size <= maxForeignBytes {
				k.last[text] = 0
			}
		})
		if k.size > maxForeignBytes {
			err = errLarge
		}
		return k, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	var rows []format.Row
	size := 0
	err = format.Batches(ctx, f, info.Size(), func(batch []format.Row) error {
		for i := range batch {
			size += batch[i].Size()
		}
		if size > maxForeignBytes {
			return errLarge
		}
		rows = append(rows, batch...)
		return nil
	})
	k := newKeyedRows(rows)
	k.size = size
	return k, err
}
