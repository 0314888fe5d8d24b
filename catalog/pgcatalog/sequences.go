package pgcatalog

import (
	"strconv"

	"github.com/ontosql/ontosql/acl"
)

// TableSequence is a sequence.
type TableSequence struct {
	Name             string
	Type             uint32 // its OID
	Start, Increment int64
	Max, Min, Cache  int64
	Cycle            bool
	Comment          string
	Owner            string // a role, "" for the owner of the database
	Grants           acl.Grants
	Table            string // that owns it, "" for none
	Column           int16  // that owns it
	Identity         bool   // it is that of an IDENTITY column
}

// sequenceRange is what information_schema.columns has of the sequence of an IDENTITY column.
type sequenceRange struct {
	start, increment, max, min int64
	cycle                      bool
}

// sequenceOf is the object of a sequence.
func sequenceOf(s *TableSchema, q *TableSequence) *object {
	types := shape().types.byName
	return &object{schema: s.Name, name: q.Name, ordinary: true, temporary: s.Temporary, comment: q.Comment, holder: q.Owner, grants: q.Grants, sequence: q, attrs: []attr{
		{name: "last_value", typ: types["int8"].oid, typmod: -1, notNull: true},
		{name: "log_cnt", typ: types["int8"].oid, typmod: -1, notNull: true},
		{name: "is_called", typ: types["bool"].oid, typmod: -1, notNull: true},
	}}
}

// addSequence adds the parameters of a sequence.
func (f *filler) addSequence(o *object) {
	q := o.sequence
	f.add("pg_catalog.pg_sequence", Row{
		"seqrelid": o.oid, "seqtypid": q.Type, "seqstart": q.Start, "seqincrement": q.Increment, "seqmax": q.Max, "seqmin": q.Min,
		"seqcache": q.Cache, "seqcycle": q.Cycle,
	})
	if o.owner != 0 {
		kind := "a"
		if q.Identity {
			kind = "i"
		}
		f.depend(classPgClass, o.oid, classPgClass, o.owner, int(q.Column), kind)
		f.facts.serials[columnID{o.owner, int64(q.Column)}] = qualifiedName(o.schema, o.name)
	}
}

// addInfoSequence adds what information_schema shows of a sequence.
func (f *filler) addInfoSequence(o *object) {
	q := o.sequence
	if q.Identity {
		return
	}
	t := shape().types.byOID[q.Type]
	f.add("information_schema.sequences", Row{
		"sequence_catalog": f.database, "sequence_schema": o.schema, "sequence_name": o.name, "data_type": plainName(t),
		"numeric_precision": precision(t.name, -1)["numeric_precision"], "numeric_precision_radix": int32(2), "numeric_scale": int32(0),
		"start_value": int64Text(q.Start), "minimum_value": int64Text(q.Min), "maximum_value": int64Text(q.Max), "increment": int64Text(q.Increment), "cycle_option": yesNo(q.Cycle),
	})
}

func int64Text(n int64) string { return strconv.FormatInt(n, 10) }

// serialSequence is the sequence that a column of a table owns.
func (v *View) serialSequence(table uint32, column string) (name string, known bool) {
	for _, f := range v.facts.common {
		for id, sequence := range f.serials {
			if id.relation != table {
				continue
			}
			for _, of := range v.facts.common {
				if of.columns[id] == column {
					return sequence, true
				}
			}
		}
	}
	return "", false
}
