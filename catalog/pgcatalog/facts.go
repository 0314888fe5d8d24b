package pgcatalog

import "sync"

// facts are what the functions of the catalog know of a group's objects.
type facts struct {
	names       []*named
	objects     map[objectID]*named // without aliases
	typeNames   map[uint32]typeName
	procedures  map[uint32]string // name(types of the arguments)
	definitions map[partID]string
	comments    map[partID]string
	columns     map[columnID]string
	relations   map[uint32]relationFacts
	primary     map[uint32]uint32   // table to index
	serials     map[columnID]string // the sequences that columns own
	roles       map[uint32]string
}

// objectID is an object: the OID of the relation that it is a row of, and its own.
type objectID struct{ class, oid uint32 }

// partID is a part of an object: a column, or one of the texts that define it.
type partID struct {
	objectID
	part int
}

type columnID struct {
	relation uint32
	num      int64
}

// named is one name of an object.
type named struct {
	objectID
	schema    string // "" for what is in no schema
	short     string // by which it is found along the search path
	long      string // by which it is found without
	quoted    string // as SQL needs it, where it is found without a schema,
	qualified string // and where it is not
	alias     bool   // it is called otherwise
}

type relationFacts struct {
	schema   string
	name     string
	kind     string // pg_class.relkind
	writable bool
	events   int64  // pg_relation_is_updatable
	fixed    string // the columns of a view that cannot be written, their numbers as packed has them
}

func newFacts() *facts {
	return &facts{
		objects: map[objectID]*named{}, typeNames: map[uint32]typeName{}, procedures: map[uint32]string{},
		definitions: map[partID]string{}, comments: map[partID]string{}, columns: map[columnID]string{},
		relations: map[uint32]relationFacts{}, primary: map[uint32]uint32{}, serials: map[columnID]string{}, roles: map[uint32]string{},
	}
}

func (f *facts) addName(n named) {
	f.names = append(f.names, &n)
	if !n.alias {
		f.objects[n.objectID] = &n
	}
}

func (f *facts) addType(oid uint32, n typeName) { f.typeNames[oid] = n }

// describe adds a comment on an object or a column. That of an object is found without
// its class too, the first in the order of texts where several have its OID.
func (f *facts) describe(part partID, comment string) {
	f.comments[part] = comment
	if part.part != 0 {
		return
	}
	part.class = 0
	if other, taken := f.comments[part]; !taken || comment < other {
		f.comments[part] = comment
	}
}

// relation takes down a row of pg_class, column one of pg_attribute, index one of
// pg_index.
func (f *facts) relation(row Row) {
	kind, _ := row["relkind"].(string)
	f.relations[row["oid"].(uint32)] = relationFacts{name: row["relname"].(string), kind: kind, writable: kind == "r" && row["relreplident"] == "d"}
}

func (f *facts) column(relation uint32, num int, name string) {
	if num > 0 {
		f.columns[columnID{relation, int64(num)}] = name
	}
}

// builtinComments are those on PostgreSQL's own objects.
var builtinComments = sync.OnceValue(func() *facts {
	f := newFacts()
	r := shape().byName["pg_catalog.pg_description"]
	for _, row := range shape().rows["pg_description"] {
		id := objectID{row[r.index["classoid"]].(uint32), row[r.index["objoid"]].(uint32)}
		f.describe(partID{id, int(row[r.index["objsubid"]].(int32))}, row[r.index["description"]].(string))
	}
	return f
})
