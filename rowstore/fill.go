package rowstore

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/mirror"
)

const (
	// maxBatch and maxBatchBytes are the rows, and their bytes in the source, up to which a table
	// is extended by a batch. More rows become a sorted file, as those of a new table.
	maxBatch      = 20_000
	maxBatchBytes = 16 << 20
	// sizeFactor estimates the bytes of a table for each byte of source rows.
	sizeFactor = 4
)

// filling adds the versions of some commits to a table. They become visible and durable together with
// the state of the table.
type filling struct {
	store *Store
	task  *task
	table *table
	next  state // of the table
}

// run adds the versions in the commits (from, head].
func (f *filling) run(from ontosql.CommitID) error {
	h, typ := f.task.history, f.task.typ
	files, count := h.Size(typ, from, h.Head())
	if files == 0 {
		return f.save()
	}
	if f.task.table != nil {
		if recent, ok := h.(Recent); ok {
			if done, err := f.addRecent(recent, from); done || err != nil {
				return err
			}
		}
	}
	rows, err := h.Rows(f.store.ctx, typ, from, h.Head())
	if err != nil {
		return fmt.Errorf("find rows: %w", err)
	}
	defer rows.Release()
	if f.task.table == nil {
		f.store.mu.Lock()
		err := f.store.makeRoom(typ.Ref, sizeFactor*rows.Bytes)
		f.store.mu.Unlock()
		if err != nil {
			return err
		}
	}
	if f.task.table != nil && count <= maxBatch && rows.Bytes <= maxBatchBytes {
		return f.inBatch(func(to rowWriter) error { return f.addRows(rows, to) })
	}
	return f.inFile(func(to rowWriter) error { return f.addRows(rows, to) })
}

// rowWriter takes versions.
type rowWriter interface{ set(key, row []byte) error }

type batchWriter struct{ b *pebble.Batch }

func (w batchWriter) set(key, row []byte) error { return w.b.Set(key, row, nil) }

// save records the state alone: no commit wrote the type.
func (f *filling) save() error { return f.inBatch(func(rowWriter) error { return nil }) }

// inBatch makes one batch of the versions that add gives and the state. The versions may come in any
// order.
func (f *filling) inBatch(add func(rowWriter) error) error {
	b := f.store.db.NewBatch()
	defer b.Close()
	if err := add(batchWriter{b}); err != nil {
		return err
	}
	if err := f.table.save(b, f.next); err != nil {
		return err
	}
	return b.Commit(pebble.NoSync)
}

// inFile makes a sorted file of the versions that add gives, which come in the order of their keys.
// The store takes it over.
func (f *filling) inFile(add func(rowWriter) error) (err error) {
	w, err := newFileWriter(f.store, f.table.number)
	if err != nil {
		return err
	}
	defer w.remove()
	if err := add(w); err != nil {
		return errors.Join(err, w.close())
	}
	if err := w.close(); err != nil {
		return err
	}
	if f.task.table == nil { // rows without a state are removed at the next start
		if err := w.ingest(f.store.ctx); err != nil {
			return err
		}
		return f.save()
	}
	state, err := f.stateFile()
	if err != nil {
		return err
	}
	defer state.remove()
	// The batches before must not be lost if the file survives.
	if err := f.store.db.Flush(); err != nil {
		return err
	}
	return w.ingest(f.store.ctx, state)
}

// stateFile writes the state of the table as a sorted file.
func (f *filling) stateFile() (*fileWriter, error) {
	text, err := f.next.encode()
	if err != nil {
		return nil, err
	}
	w, err := newFileWriter(f.store, f.table.number, "state")
	if err != nil {
		return nil, err
	}
	if err := errors.Join(w.set(stateKey(f.table.number), text), w.close()); err != nil {
		w.remove()
		return nil, err
	}
	return w, nil
}

// addRecent adds versions that are read without the engine. done is false if the engine has to read
// them.
func (f *filling) addRecent(h Recent, from ontosql.CommitID) (done bool, err error) {
	batch, ok := h.RecentRows(f.store.ctx, f.task.typ, from, h.Head())
	if !ok {
		return false, nil
	}
	add := func(to rowWriter) error { return f.write(batch, to) }
	if batch.Len <= maxBatch {
		return true, f.inBatch(add)
	}
	return true, f.inFile(func(to rowWriter) error {
		var all sorter
		if err := f.write(batch, &all); err != nil {
			return err
		}
		return all.writeTo(to)
	})
}

// sorter collects versions.
type sorter []version

func (s *sorter) set(key, row []byte) error {
	both := slices.Concat(key, row)
	*s = append(*s, version{both[:len(key):len(key)], both[len(key):]})
	return nil
}

// writeTo gives the versions to a writer in the order of their keys.
func (s *sorter) writeTo(to rowWriter) error {
	slices.SortFunc(*s, func(a, b version) int { return bytes.Compare(a.key, b.key) })
	for _, v := range *s {
		if err := to.set(v.key, v.row); err != nil {
			return err
		}
	}
	return nil
}

// write gives the versions of a batch to a writer, and counts them.
func (f *filling) write(batch *column.Batch, to rowWriter) error {
	var key, row []byte
	shape := f.task.shape
	for i := range batch.Len {
		key = shape.appendKey(append(key[:0], f.table.prefix...), batch, i)
		row = shape.appendRow(row[:0], batch, i)
		if err := to.set(key, row); err != nil {
			return err
		}
		f.next.Rows++
		f.next.Bytes += int64(len(key) + len(row))
	}
	return nil
}

// addRows gives the rows of a source to a writer in the order of their keys, and records which columns
// have values that read as NULL.
func (f *filling) addRows(rows *mirror.Rows, to rowWriter) error {
	s, shape := f.store, f.task.shape
	conn, err := s.engine.Conn(s.ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
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
				f.next.Unreadable[int(b.Cols[0].I64[i])] = true
			}
		})
		if err != nil {
			return fmt.Errorf("count unreadable values: %w", err)
		}
	}
	names := make([]string, len(shape.cols), len(shape.cols)+1)
	for i, c := range shape.cols {
		names[i] = c.Name
	}
	st, err := conn.Prepare(s.ctx, "SELECT "+strings.Join(append(names, "o"), ", ")+" FROM "+mirror.Versions+
		" ORDER BY "+strings.Join(names[:shape.keys], ", ")+", c DESC, o DESC")
	if err != nil {
		return err
	}
	defer st.Close()
	found, err := st.Query(s.ctx, nil)
	if err != nil {
		return err
	}
	defer found.Close()
	for {
		batch, err := found.Next(s.ctx)
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = f.write(batch, to)
		}
		if err != nil {
			return err
		}
	}
}
