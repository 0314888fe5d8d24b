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
	"github.com/ontosql/ontosql/sqlite/dbschema"
	"github.com/ontosql/ontosql/sqlite/sqlconn"
)

// Versions returns a Cursor of a type's versions in the window (Lower, Upper] of the pin, from
// the type's last drop on (decision A14). keys, if not nil, restricts them to identities whose
// entity_key or left_key is one of these texts; each is looked up in the index, and if Mode is
// Latest only the newest version of an entity is read. Nothing is read or locked before Next.
func (db *DB) Versions(ctx context.Context, pin *resolver.Pin, t *catalog.Type, w ontosql.Window, keys []string) (*Cursor, error) {
	c := &Cursor{
		db: db, pin: pin, ref: t.Ref, mode: w.Mode,
		lower: max(w.Lower, pin.View.Floor(t.Ref)-1, 0), upper: min(w.Upper, pin.Head.Commit),
	}
	_, c.expected = pin.View.Count(t.Ref, c.lower, c.upper)
	if c.expected == 0 || keys != nil && len(keys) == 0 {
		c.done, c.ordered = true, true
		return c, nil
	}
	s := db.latest.Load()
	if keys == nil || !s.contains(pin) {
		// A lookup by keys checks for changes of the file after reading.
		var err error
		if s, err = db.snapshotOf(ctx, pin); err != nil {
			return nil, err
		}
	}
	h, ok := dbschema.HistoryOf(t.Ref.Kind, s.histories)
	if !ok {
		return nil, ontosql.Corrupt("sqlite_schema", "", "the table of %s is gone", t.Ref)
	}
	c.file, c.history, c.state = s.conn.file, h, s
	runs := runsAfter(s.commits.rowRuns[t.Ref], c.lower)
	if c.first = runs[0].first; keys != nil {
		c.keys = keys
		if len(keys) > 1 {
			c.keys = slices.Compact(slices.Sorted(slices.Values(keys)))
		}
		c.unchanged = s.commits.view.Floor(t.Ref) == pin.View.Floor(t.Ref)
	} else {
		c.ranges, c.fullScan = ranges(runs, c.upper), true
		c.ordered = idsFollowCommits(runs, c.upper)
		c.bySQL = c.expected < minRowsByPage
	}
	return c, nil
}

// minRowsByPage is the number of rows from which reading by page is faster: finding the
// table's pages costs as much as a statement over some hundred rows.
const minRowsByPage = 500

// snapshotOf returns a snapshot whose history contains the pin's head; ErrReplaced if the file
// has another history.
func (db *DB) snapshotOf(ctx context.Context, pin *resolver.Pin) (*snapshot, error) {
	f, err := db.currentFile()
	if err != nil {
		return nil, err
	}
	if s := db.latest.Load(); s.contains(pin) && s.conn.file == f {
		return s, nil
	}
	s, err := db.refresh(ctx)
	if err == nil && !s.contains(pin) {
		err = ErrReplaced
	}
	return s, err
}

// contains reports whether the pin's history is a prefix of the snapshot's.
func (s *snapshot) contains(pin *resolver.Pin) bool {
	if s.conn == nil {
		return false
	}
	e := s.commits.view.Commit(pin.Head.Commit)
	return pin.Head.Commit == 0 || e != nil && e.Path == pin.Head.ManifestPath
}

// Cursor reads versions of a type in batches. Between batches it holds no lock and no
// transaction, so it may be read slowly, and abandoned without Close.
//
// The columns of a batch are those of the identity (entity_key, or left_key,
// right_key and instance_key) as Text, commit_id and schema_version_id, which may
// be NULL, as Int64, fields_json as Text in the bytes it has in the file, and id as
// Int64, the row's in entity_history or relation_history. They come in the order of
// ids, or in the reverse one (NewestFirst); those of a look-up by keys in the order of
// the keys, and of ids within one key.
// A fields_json that is not UTF-8 comes as a text that is not JSON.
type Cursor struct {
	db           *DB
	pin          *resolver.Pin
	ref          ontosql.TypeRef
	mode         ontosql.Mode
	lower, upper ontosql.CommitID
	file         *file
	state        *snapshot // of the file before reading
	history      dbschema.History
	batch        *batch               // the batch being filled, one of batches
	batches      [batchesAlive]*batch // used in rotation
	batchCount   int                  // number of batches so far

	unchanged bool // everything a lookup by keys read was as in state
	// confirmed is the pin of that state, if the file was unchanged afterwards.
	confirmed *resolver.Pin
	conn      *conn // last used for reading,
	version   int64 // and its PRAGMA data_version then

	ranges []span   // not read yet
	keys   []string // not read yet
	after  int64    // id of the last row read of the first of them, 0 for none
	done   bool

	fullScan bool // every row of the window is read, without key lookups
	ordered  bool // the rows' ids have the order of their commits
	newest   bool // read from the last one on
	stored   *recordLayout
	bySQL    bool  // not by page
	expected int64 // rows of the window
	read     int64
	first    int64 // the id of a row of the window
}

