package typedquery

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/pgfunc/str"
)

// Target is a type whose rows are asked for, with the fields that are shown.
type Target struct {
	Type   *catalog.Type
	fields []field
}

// field is a field as it is shown.
type field struct {
	name  string
	value expression // no SQL for a field that the type does not have
}

// rowName is what a statement calls the row of a target.
const rowName = "t"

// NewTarget shows the fields of these names, null where the type has no such field. Without
// names it shows all; of a relation without its key, which has members of its own.
func NewTarget(t *catalog.Type, names []string) *Target {
	target := &Target{Type: t}
	if names == nil {
		for i := range t.Columns {
			if r := t.Columns[i].Role; r == catalog.FromField || r == catalog.FromEntityKey {
				names = append(names, t.Columns[i].Field)
			}
		}
	}
	for _, name := range names {
		f := field{name: name}
		if i := t.FieldIndex(name); i >= 0 {
			f.value = valueOf(rowName, &t.Columns[i])
		}
		target.fields = append(target.fields, f)
	}
	return target
}

// Names are the names of the fields that are shown.
func (t *Target) Names() []string {
	var names []string
	for _, f := range t.fields {
		names = append(names, f.name)
	}
	return names
}

// key is the column of an entity's key, or an endpoint of a relation.
func key(row string, t *catalog.Type, role catalog.Role) string {
	i := slices.IndexFunc(t.Columns, func(c catalog.Column) bool { return c.Role == role })
	return row + "." + str.QuoteIdent(t.Columns[i].Name)
}

// columns are what a statement selects of a row, with the names that Read knows.
func (t *Target) columns() string {
	list := rowName + ".commit_id AS n"
	if t.Type.Ref.Kind == ontosql.Entity {
		list += ", " + rowName + ".entity_key AS k"
	} else {
		list += ", " + key(rowName, t.Type, catalog.FromLeftKey) + "::text AS l, " + key(rowName, t.Type, catalog.FromRightKey) + "::text AS r, " + rowName + ".instance_key AS i"
	}
	for i, f := range t.fields {
		if f.value.sql != "" {
			list += ", " + cmp.Or(f.value.shown, f.value.sql) + " AS f" + strconv.Itoa(i)
		}
	}
	return list
}

// order is the order of the rows of columns.
func (t *Target) order() string {
	if t.Type.Ref.Kind == ontosql.Entity {
		return "k"
	}
	return "l, r, i"
}

// Record is a row as the original's commands show it.
type Record struct {
	Key                   string // of an entity
	Left, Right, Instance string // of a relation; Instance "" for none
	Commit                int64
	Fields                []format.Member
}

// Read reads a document that a statement returned.
func (t *Target) Read(text []byte) (*Record, error) {
	v, err := format.ParseJSON(text)
	if err != nil {
		return nil, err
	}
	members := map[string]format.Value{}
	for name, member := range v.Members() {
		members[name] = member
	}
	r := &Record{Key: members["k"].Text(), Left: members["l"].Text(), Right: members["r"].Text(), Instance: members["i"].Text()}
	r.Commit, _ = members["n"].Int64()
	for i, f := range t.fields {
		value := members["f"+strconv.Itoa(i)]
		if f.value.float && value.Kind() == format.JSONString {
			number, err := strconv.ParseFloat(value.Text(), 64)
			if err != nil {
				return nil, err
			}
			if !math.IsNaN(number) && !math.IsInf(number, 0) { // which JSON does not have
				value = format.Float(number)
			}
		}
		r.Fields = append(r.Fields, format.Member{Name: f.name, Value: value})
	}
	return r, nil
}

// Object is the original's JSON of a row. A field that has the name of another member replaces it
// there, as in the original.
func (r *Record) Object(kind ontosql.Kind) format.Value {
	members := []format.Member{{Name: "key", Value: format.String(r.Key)}}
	if kind == ontosql.Relation {
		members = []format.Member{{Name: "left_key", Value: format.String(r.Left)}, {Name: "right_key", Value: format.String(r.Right)}}
	}
	members = append(members, r.Fields...)
	members = append(members, format.Member{Name: "commit_id", Value: format.Int(r.Commit)})
	if r.Instance != "" {
		members = append(members, format.Member{Name: "instance_key", Value: format.String(r.Instance)})
	}
	return format.Object(members...)
}
