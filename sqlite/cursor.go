package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	lite "zombiezen.com/go/sqlite"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/resolver"
)

// Versions reads the versions of a type in a window, for the engine: every one
// that the pin has in (Lower, Upper], as far as its last drop left any (decision
// A14). keys, if it is not nil, restricts them to identities whose first stored
// column, entity_key or left_key, is one of these texts; each is looked up in the
// index, and of an entity's only the newest one in the window is read where Mode is
// Latest.
//
// Nothing is read yet, and nothing is held until Next is called.
func (db *DB) Versions(ctx context.Context, pin *resolver.Pin, t *catalog.Type, w ontosql.Window, keys []string) (*Cursor, error) {
	c := &Cursor{
		db: db, pin: pin, ref: t.Ref, mode: w.Mode,
		lower: max(w.Lower, pin.View.Floor(t.Ref)-1, 0), upper: min(w.Upper, pin.Head.Commit),
	}
	_, c.expected = pin.View.Count(t.Ref, c.lower, c.upper)
	if c.expected == 0 || keys != nil && len(keys) == 0 {
		c.done = true
		return c, nil
	}
	s, err := db.seen(ctx, pin)
	if err != nil {
		return nil, err
	}
	h, ok := s.tables.history(t.Ref.Kind)
	if !ok {
		return nil, ontosql.Corrupt("sqlite_schema", "", "the table of %s is gone", t.Ref)
	}
	c.of, c.history = s.by.of, h
	c.batch.init(h)
	spans := ranges(s.past.runs[t.Ref], c.lower, c.upper)
	if c.first = spans[0].first; keys != nil {
		c.keys = slices.Compact(slices.Sorted(slices.Values(keys)))
	} else {
		c.ranges, c.whole = spans, true
	}
	return c, nil
}

// seen is a state of the file whose history goes through the pin's head.
func (db *DB) seen(ctx context.Context, pin *resolver.Pin) (*state, error) {
	f, err := db.stand()
	if err != nil {
		return nil, err
	}
	if s := db.known.Load(); s.has(pin) && s.by.of == f {
		return s, nil
	}
	s, err := db.look(ctx)
	if err == nil && !s.has(pin) {
		err = ErrReplaced
	}
	return s, err
}

// has reports whether the history that the pin is of is the beginning of the
// state's.
func (s *state) has(pin *resolver.Pin) bool {
	if s.by == nil {
		return false
	}
	e := s.past.view.Commit(pin.Head.Commit)
	return pin.Head.Commit == 0 || e != nil && e.Path == pin.Head.ManifestPath
}

// Cursor gives versions of a type in batches. Between two of them it holds
// nothing of the file, so that it may be read as slowly as one likes, and left
// without Close.
//
// The columns of a batch are those of the identity (entity_key, or left_key,
// right_key and instance_key) as Text, commit_id and schema_version_id, which may
// be NULL, as Int64, fields_json as Text in the bytes it has in the file, and id as
// Int64, the row's in entity_history or relation_history. They come in the order of
// ids; those of a look-up by keys in the order of the keys, and of ids within one key.
// An image that is no UTF-8 comes as a text that is no JSON.
type Cursor struct {
	db           *DB
	pin          *resolver.Pin
	ref          ontosql.TypeRef
	mode         ontosql.Mode
	lower, upper ontosql.CommitID
	of           *file
	history      history
	batch        batch

	ranges []span   // that are still to be read
	keys   []string // likewise
	after  int64    // the id of the last row of the first key that was read
	done   bool

	whole    bool  // every row of the window is read, and none is looked up by key
	expected int64 // rows of the window
	read     int64
	first    int64 // the id of the window's first row
}

// Next is the next batch, valid until Next is called again, or io.EOF. It fails
// with ErrReplaced or a *DroppedError, at the end at the latest, where the rows it
// gave are not those that the pin shows; they are not to be used then.
func (c *Cursor) Next(ctx context.Context) (*column.Batch, error) {
	if c.done {
		return nil, io.EOF
	}
	if len(c.ranges) == 0 && len(c.keys) == 0 {
		c.done = true
		if err := c.check(ctx); err != nil {
			return nil, err
		}
		return nil, io.EOF
	}
	err := c.db.read(ctx, c.fill)
	if err != nil {
		c.done = true
		return nil, storageError("read rows of "+c.ref.String(), err)
	}
	c.read += int64(c.batch.n)
	if c.batch.n == 0 {
		return c.Next(ctx)
	}
	return c.batch.columns(), nil
}

