package workspace

import (
	"encoding/json"
	"fmt"
	"strings"

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

// record is how an object stands in the file.
type record struct {
	recordKey
	definition string // "" for an object that is gone
}

// recordKey tells objects of the file apart.
type recordKey struct{ kind, schema, name string }

// newRecord encodes a definition.
func newRecord(kind, schema, name string, definition any) (record, error) {
	text, err := json.Marshal(definition)
	if err != nil {
		return record{}, fmt.Errorf("encode %s %s.%s: %w", kind, schema, name, err)
	}
	return record{recordKey{kind, schema, name}, string(text)}, nil
}

// record is what the change leaves in the file.
func (e edit) record() (record, error) {
	gone := func(kind, schema, name string) (record, error) {
		return record{recordKey: recordKey{kind, schema, name}}, nil
	}
	switch {
	case e.putSchema != nil:
		return newRecord(kindSchema, e.putSchema.Name, "", e.putSchema)
	case e.dropSchema != "":
		return gone(kindSchema, e.dropSchema, "")
	case e.putDefaults != nil:
		return newRecord(kindDefaults, "", "", *e.putDefaults)
	case e.removeView != nil:
		return gone(kindView, e.removeView.Schema, e.removeView.Name)
	case e.putView != nil:
		return newRecord(kindView, e.putView.Schema, e.putView.Name, e.putView)
	case e.removeSequence != nil:
		return gone(kindSequence, e.removeSequence.Schema, e.removeSequence.Name)
	case e.putSequence != nil:
		q := e.putSequence
		return newRecord(kindSequence, q.Schema, q.Name, sequenceDefinition{q, q.State.log.number})
	case e.remove != nil:
		return gone(kindTable, e.remove.Schema, e.remove.Name)
	}
	return newRecord(kindTable, e.put.Schema, e.put.Name, definition{Table: e.put, Heap: e.put.Heap.name})
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

// has reports whether the file may have a record of the object.
func (o *Objects) has(k recordKey) bool {
	if o == nil {
		return false
	}
	switch k.kind {
	case kindSchema:
		return o.HasSchema(k.schema)
	case kindTable:
		return o.Table(k.schema, k.name) != nil
	case kindView:
		return o.View(k.schema, k.name) != nil
	case kindSequence:
		return o.Sequence(k.schema, k.name) != nil
	case kindDefaults:
		return true // none is a record, too
	}
	return false
}

// recordKeySQL is a record's key as one text, in the engine.
const recordKeySQL = "kind || ' ' || strlen(schema) || ' ' || schema || '.' || name"

// text is what recordKeySQL has for the object.
func (k recordKey) text() string {
	return fmt.Sprintf("%s %d %s.%s", k.kind, len(k.schema), k.schema, k.name)
}

// recordsSQL are the engine's statements that make changes, one after the other, in the file,
// which has the objects of the last commit. Of several changes of an object only the last one
// is written.
func recordsSQL(before *Objects, edits []edit) ([]string, error) {
	last := map[recordKey]record{}
	var keys []recordKey
	for _, e := range edits {
		r, err := e.record()
		if err != nil {
			return nil, err
		}
		if _, ok := last[r.recordKey]; !ok {
			keys = append(keys, r.recordKey)
		}
		last[r.recordKey] = r
	}
	var gone, values []string
	for _, k := range keys {
		if before.has(k) {
			gone = append(gone, duckdb.Literal(k.text()))
		}
		if text := last[k].definition; text != "" {
			values = append(values, "("+duckdb.Literal(k.kind)+", "+duckdb.Literal(k.schema)+", "+duckdb.Literal(k.name)+", "+duckdb.Literal(text)+")")
		}
	}
	var sql []string
	if len(gone) > 0 {
		sql = append(sql, "DELETE FROM "+objectTable+" WHERE list_contains(["+strings.Join(gone, ", ")+"], "+recordKeySQL+")")
	}
	if len(values) > 0 {
		sql = append(sql, "INSERT INTO "+objectTable+" VALUES "+strings.Join(values, ", "))
	}
	return sql, nil
}
