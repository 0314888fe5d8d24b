package rowstore

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/mirror"
)

// Use is one statement's reference to the table of a type, until Release.
type Use struct {
	// Through is the commit that the table is complete through.
	Through ontosql.CommitID

	store *Store
	table *table
	shape *shape
	typ   *catalog.Type
	bad   map[int]bool // table.Unreadable
}

// Use is the table of a type for a reader at h, nil if there is none that fits. It also counts
// the read. h is the history last passed to Follow, or an older one.
func (s *Store) Use(h mirror.History, typ *catalog.Type) *Use {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.off {
		return nil
	}
	e := s.types[typ.Ref]
	if e == nil {
		e = &entry{}
		s.types[typ.Ref] = e
	}
	e.reads++
	e.lastUsed = s.now()
	s.waitForTable(typ.Ref)
	t := s.types[typ.Ref].table
	if t == nil {
		s.signal()
		return nil
	}
	if !t.matchesType(typ) || !t.matchesHistory(h) {
		return nil
	}
	t.uses.Add(1)
	return &Use{Through: t.Through, store: s, table: t, shape: t.shape, typ: typ, bad: t.Unreadable}
}

// Type is the type whose rows the table has.
func (u *Use) Type() *catalog.Type { return u.typ }

// Release ends the use.
func (u *Use) Release() {
	if u.table.uses.Add(-1) == 0 {
		u.store.signal()
	}
}

// Columns are visible columns of the type, by their names in SQL, for Newest. They are nil if one
// is not stored as it is shown, and if one of them or of the key has values that read as NULL with a
// warning (A17).
func (u *Use) Columns(names []string) []int {
	list := make([]int, len(names))
	for i, name := range names {
		if list[i] = columnOf(u.typ, u.shape.cols, name); list[i] < 0 {
			return nil
		}
		if at := slices.IndexFunc(u.typ.Columns, func(c catalog.Column) bool { return c.Name == name }); u.bad[at] {
			return nil
		}
	}
	if slices.ContainsFunc(u.typ.Key, func(k int) bool { return u.bad[k] }) {
		return nil
	}
	return list
}

// maxRowBytes bounds the rows that a look-up reads without the engine.
const maxRowBytes = 8 << 20

// Newest adds to a batch the newest version in the commits up to upper of each identity that
// begins with some texts, those of all key columns or of the first ones. The batch has the columns
// that Columns gave. It returns false if the batch would get more than most rows, or rows of more
// than maxRowBytes.
func (u *Use) Newest(ctx context.Context, to *column.Batch, texts []string, upper ontosql.CommitID, columns []int, most int) (bool, error) {
	prefix := tableKey(u.table.number)
	for _, text := range texts {
		prefix = appendText(prefix, []byte(text))
	}
	iter, err := u.store.db.NewIter(&pebble.IterOptions{LowerBound: prefix, UpperBound: after(prefix)})
	if err != nil {
		return false, fmt.Errorf("read row store: %w", err)
	}
	defer iter.Close()
	all, err := u.newest(ctx, to, iter, min(upper, u.Through), columns, most, len(texts) == u.shape.keys)
	if err = errors.Join(err, iter.Error()); err != nil {
		return false, fmt.Errorf("read row store: %w", err)
	}
	return all, nil
}

// newest is Newest; whole says that there is one identity at most.
func (u *Use) newest(ctx context.Context, to *column.Batch, iter *pebble.Iterator, upper ontosql.CommitID, columns []int, most int, whole bool) (bool, error) {
	var identity []byte
	size := 0
	for found := iter.First(); found; {
		identity = append(identity[:0], identityOf(iter.Key())...)
		if commitOf(iter.Key()) > upper {
			found = iter.SeekGE(appendTail(slices.Clip(identity), upper, newest))
			if !found || !bytes.Equal(identityOf(iter.Key()), identity) {
				continue // it was first written later, and the iterator is at the next identity
			}
		}
		row, err := iter.ValueAndErr()
		if size += len(row); to.Len == most || size > maxRowBytes {
			return false, nil
		}
		if err == nil {
			err = cmp.Or(context.Cause(ctx), u.shape.appendTo(to, row, columns))
		}
		if err != nil {
			return false, err
		}
		if whole {
			break
		}
		found = iter.SeekGE(after(identity))
	}
	return true, nil
}

// Distrust is called when reading failed: the store finds nothing any more, and is removed when it
// is closed.
func (u *Use) Distrust(cause error) { u.store.turnOff(cause) }