// Close ends the cursor.
func (c *Cursor) Close() { c.done, c.ranges, c.keys = true, nil, nil }

// fill fills the batch with what comes next. It may be called again after it
// failed.
func (c *Cursor) fill(conn *conn) error {
	if conn.of != c.of {
		return ErrReplaced
	}
	c.batch.reset()
	ranges, keys, after := c.ranges, c.keys, c.after
	var err error
	for err == nil && len(ranges) > 0 {
		if err = c.readRange(conn, ranges[0]); err == nil {
			ranges = ranges[1:]
		}
	}
	for err == nil && len(keys) > 0 {
		if err = c.readKey(conn, keys[0], after); err == nil {
			keys, after = keys[1:], 0
		}
	}
	if errors.Is(err, errBatchFull) {
		last := c.batch.lastID()
		if len(ranges) > 0 {
			ranges = slices.Clone(ranges)
			ranges[0].first = last + 1
		} else {
			after = last
		}
		err = nil
	}
	if err != nil {
		return err
	}
	c.ranges, c.keys, c.after = ranges, keys, after
	return nil
}

func (c *Cursor) readRange(conn *conn, s span) error {
	h := c.history
	return each(conn.Conn, fmt.Sprintf("SELECT %s FROM %s NOT INDEXED WHERE id >= ? AND id <= ? AND %s = ? AND commit_id > ? AND commit_id <= ? ORDER BY id",
		h.columns(), h.table, h.of), c.batch.add, s.first, s.last, c.ref.Name, c.lower, c.upper)
}

func (c *Cursor) readKey(conn *conn, key string, after int64) error {
	h := c.history
	where := fmt.Sprintf("%s = ? AND %s = ? AND commit_id > ? AND commit_id <= ?", h.of, h.keys[0])
	args := []any{c.ref.Name, key, c.lower, c.upper}
	newest := ""
	if c.mode == ontosql.Latest && h.kind == ontosql.Entity {
		newest = fmt.Sprintf(" AND commit_id = (SELECT commit_id FROM %s WHERE %s ORDER BY commit_id DESC LIMIT 1)", h.table, where)
		args = append(args, args...)
	}
	return each(conn.Conn, fmt.Sprintf("SELECT %s FROM %s WHERE %s%s AND +id > ? ORDER BY +id", h.columns(), h.table, where, newest),
		c.batch.add, append(args, after)...)
}

// check says whether what was read is what the pin shows: that until now the
// history has not become another one, and the rows were not removed.
func (c *Cursor) check(ctx context.Context) error {
	s, err := c.db.look(ctx)
	if err != nil {
		return err
	}
	if s.by.of != c.of || !s.has(c.pin) {
		return ErrReplaced
	}
	dropped := s.past.view.Floor(c.ref)
	if dropped == c.pin.View.Floor(c.ref) {
		dropped = 0
	}
	switch {
	case c.whole && c.read == c.expected:
		return nil
	case c.whole && dropped == 0:
		return ontosql.Corrupt(c.history.table, "id", "%d rows of %s are there, and there were %d", c.read, c.ref, c.expected)
	case c.whole:
		return &DroppedError{c.ref, dropped}
	case dropped == 0:
		return nil
	}
	return c.checkDropped(ctx, dropped)
}

// checkDropped fails if the rows of the type are gone since it was dropped. The
// original removes all or none.
func (c *Cursor) checkDropped(ctx context.Context, dropped ontosql.CommitID) error {
	there := false
	err := c.db.read(ctx, func(conn *conn) error {
		return each(conn.Conn, fmt.Sprintf("SELECT 1 FROM %s WHERE id = ? AND %s = ?", c.history.table, c.history.of), func(*lite.Stmt) error {
			there = true
			return nil
		}, c.first, c.ref.Name)
	})
	if err == nil && !there {
		err = &DroppedError{c.ref, dropped}
	}
	return err
}
