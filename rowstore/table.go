package rowstore

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/mirror"
)

// table is one type of the store. If the columns of the type change, another table is made.
type table struct {
	number uint64
	ref    ontosql.TypeRef
	prefix []byte       // of its keys
	uses   atomic.Int64 // statements that read it
	old    atomic.Bool  // to be removed after the last use
	idle   idleIterators

	// Guarded by the store's mutex.
	state
	shape   *shape
	typ     *catalog.Type  // last matched
	history mirror.History // that includes Through, or nil
}

// state is what the store records of a table, as JSON.
type state struct {
	Kind, Name string
	Signature  string           // scan.Signature of the type
	Floor      ontosql.CommitID // of the type (A14)
	Through    ontosql.CommitID // the commit that the rows are complete through
	Mark       string           // mirror.History.Mark of that
	Rows       int64
	Bytes      int64        // of keys and values
	Unreadable map[int]bool // columns of the type, by position, with values that read as NULL (A17)
}

func newTable(number uint64, h mirror.History, typ *catalog.Type, s *shape) *table {
	t := &table{number: number, prefix: tableKey(number), ref: typ.Ref, shape: s, typ: typ, history: h}
	t.state = state{Kind: typ.Ref.Kind.String(), Name: typ.Ref.Name, Signature: scan.Signature(typ), Floor: typ.Floor, Unreadable: map[int]bool{}}
	return t
}

// matchesType reports whether the table has the columns and the floor of the type.
func (t *table) matchesType(typ *catalog.Type) bool {
	if t.typ == typ {
		return true
	}
	if !mirror.FitsType(typ, t.Signature, t.Floor) {
		return false
	}
	if t.shape == nil {
		t.shape = shapeOf(typ)
	}
	t.typ = typ
	return t.shape != nil
}

// matchesHistory reports whether the table belongs to a history.
func (t *table) matchesHistory(h mirror.History) bool {
	return mirror.FitsHistory(h, t.Through, t.Mark, &t.history)
}

// encode is the state as the store has it.
func (s state) encode() ([]byte, error) { return json.Marshal(s) }

// save adds the state to a batch.
func (t *table) save(b *pebble.Batch, s state) error {
	text, err := s.encode()
	if err != nil {
		return err
	}
	return b.Set(stateKey(t.number), text, nil)
}

// remove removes the rows and the state of a table.
func remove(b *pebble.Batch, number uint64) error {
	prefix := tableKey(number)
	if err := b.DeleteRange(prefix, after(prefix), nil); err != nil {
		return err
	}
	return b.Delete(stateKey(number), nil)
}

// load reads the states of the tables, and removes the rows of those that were not complete when
// the last process ended.
func (s *Store) load() (found []*table, err error) {
	iter, err := s.db.NewIter(&pebble.IterOptions{LowerBound: []byte{stateSpace}, UpperBound: []byte{stateSpace + 1}})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, iter.Close()) }()
	b := s.db.NewBatch()
	defer b.Close()
	from := tableKey(0)
	for iter.First(); iter.Valid(); iter.Next() {
		number := binary.BigEndian.Uint64(iter.Key()[1:])
		t := &table{number: number, prefix: tableKey(number)}
		if err := json.Unmarshal(iter.Value(), &t.state); err != nil {
			return nil, fmt.Errorf("state of table %d: %w", t.number, err)
		}
		t.ref = ontosql.TypeRef{Kind: ontosql.Entity, Name: t.Name}
		if t.Kind == ontosql.Relation.String() {
			t.ref.Kind = ontosql.Relation
		}
		found, s.last = append(found, t), t.number
		if err := b.DeleteRange(from, tableKey(t.number), nil); err != nil {
			return nil, err
		}
		from = after(tableKey(t.number))
	}
	if err := b.DeleteRange(from, []byte{tableSpace + 1}, nil); err != nil {
		return nil, err
	}
	return found, b.Commit(pebble.NoSync)
}
