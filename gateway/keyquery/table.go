package keyquery

import (
	"slices"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rowstore"
)

// table is how rows of one type are read: by which keys, and into which columns, the slots.
type table struct {
	ref      int
	typ      *catalog.Type
	versions bool                           // all versions are read, and not the newest alone
	keys     [][]scope.KeyCondition         // on each of the first key columns
	rest     []scope.KeyCondition           // on later ones
	restAt   []int                          // of stored, the columns of these
	from     map[scope.KeyQueryColumn]place // where columns are that conditions name
	outer    bool                           // joined rows without a match are kept
	stored   []int                          // stored columns that are read (rowstore.Reader)
	slots    []slot
	places   []int // of columns of the type, and of its key, that are used
}

// slot is a column that is made of a row.
type slot struct {
	typ    column.Type
	from   source
	column int // of table.stored
}

// source is what a slot is made of.
type source uint8

const (
	fromStored     source = iota // the stored column itself
	fromImage                    // fields_json
	fromCommitTime               // when the version was committed
	fromNextTime                 // when the next version was
	fromNextCommit               // the commit of that
	fromCurrent                  // whether there is none
	fromChange                   // 'insert' or 'update'
	fromChanged                  // the names of the fields that the version before has otherwise
	fromBefore                   // fields_json of the version before
)

var (
	timeType  = column.Type{Kind: column.TimestampTZ}
	textType  = column.Type{Kind: column.Text}
	jsonType  = column.Type{Kind: column.JSON}
	textsType = column.Type{Kind: column.List, Elem: &textType}
)

// systemColumns are the columns that no field of a type is, by their names, as
// catalog.SystemColumns has them.
var systemColumns = map[string]struct {
	slot
	stored rowstore.Stored
	n      int
}{
	"commit_id":         {slot: slot{typ: column.Type{Kind: column.Int64}}, stored: rowstore.Commit},
	"schema_version_id": {slot: slot{typ: column.Type{Kind: column.Int64}}, stored: rowstore.SchemaVersion},
	"entity_key":        {slot: slot{typ: textType}, stored: rowstore.FirstKey},
	"instance_key":      {slot: slot{typ: textType}, stored: rowstore.FirstKey, n: 2},
	"fields_json":       {slot: slot{typ: jsonType, from: fromImage}, stored: rowstore.Image},
	"committed_at":      {slot: slot{typ: timeType, from: fromCommitTime}, stored: rowstore.Commit},
	"valid_from":        {slot: slot{typ: timeType, from: fromCommitTime}, stored: rowstore.Commit},
	"valid_to":          {slot: slot{typ: timeType, from: fromNextTime}, stored: rowstore.Commit},
	"valid_to_commit":   {slot: slot{typ: column.Type{Kind: column.Int64}, from: fromNextCommit}, stored: rowstore.Commit},
	"is_current":        {slot: slot{typ: column.Type{Kind: column.Bool}, from: fromCurrent}, stored: rowstore.Commit},
	"change":            {slot: slot{typ: textType, from: fromChange}, stored: rowstore.Image},
	"changed_fields":    {slot: slot{typ: textsType, from: fromChanged}, stored: rowstore.Image},
	"before":            {slot: slot{typ: jsonType, from: fromBefore}, stored: rowstore.Image},
}

// newTable is nil if the rows cannot be read by the keys.
func newTable(step *scope.KeyStep, of Source) *table {
	if of.Mode != ontosql.Latest && of.Mode != ontosql.History && of.Mode != ontosql.Changes {
		return nil
	}
	t := &table{
		ref: step.Ref, typ: of.Type, versions: of.Mode != ontosql.Latest, outer: step.Outer, places: slices.Clone(of.Type.Key),
		from: map[scope.KeyQueryColumn]place{}, keys: make([][]scope.KeyCondition, len(scan.KeyColumns(of.Type.Ref.Kind))),
	}
	for _, k := range step.Keys {
		t.keys[k.Place] = append(t.keys[k.Place], k)
	}
	if end := slices.IndexFunc(t.keys, func(of []scope.KeyCondition) bool { return of == nil }); end >= 0 {
		t.keys, t.rest = t.keys[:end], slices.Concat(t.keys[end:]...)
	}
	for _, k := range t.rest {
		t.restAt = append(t.restAt, t.read(rowstore.StoredColumn(of.Type, rowstore.FirstKey, k.Place)))
	}
	if len(t.keys) == 0 {
		return nil
	}
	return t
}

// read is the place of a stored column among those that are read.
func (t *table) read(stored int) int {
	at := slices.Index(t.stored, stored)
	if at < 0 {
		at = len(t.stored)
		t.stored = append(t.stored, stored)
	}
	return at
}

// slotOf is the slot of a column, which is made if need be, -1 if the column cannot be read.
func (t *table) slotOf(c scope.KeyQueryColumn) int {
	if place := t.typ.ColumnIndex(c.Name); place >= 0 && !c.System {
		stored := rowstore.TypeColumn(t.typ, place)
		if stored < 0 {
			return -1
		}
		t.places = append(t.places, place)
		return t.add(slot{typ: scan.StoredColumns(t.typ)[stored].Type}, stored)
	}
	s, ok := systemColumns[c.Name]
	if !ok || s.from >= fromChange && len(t.typ.Renamings) > 0 {
		return -1
	}
	return t.add(s.slot, rowstore.StoredColumn(t.typ, s.stored, s.n))
}

// add adds a slot that is made of a stored column, unless there is one.
func (t *table) add(s slot, stored int) int {
	s.column = t.read(stored)
	at := slices.IndexFunc(t.slots, func(have slot) bool {
		return have.from == s.from && have.column == s.column && have.typ.Kind == s.typ.Kind
	})
	if at < 0 {
		at = len(t.slots)
		t.slots = append(t.slots, s)
	}
	return at
}

// isDirect reports whether the slots are the stored columns that are read, in their order.
func (t *table) isDirect() bool {
	for i, s := range t.slots {
		if s.from != fromStored || s.column != i {
			return false
		}
	}
	return len(t.slots) == len(t.stored)
}
