package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
)

// load reads the objects of the file. It removes the rows of transactions that were running when
// the file was last in use. On a full disk they stay, invisible as those of a transaction that
// could not be rolled back.
func (s *Store) load(ctx context.Context, conn *duckdb.Conn) error {
	var format int64
	var last XID
	err := conn.Each(ctx, "SELECT CAST(format AS BIGINT), xid_limit FROM "+stateTable, nil, func(b *column.Batch, i int) {
		format, last = b.Cols[0].I64[i], XID(b.Cols[1].I64[i])
	})
	if err != nil {
		return err
	}
	if format != fileFormat {
		return fmt.Errorf("%s has format %d, this program knows format %d", s.path, format, fileFormat)
	}
	objects, err := s.readObjects(ctx, conn)
	if err != nil {
		return err
	}
	var running []XID
	err = conn.Each(ctx, "SELECT xid FROM "+runningTable, nil, func(b *column.Batch, i int) { running = append(running, XID(b.Cols[0].I64[i])) })
	if err != nil {
		return err
	}
	if len(running) > 0 {
		var undo []string
		for h := range objects.heaps() {
			undo = append(undo, h.undo(running)...)
		}
		err := conn.ExecTogether(ctx, append(undo, "DELETE FROM "+runningTable))
		switch {
		case isDiskFull(err):
			s.xacts.remain(running...)
		case err != nil:
			return fmt.Errorf("undo transactions that did not end: %w", err)
		}
	}
	if err := s.dropOrphans(ctx, conn, objects); err != nil {
		return err
	}
	s.xacts.after(last)
	s.limit = 0 // the first transaction that writes says more
	s.current.Store(&committed{objects: objects})
	return nil
}

// readObjects reads the schemas and tables.
func (s *Store) readObjects(ctx context.Context, conn *duckdb.Conn) (*Objects, error) {
	objects, states := newObjects(), map[int64]*SequenceState{}
	var failed error
	err := conn.Each(ctx, "SELECT kind, schema, name, definition FROM "+objectTable, nil, func(b *column.Batch, i int) {
		kind, schema := string(b.Cols[0].Str[i]), string(b.Cols[1].Str[i])
		switch kind {
		case kindSchema:
			d := &Schema{Name: schema}
			if err := json.Unmarshal(b.Cols[3].Str[i], d); err != nil {
				failed = fmt.Errorf("schema %s: %w", schema, err)
				return
			}
			objects = objects.WithSchema(d)
		case kindTable:
			d := definition{Table: &Table{}}
			if err := json.Unmarshal(b.Cols[3].Str[i], &d); err != nil {
				failed = fmt.Errorf("table %s.%s: %w", schema, b.Cols[2].Str[i], err)
				return
			}
			d.Table.Heap = newHeap(heapSchema, d.Heap, true)
			d.Table.Heap.dead = true // perhaps
			objects = objects.With(d.Table)
		case kindView:
			v := &View{}
			if err := json.Unmarshal(b.Cols[3].Str[i], v); err != nil {
				failed = fmt.Errorf("view %s.%s: %w", schema, b.Cols[2].Str[i], err)
				return
			}
			objects = objects.WithView(v)
		case kindSequence:
			d := sequenceDefinition{Sequence: &Sequence{}}
			if err := json.Unmarshal(b.Cols[3].Str[i], &d); err != nil {
				failed = fmt.Errorf("sequence %s.%s: %w", schema, b.Cols[2].Str[i], err)
				return
			}
			d.Sequence.ID, d.Sequence.State = new(SequenceID), &SequenceState{log: &sequenceLog{number: d.State}}
			states[d.State] = d.Sequence.State
			objects = objects.WithSequence(d.Sequence)
		case kindDefaults:
			if err := json.Unmarshal(b.Cols[3].Str[i], &objects.defaults); err != nil {
				failed = fmt.Errorf("default privileges: %w", err)
			}
		default:
			failed = fmt.Errorf("%s.%s is a %s, which this program does not know", schema, b.Cols[2].Str[i], kind)
		}
	})
	if err == nil {
		err = failed
	}
	if err == nil {
		err = s.loadStates(ctx, conn, states)
	}
	return objects, err
}

// dropOrphans drops the heaps that no table has, and finds the highest number of the others. On
// a full disk they stay until the workspace is opened the next time.
func (s *Store) dropOrphans(ctx context.Context, conn *duckdb.Conn, objects *Objects) error {
	used := map[string]*Heap{}
	for h := range objects.heaps() {
		used[h.name] = h
	}
	var orphans []string
	err := conn.Each(ctx, "SELECT table_name, estimated_size FROM duckdb_tables() WHERE database_name = "+duckdb.Literal(Attached)+" AND schema_name = 'heaps'", nil, func(b *column.Batch, i int) {
		name := string(b.Cols[0].Str[i])
		if h := used[name]; h != nil {
			h.rows = b.Cols[1].I64[i]
		} else {
			orphans = append(orphans, name)
		}
		delete(used, name)
		if n, err := strconv.ParseInt(strings.TrimPrefix(name, "h"), 10, 64); err == nil {
			s.heaps = max(s.heaps, n)
		}
	})
	if err != nil {
		return err
	}
	for name := range used {
		return fmt.Errorf("%s lacks the rows %s of a table", s.path, name)
	}
	for _, name := range orphans {
		err := conn.Exec(ctx, newHeap(heapSchema, name, true).drop())
		if isDiskFull(err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("drop what no table has: %w", err)
		}
	}
	return nil
}

func isDiskFull(err error) bool {
	var e *duckdb.Error
	return errors.As(err, &e) && e.Condition == duckdb.DiskFull
}