// NewestFirst reverses the order of the rows. It must be called before the first Next. It
// returns false, without effect, if ids are not in commit order.
func (c *Cursor) NewestFirst() bool {
	c.newest = c.ordered
	return c.newest
}

// batchesAlive is the number of batches that are valid at the same time.
const batchesAlive = 3

// Next returns the next batch, or io.EOF. A batch is valid until the third batch after it is
// requested, or Close is called. If the rows are not those of the pin, Next returns
// ErrReplaced or a *DroppedError, at the end at the latest; all batches are then invalid.
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
	at := &c.batches[c.batchCount%batchesAlive]
	if *at == nil {
		*at = newBatch(c.history)
	}
	c.batch = *at
	fill := inTransaction(c.fill)
	if len(c.keys) > 0 {
		fill = c.fillByKey
	}
	err := c.db.readOf(ctx, c.file, fill)
	if err != nil {
		c.done = true
		return nil, sqlconn.StorageError("read rows of "+c.ref.String(), err)
	}
	c.read += int64(c.batch.n)
	if c.batch.n == 0 {
		return c.Next(ctx)
	}
	c.batchCount++
	return c.batch.columns(), nil
}

// Newest returns, after the last batch of a lookup by keys, the pin of the newest head at the
// time of reading, if the cursor found it; if it is nil the caller uses Pin.
func (c *Cursor) Newest() *resolver.Pin { return c.confirmed }

// Close ends the cursor.
func (c *Cursor) Close() {
	c.done, c.ranges, c.keys = true, nil, nil
	for i, b := range c.batches {
		if b != nil {
			b.release()
			c.batches[i] = nil
		}
	}
}

// fillByKey fills the batch with rows of the next keys. It needs no transaction: rows of the
// window are immutable until their type is dropped, which check notices. It may be called
// again after an error.
func (c *Cursor) fillByKey(conn *conn) error {
	if conn.file != c.file {
		return ErrReplaced
	}
	c.batch.reset()
	keys, after := c.keys, c.after
	var err error
	for err == nil && len(keys) > 0 {
		before := c.batch.n
		if err = c.readKey(conn, keys[0], after); err == nil {
			keys, after = keys[1:], 0
		} else if c.batch.n > before {
			after = c.batch.lastID()
		}
	}
	if err != nil && !errors.Is(err, errBatchFull) {
		return err
	}
	saw := conn.verified.Load()
	c.conn, c.unchanged = conn, c.unchanged && saw != nil && *saw == verifiedState{c.version, c.state}
	c.keys, c.after = keys, after
	return nil
}

// fill fills the batch with the next rows of the ranges. It may be called again after an
// error.
func (c *Cursor) fill(conn *conn) error {
	if conn.file != c.file {
		return ErrReplaced
	}
	c.batch.reset()
	if c.fullScan && !c.bySQL {
		left, err := c.byPage(conn, c.ranges)
		if err == nil {
			c.ranges = left
			return nil
		}
		if sqlconn.IsBusy(err) {
			return err
		}
		c.bySQL = true
		c.batch.reset()
	}
	ranges := c.ranges
	var err error
	for err == nil && len(ranges) > 0 {
		if err = c.readRange(conn, ranges[c.next(ranges)]); err == nil {
			ranges = c.withoutNext(ranges)
		}
	}
	if errors.Is(err, errBatchFull) {
		ranges = slices.Clone(ranges)
		if at := &ranges[c.next(ranges)]; c.newest {
			at.last = c.batch.lastID() - 1
		} else {
			at.first = c.batch.lastID() + 1
		}
		err = nil
	}
	if err != nil {
		return err
	}
	c.ranges = ranges
	return nil
}

