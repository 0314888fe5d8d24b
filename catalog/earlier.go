package catalog

import (
	"sync"

	"github.com/ontosql/ontosql/column"
)

// earlier are the schema versions of a type but for the current one, as far as they
// can be read. That is done when somebody asks, and once: every read of the type
// asks for each of its columns.
type earlier struct {
	once     sync.Once
	versions []earlierVersion
}

type earlierVersion struct {
	id    int64
	kinds map[string]column.Kind // of its fields
}

// OtherVersions are the ids of the schema versions in which the field of a column has another
// type than the column, or does not exist. A version that cannot be read is not among them.
func (t *Type) OtherVersions(c Column) (ids []int64) {
	for _, v := range t.earlierVersions() {
		if kind, there := v.kinds[c.FieldAt(v.id)]; !there || kind != c.Type.Kind {
			ids = append(ids, v.id)
		}
	}
	return ids
}

// KindAt is the kind that a column had in a schema version, false if it did not exist then. A
// version that cannot be read had the columns of today.
func (t *Type) KindAt(c Column, version int64) (kind column.Kind, there bool) {
	for _, v := range t.earlierVersions() {
		if v.id == version {
			kind, there = v.kinds[c.FieldAt(v.id)]
			return kind, there
		}
	}
	return c.Type.Kind, true
}

func (t *Type) earlierVersions() []earlierVersion {
	e := t.earlier
	if e == nil { // no Build made the type
		e = new(earlier)
	}
	e.once.Do(func() { e.read(t) })
	return e.versions
}

func (e *earlier) read(t *Type) {
	for i := range t.Versions {
		v := &t.Versions[i]
		if v.ID == t.SchemaID {
			continue
		}
		schema, err := v.Schema(t.Ref)
		if err != nil {
			continue
		}
		kinds := make(map[string]column.Kind, len(schema.Fields))
		for _, f := range schema.Fields {
			kinds[f.Name] = TypeOf(f).Kind
		}
		e.versions = append(e.versions, earlierVersion{v.ID, kinds})
	}
}
