package workspace

import (
	"encoding/json"
	"fmt"

	"github.com/ontosql/ontosql/duckdb"
)

// edit is a change of the objects of a store. One of its fields is set.
type edit struct {
	put, remove         *Table
	putView, removeView *View
	putSequence         *Sequence
	removeSequence      *Sequence
	putSchema           *Schema
	dropSchema          string
	putDefaults         *[]DefaultGrants
}

// apply makes the change.
func (e edit) apply(o *Objects) *Objects {
	switch {
	case e.put != nil:
		return o.With(e.put)
	case e.remove != nil:
		return o.Without(e.remove)
	case e.putView != nil:
		return o.WithView(e.putView)
	case e.removeView != nil:
		return o.WithoutView(e.removeView)
	case e.putSequence != nil:
		return o.WithSequence(e.putSequence)
	case e.removeSequence != nil:
		return o.WithoutSequence(e.removeSequence)
	case e.putSchema != nil:
		return o.WithSchema(e.putSchema)
	case e.putDefaults != nil:
		return o.withDefaults(*e.putDefaults)
	}
	return o.WithoutSchema(e.dropSchema)
}

// The kinds of objects in the file.
const (
	kindSchema = "schema"
	kindTable  = "table"
	kindView   = "view"

	kindSequence = "sequence"
	kindDefaults = "default privileges" // one object without a name
)

// sql are the engine's statements that make the change in the file.
func (e edit) sql() ([]string, error) {
	switch {
	case e.putSchema != nil:
		return e.putSchema.sql()
	case e.dropSchema != "":
		return []string{forget(kindSchema, e.dropSchema, "")}, nil
	case e.putDefaults != nil:
		return defaultsSQL(*e.putDefaults)
	case e.removeView != nil:
		return []string{forget(kindView, e.removeView.Schema, e.removeView.Name)}, nil
	case e.putView != nil:
		return e.putView.sql()
	case e.removeSequence != nil:
		return []string{forget(kindSequence, e.removeSequence.Schema, e.removeSequence.Name)}, nil
	case e.putSequence != nil:
		return e.putSequence.sql()
	case e.remove != nil:
		return []string{forget(kindTable, e.remove.Schema, e.remove.Name)}, nil
	}
	text, err := json.Marshal(definition{Table: e.put, Heap: e.put.Heap.name})
	if err != nil {
		return nil, fmt.Errorf("encode table %s.%s: %w", e.put.Schema, e.put.Name, err)
	}
	return []string{forget(kindTable, e.put.Schema, e.put.Name), store(kindTable, e.put.Schema, e.put.Name, string(text))}, nil
}

// definition is a table in the file.
type definition struct {
	*Table
	Heap string `json:"heap"` // the name of its heap
}

// sequenceDefinition is a sequence in the file.
type sequenceDefinition struct {
	*Sequence
	State int64 `json:"state"` // the number of its value
}

// sql are the engine's statements that put the sequence into the file.
func (q *Sequence) sql() ([]string, error) {
	text, err := json.Marshal(sequenceDefinition{q, q.State.log.number})
	if err != nil {
		return nil, fmt.Errorf("encode sequence %s.%s: %w", q.Schema, q.Name, err)
	}
	return []string{forget(kindSequence, q.Schema, q.Name), store(kindSequence, q.Schema, q.Name, string(text))}, nil
}

func store(kind, schema, name, definition string) string {
	return fmt.Sprintf("INSERT INTO %s VALUES (%s, %s, %s, %s)", objectTable, duckdb.Literal(kind), duckdb.Literal(schema), duckdb.Literal(name), duckdb.Literal(definition))
}

func forget(kind, schema, name string) string {
	return fmt.Sprintf("DELETE FROM %s WHERE kind = %s AND schema = %s AND name = %s", objectTable, duckdb.Literal(kind), duckdb.Literal(schema), duckdb.Literal(name))
}
