package rowstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/objstorage/objstorageprovider"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/mirror"
)

const (
	// minIdle is how long a type must not have been looked up before its table makes room for
	// another.
	minIdle = time.Minute
	// maxBatch and maxBatchBytes are the rows, and their bytes in the source, up to which a table
	// is extended: its new rows and its state become durable together, as one batch in memory. For
	// more rows a new table is made.
	maxBatch      = 200_000
	maxBatchBytes = 64 << 20
	// sizeFactor estimates the bytes of a table for each byte of source rows.
	sizeFactor = 4
)

// task is one step of work.
type task struct {
	ref     ontosql.TypeRef
	history mirror.History
	typ     *catalog.Type
	table   *table // to be extended, nil to make one
	shape   *shape // of the type; nil if it is not stored
}

// work does all tasks, one at a time.
func (s *Store) work() {
	defer s.worker.Done()
	for {
		s.sweep()
		t := s.nextTask()
		if t == nil {
			select {
			case <-s.wake:
				continue
			case <-time.After(time.Minute): // a task may have to be tried again
				continue
			case <-s.ctx.Done():
				return
			}
		}
		began := time.Now()
		s.finish(t, s.run(t))
		if t.table != nil { // several commits are added together
			select {
			case <-time.After(min(max(3*time.Since(began), 5*time.Millisecond), time.Second)):
			case <-s.ctx.Done():
			}
		}
	}
}

// nextTask is the task that is due, nil for none.
func (s *Store) nextTask() *task {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.off || s.newest == nil || s.ctx.Err() != nil {
		return nil
	}
	for ref, e := range s.types {
		typ, ok := typeOf(s.newest, ref)
		if !ok || s.now().Before(e.retryAfter) {
			continue
		}
		if t := e.table; t != nil && (!t.matchesType(typ) || !t.matchesHistory(s.newest)) {
			s.drop(e)
		}
		switch {
		case e.table != nil && s.newest.Head() > e.table.Through:
			k := &task{ref, s.newest, typ, e.table, e.table.shape}
			if _, rows := s.newest.Size(typ, e.table.Through, s.newest.Head()); rows > maxBatch {
				k.table = nil
			}
			return k
		case e.table == nil && e.reads >= mirror.MinReads:
			return &task{ref, s.newest, typ, nil, shapeOf(typ)}
		}
	}
	return nil
}

// sweep removes the tables that nobody reads any more.
func (s *Store) sweep() {
	s.mu.Lock()
	var gone []*table
	left := s.old[:0]
	for _, t := range s.old {
		if t.uses.Load() > 0 {
			left = append(left, t)
			continue
		}
		gone = append(gone, t)
	}
	s.old = left
	s.mu.Unlock()
	if len(gone) == 0 {
		return
	}
	b := s.db.NewBatch()
	defer b.Close()
	for _, t := range gone {
		if err := remove(b, t.number); err != nil {
			s.log.Warn("row store keeps an old table", "error", err)
			return
		}
	}
	if err := b.Commit(pebble.NoSync); err != nil {
		s.log.Warn("row store keeps an old table", "error", err)
	}
}

// errNoRoom: a table is not made for lack of room, which is no fault.
var errNoRoom = errors.New("it does not fit into the budget")

// errColumns: a type is not stored because of its columns.
var errColumns = errors.New("it has columns that are not stored")

// finish records the outcome of a task. After an error it sets the time of the next attempt.
func (s *Store) finish(t *task, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.types[t.ref]
	if e.reason = err; err == nil || s.ctx.Err() != nil {
		e.failures = 0
		return
	}
	e.failures++
	wait := min(time.Second<<min(e.failures, 10), 5*time.Minute)
	switch {
	case errors.Is(err, errTooMany):
		wait = 0
	case errors.Is(err, errNoRoom), errors.Is(err, errColumns):
		wait = min(minIdle<<min(e.failures, 10), time.Hour)
	default:
		s.log.Warn("row store was not filled", "type_name", t.ref.String(), "error", err)
	}
	e.retryAfter = s.now().Add(wait)
	if e.table != nil && (e.failures > 3 || errors.Is(err, errTooMany)) {
		s.drop(e)
	}
}

// run does a task.
func (s *Store) run(k *task) error {
	h := k.history
	from, t := k.typ.Floor-1, k.table
	var next state
	if t != nil {
		from, next = t.Through, t.state
		next.Unreadable = maps.Clone(t.Unreadable)
	} else {
		if k.shape == nil {
			return errColumns
		}
		s.mu.Lock()
		s.last++
		t = newTable(s.last, h, k.typ, k.shape)
		s.mu.Unlock()
		next = t.state
	}
	next.Through, next.Mark = h.Head(), h.Mark(h.Head())
	b := s.db.NewBatch()
	defer b.Close()
	var err error
	if files, _ := h.Size(k.typ, from, h.Head()); files > 0 {
		err = s.add(k, t, &next, from, b)
	}
	if err == nil {
		err = t.save(b, next)
	}
	if err == nil {
		err = b.Commit(pebble.NoSync)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		if k.table == nil { // its file may be in the store
			s.old = append(s.old, t)
		}
		return err
	}
	s.publish(k, t, next)
	return s.makeRoom(k.ref, 0)
}

// publish makes the new state of a table known, unless the type or the history has changed. The
// caller holds the mutex.
func (s *Store) publish(k *task, t *table, next state) {
	e := s.types[k.ref]
	if k.table != nil && e.table != k.table { // it was dropped meanwhile
		return
	}
	if e.table != nil && e.table != t {
		s.drop(e)
	}
	t.state, t.history, e.table = next, k.history, t
	if typ, ok := typeOf(s.newest, k.ref); !ok || !t.matchesType(typ) || !t.matchesHistory(s.newest) {
		s.drop(e)
	}
}

