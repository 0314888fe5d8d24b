package catalog

import (
	"cmp"
	"maps"
	"slices"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/format"
)

// Past says where the rows of some older schema versions store the value of a column
// (decision A52).
type Past struct {
	Versions []int64 // schema version ids, ascending
	Field    string  // the name that the column's field had, "" where there was no such field
}

// Renaming says under which names the type has the stored members of rows of some older
// schema versions. Members that it does not list have their own.
type Renaming struct {
	Versions []int64     // schema version ids, ascending
	Names    [][2]string // the stored name and the type's, "" for a member that the type does not have
}

// Moved reports whether some column reads the rows of a schema version under another name
// than its own.
func (t *Type) Moved(version int64) bool { return t.renaming(version) != nil }

// Renamed are the new names of the members of a row of a schema version, in Renaming's
// form; nil where they have their own.
func (t *Type) Renamed(version int64) [][2]string {
	if r := t.renaming(version); r != nil {
		return r.Names
	}
	return nil
}

func (t *Type) renaming(version int64) *Renaming {
	for i := range t.Renamings {
		if _, found := slices.BinarySearch(t.Renamings[i].Versions, version); found {
			return &t.Renamings[i]
		}
	}
	return nil
}

// FieldAt is the name that the column's field had in a schema version, "" where there
// was no such field and another has the name.
func (c *Column) FieldAt(version int64) string {
	for i := range c.Past {
		if _, found := slices.BinarySearch(c.Past[i].Versions, version); found {
			return c.Past[i].Field
		}
	}
	return c.Field
}

// fieldIDs are the field ids of the types of the newest schema change; versions gives the
// versions that a type has.
func (in *Input) fieldIDs(versions func(ontosql.TypeRef) []format.SchemaVersion) map[ontosql.TypeRef]format.FieldIDs {
	return migration.FieldIDsOf(in.Change, func(ref ontosql.TypeRef) []format.SchemaVersion {
		if in.Floor(ref) > in.ChangedBy {
			return nil // dropped since
		}
		return versions(ref)
	})
}

// identify gives the columns the ids of their fields, and finds out how they are read in
// older rows. A type without ids is read by name.
func (t *Type) identify(recorded format.FieldIDs, versions []format.SchemaVersion) {
	ids := migration.FieldIDsThrough(t.Ref, recorded, versions)
	now := ids.At(t.SchemaID)
	for i := range t.Columns {
		t.Columns[i].ID = now[t.Columns[i].Field]
	}
	if plain(&ids) {
		return
	}
	for _, v := range versions {
		if v.SchemaVersionID != t.SchemaID {
			t.identifyIn(v.SchemaVersionID, ids.At(v.SchemaVersionID))
		}
	}
}

// plain reports whether each field always had one name, and no other field had it.
func plain(ids *format.FieldIDs) bool {
	owner := map[string]int64{}
	for _, f := range ids.Fields {
		for _, n := range f.Names {
			if of, known := owner[n.Name]; known && of != f.ID || n.Name != f.Names[0].Name {
				return false
			}
			owner[n.Name] = f.ID
		}
	}
	return true
}

// identifyIn finds out how columns are read in the rows of one version, whose fields have
// these ids.
func (t *Type) identifyIn(version int64, ids map[string]int64) {
	names := make(map[int64]string, len(ids))
	for name, id := range ids {
		names[id] = name
	}
	moved := map[string]string{}
	for i := range t.Columns {
		c := &t.Columns[i]
		if c.ID == 0 || c.Role == FromInstanceKey {
			continue
		}
		field := names[c.ID]
		if field == c.Field || field == "" && ids[c.Field] == 0 {
			continue
		}
		c.addPast(version, field)
		if field != "" {
			moved[field] = c.Field
		}
		if _, taken := moved[c.Field]; !taken {
			moved[c.Field] = ""
		}
	}
	t.addRenaming(version, moved)
}

func (c *Column) addPast(version int64, field string) {
	i := slices.IndexFunc(c.Past, func(p Past) bool { return p.Field == field })
	if i < 0 {
		i = len(c.Past)
		c.Past = append(c.Past, Past{Field: field})
	}
	c.Past[i].Versions = insert(c.Past[i].Versions, version)
}

func (t *Type) addRenaming(version int64, moved map[string]string) {
	if len(moved) == 0 {
		return
	}
	var names [][2]string
	for _, name := range slices.Sorted(maps.Keys(moved)) {
		names = append(names, [2]string{name, moved[name]})
	}
	i := slices.IndexFunc(t.Renamings, func(r Renaming) bool { return slices.Equal(r.Names, names) })
	if i < 0 {
		i = len(t.Renamings)
		t.Renamings = append(t.Renamings, Renaming{Names: names})
	}
	t.Renamings[i].Versions = insert(t.Renamings[i].Versions, version)
}

// insert puts a number into an ascending list.
func insert(list []int64, n int64) []int64 {
	i, found := slices.BinarySearchFunc(list, n, cmp.Compare[int64])
	if found {
		return list
	}
	return slices.Insert(list, i, n)
}