// next returns the index of the range to read next.
func (c *Cursor) next(ranges []span) int {
	if c.newest {
		return len(ranges) - 1
	}
	return 0
}

// withoutNext returns the ranges after the next one.
func (c *Cursor) withoutNext(ranges []span) []span {
	if c.newest {
		return ranges[:len(ranges)-1]
	}
	return ranges[1:]
}

func (c *Cursor) readRange(conn *conn, s span) error {
	h, order := c.history, ""
	if c.newest {
		order = " DESC"
	}
	return sqlconn.Each(conn.Conn, fmt.Sprintf("SELECT %s FROM %s NOT INDEXED WHERE id >= ? AND id <= ? AND %s = ? AND commit_id > ? AND commit_id <= ? ORDER BY id%s",
		h.RowColumns(), h.Table, h.TypeColumn, order), c.batch.add, s.first, s.last, c.ref.Name, c.lower, c.upper)
}

// readKey adds the rows of a key. It reads PRAGMA data_version in the statement's own
// transaction, which ends with the last row.
func (c *Cursor) readKey(conn *conn, key string, after int64) error {
	sql := c.history.ByKey
	if c.mode == ontosql.Latest && c.history.Kind == ontosql.Entity {
		sql = c.history.NewestByKey
	}
	stmt, err := conn.Prepare(sql)
	if err != nil {
		return err
	}
	stmt.BindText(1, c.ref.Name)
	stmt.BindText(2, key)
	stmt.BindInt64(3, int64(c.lower))
	stmt.BindInt64(4, int64(c.upper))
	stmt.BindInt64(5, after)
	more, err := stmt.Step()
	if err != nil {
		return err
	}
	c.version, err = sqlconn.Pragma(conn.Conn, "data_version")
	for more && err == nil {
		if err = c.batch.add(stmt); err == nil {
			more, err = stmt.Step()
		}
	}
	if more {
		_ = stmt.Reset() // skip its remaining rows
	}
	return err
}

// check returns an error if the rows read are not those of the pin, because the file has
// another history or the rows were deleted.
func (c *Cursor) check(ctx context.Context) error {
	if c.unchanged {
		unchanged, err := c.db.isUnchanged(c.file)
		if unchanged {
			c.confirmed = c.state.pin
		}
		if unchanged || err != nil {
			return err
		}
	}
	s, err := c.db.refresh(ctx)
	if err != nil {
		return err
	}
	if c.conn != nil && s == c.state { // nothing was committed in the meantime
		c.conn.verified.Store(&verifiedState{c.version, s})
	}
	if s.conn.file != c.file || !s.contains(c.pin) {
		return ErrReplaced
	}
	dropped := s.commits.view.Floor(c.ref)
	if dropped == c.pin.View.Floor(c.ref) {
		dropped = 0
	}
	switch {
	case c.fullScan && c.read == c.expected:
		return nil
	case c.fullScan && dropped == 0:
		return ontosql.Corrupt(c.history.Table, "id", "%d rows of %s are there, and there were %d", c.read, c.ref, c.expected)
	case c.fullScan:
		return &DroppedError{c.ref, dropped}
	case dropped == 0:
		return nil
	}
	return c.checkDropped(ctx, dropped)
}

// checkDropped returns an error if the rows of the dropped type were deleted. The original
// deletes all or none of them.
func (c *Cursor) checkDropped(ctx context.Context, dropped ontosql.CommitID) error {
	there := false
	err := c.db.read(ctx, func(conn *conn) error {
		return sqlconn.Each(conn.Conn, fmt.Sprintf("SELECT 1 FROM %s WHERE id = ? AND %s = ?", c.history.Table, c.history.TypeColumn), func(*lite.Stmt) error {
			there = true
			return nil
		}, c.first, c.ref.Name)
	})
	if err == nil && !there {
		err = &DroppedError{c.ref, dropped}
	}
	return err
}