// errTooMany: the new rows of a table are too large for one batch.
var errTooMany = errors.New("a new table has to be made")

// add reads the versions in the commits (from, head] and adds them to a table: to the batch, or to a
// new table as a sorted file, which the store takes over.
func (s *Store) add(k *task, t *table, next *state, from ontosql.CommitID, b *pebble.Batch) (err error) {
	rows, err := k.history.Rows(s.ctx, k.typ, from, k.history.Head())
	if err != nil {
		return fmt.Errorf("find rows: %w", err)
	}
	defer rows.Release()
	switch {
	case k.table == nil:
		s.mu.Lock()
		err := s.makeRoom(k.ref, sizeFactor*rows.Bytes)
		s.mu.Unlock()
		if err != nil {
			return err
		}
	case rows.Bytes > maxBatchBytes:
		return errTooMany
	}
	conn, err := s.engine.Conn(s.ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	names := make([]string, len(k.shape.cols), len(k.shape.cols)+1)
	for i, c := range k.shape.cols {
		names[i] = c.Name
	}
	keys := strings.Join(names[:k.shape.keys], ", ")
	err = conn.ExecBackground(s.ctx, "CREATE OR REPLACE TEMP TABLE "+mirror.Versions+" AS "+rows.SQL)
	if rows.AfterRun != nil {
		err = rows.AfterRun(err)
	}
	if err != nil {
		return fmt.Errorf("read rows: %w", err)
	}
	if rows.Unreadable != "" {
		err := conn.Each(s.ctx, rows.Unreadable, nil, func(b *column.Batch, i int) {
			if b.Cols[2].I64[i] > 0 {
				next.Unreadable[int(b.Cols[0].I64[i])] = true
			}
		})
		if err != nil {
			return fmt.Errorf("count unreadable values: %w", err)
		}
	}
	to := rowWriter(batchWriter{b})
	if k.table == nil {
		file := newFileWriter(s, t.number)
		defer func() { err = errors.Join(err, file.end(s.ctx, err == nil)) }()
		to = file
	}
	st, err := conn.Prepare(s.ctx, "SELECT "+strings.Join(append(names, "o"), ", ")+" FROM "+mirror.Versions+" ORDER BY "+keys+", c DESC, o DESC")
	if err != nil {
		return err
	}
	defer st.Close()
	found, err := st.Query(s.ctx, nil)
	if err != nil {
		return err
	}
	defer found.Close()
	var key, row []byte
	for {
		batch, err := found.Next(s.ctx)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		for i := range batch.Len {
			key = append(key[:0], tableKey(t.number)...)
			for c := range k.shape.keys {
				key = appendText(key, batch.Cols[c].Str[i])
			}
			key = appendTail(key, ontosql.CommitID(batch.Cols[k.shape.keys].I64[i]), batch.Cols[len(names)].I64[i])
			row = k.shape.appendRow(row[:0], batch, i)
			if err := to.set(key, row); err != nil {
				return err
			}
			next.Rows++
			next.Bytes += int64(len(key) + len(row))
		}
	}
}

// rowWriter takes versions, with their keys in order.
type rowWriter interface{ set(key, row []byte) error }

type batchWriter struct{ b *pebble.Batch }

func (w batchWriter) set(key, row []byte) error { return w.b.Set(key, row, nil) }

// fileWriter writes a sorted file, which the store takes over.
type fileWriter struct {
	store *Store
	path  string
	w     *sstable.Writer
	err   error // of the beginning
}

func newFileWriter(s *Store, number uint64) *fileWriter {
	f := &fileWriter{store: s, path: filepath.Join(s.path, fmt.Sprintf("fill-%d", number))}
	file, err := s.fs.FS.Create(f.path, vfs.WriteCategoryUnspecified)
	if err != nil {
		f.err = err
		return f
	}
	f.w = sstable.NewWriter(objstorageprovider.NewFileWritable(&diskFile{file, func(err error) error { return err }}), s.writerOptions)
	return f
}

func (f *fileWriter) set(key, row []byte) error {
	if f.err != nil {
		return f.err
	}
	return f.w.Set(key, row)
}

// end gives the file to the store if keep is set, otherwise it removes it.
func (f *fileWriter) end(ctx context.Context, keep bool) error {
	if f.w == nil {
		return nil
	}
	err := f.w.Close()
	if keep && err == nil {
		err = f.store.db.Ingest(ctx, []string{f.path})
	}
	_ = f.store.fs.Remove(f.path)
	if !keep { // the error is told already
		return nil
	}
	return err
}

// makeRoom drops the tables that were looked up longest ago until more bytes fit into the budget. If
// they do not, it drops the table of the type itself. The caller holds the mutex.
func (s *Store) makeRoom(ref ontosql.TypeRef, more int64) error {
	for {
		used, victim := more, (*entry)(nil)
		for other, e := range s.types {
			if e.table == nil {
				continue
			}
			used += e.table.Bytes
			if other != ref && s.now().Sub(e.lastUsed) >= minIdle && (victim == nil || e.lastUsed.Before(victim.lastUsed)) {
				victim = e
			}
		}
		switch {
		case used <= s.budget:
			return nil
		case victim == nil:
			if e := s.types[ref]; e.table != nil {
				s.drop(e)
			}
			return fmt.Errorf("%w of %d bytes: with about %d more it is %d", errNoRoom, s.budget, more, used)
		}
		s.drop(victim)
		victim.reads = 0
	}
}
