package rowstore

import (
	"bytes"
	"context"
	"slices"
	"sort"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/mirror"
)

// Recent is a mirror.History that can read its last commits without the engine. A table is behind the
// newest commits until they are added to it, and is read together with them meanwhile.
type Recent interface {
	mirror.History
	// RecentByKey prepares look-ups in the commits (after, through]. find returns the versions with a
	// text of the first key column as a batch of scan.StoredColumns; ok is false if the engine has
	// to read them. It is nil if the engine has to read all.
	RecentByKey(ctx context.Context, t *catalog.Type, after, through ontosql.CommitID) (find func(text string) (b *column.Batch, ok bool))
	// RecentRows returns all versions in these commits in the same form.
	RecentRows(ctx context.Context, t *catalog.Type, after, through ontosql.CommitID) (b *column.Batch, ok bool)
}

// Reach makes the versions in the commits behind the table readable, up to a commit. It returns false if
// the engine has to read them. It may read from the storage.
func (u *Use) Reach(ctx context.Context, upper ontosql.CommitID) bool {
	if upper <= u.Through {
		return true
	}
	if files, _ := u.history.Size(u.typ, u.Through, upper); files == 0 {
		return true
	}
	if h, ok := u.history.(Recent); ok {
		u.recent = h.RecentByKey(ctx, u.typ, u.Through, upper)
	}
	if u.recent == nil {
		return false
	}
	u.reached = upper
	return true
}

// version is a version that is not in the store yet, as the store will have it.
type version struct{ key, row []byte }

// recentVersions are the versions behind the table whose keys begin with a prefix, which has the text of
// the first key column, in the order of their keys. ok is false if the engine has to read them.
func (u *Use) recentVersions(prefix []byte, text string) (found []version, ok bool) {
	if u.recent == nil {
		return nil, true
	}
	b, ok := u.recent(text)
	if !ok {
		return nil, false
	}
	for i := range b.Len {
		key := u.shape.appendKey(bytes.Clone(u.table.prefix), b, i)
		if bytes.HasPrefix(key, prefix) {
			found = append(found, version{key, u.shape.appendRow(nil, b, i)})
		}
	}
	slices.SortFunc(found, func(a, b version) int { return bytes.Compare(a.key, b.key) })
	return found, true
}

// iterator reads the versions of a table in the order of their keys, and with them some of those
// behind the table. Its methods are those of pebble.Iterator.
type iterator struct {
	stored  *pebble.Iterator
	idle    *idleIterators   // where stored is kept afterwards
	epoch   int              // of idle, when stored was made
	through ontosql.CommitID // the worker may have added versions of later commits meanwhile
	recent  []version        // the versions behind the table; set before SeekGE
	at      int              // in recent
}

// versions are the versions of the table. The caller closes the iterator.
func (u *Use) versions() (iterator, error) {
	idle := &u.table.idle
	stored, epoch := idle.take()
	if stored == nil {
		var err error
		stored, err = u.store.db.NewIter(&pebble.IterOptions{LowerBound: u.table.prefix, UpperBound: after(u.table.prefix)})
		if err != nil {
			return iterator{}, err
		}
	}
	return iterator{stored: stored, idle: idle, epoch: epoch, through: u.Through}, nil
}

// SeekGE goes to the first version at or behind a key.
func (i *iterator) SeekGE(key []byte) bool {
	i.at = sort.Search(len(i.recent), func(k int) bool { return bytes.Compare(i.recent[k].key, key) >= 0 })
	i.stored.SeekGE(key)
	return i.settle()
}

// Next goes to the next version.
func (i *iterator) Next() bool {
	if i.isRecent() {
		i.at++
	} else {
		i.stored.Next()
	}
	return i.settle()
}

// settle leaves out the versions of the store that are behind the table.
func (i *iterator) settle() bool {
	for i.stored.Valid() && commitOf(i.stored.Key()) > i.through {
		i.stored.Next()
	}
	return i.Valid()
}

// Valid reports whether there is a version at the iterator's place.
func (i *iterator) Valid() bool { return i.at < len(i.recent) || i.stored.Valid() }

// isRecent reports whether the version is one behind the table.
func (i *iterator) isRecent() bool {
	return i.at < len(i.recent) && (!i.stored.Valid() || bytes.Compare(i.recent[i.at].key, i.stored.Key()) < 0)
}

// Key is the key of the version, until the iterator moves.
func (i *iterator) Key() []byte {
	if i.isRecent() {
		return i.recent[i.at].key
	}
	return i.stored.Key()
}

// ValueAndErr is the row of the version, until the iterator moves.
func (i *iterator) ValueAndErr() ([]byte, error) {
	if i.isRecent() {
		return i.recent[i.at].row, nil
	}
	return i.stored.ValueAndErr()
}

// Error is the error that ended the versions early.
func (i *iterator) Error() error { return i.stored.Error() }

// Close ends the reading. It returns the error of Error, if there is one.
func (i *iterator) Close() error { return i.idle.put(i.stored, i.epoch) }
