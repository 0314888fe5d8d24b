package pgcatalog

import (
	"cmp"
	"slices"
	"sync"
)

// known is what the functions of a catalog know: the facts of all its groups.
type known struct {
	database string
	common   []*facts          // of objects that are no type's
	owners   map[uint32]*facts // of the types' objects, by OID
	all      []*facts
	typeOIDs func() map[string]uint32   // by plain name and suffix
	grouped  func() map[uint32][]*facts // the facts of common that are a group's, by OID
}

func gathered(database string, groups []*group) *known {
	k := &known{database: database, owners: map[uint32]*facts{}, all: []*facts{builtinComments(), describedTypes(), describedFunctions()}}
	k.common = slices.Clone(k.all)
	for _, g := range groups {
		k.all = append(k.all, g.facts)
		if g.made.asOf == 0 {
			k.common = append(k.common, g.facts)
			continue
		}
		for _, oid := range g.made.oids() {
			k.owners[oid] = g.facts
		}
	}
	k.typeOIDs = sync.OnceValue(k.spelledTypes)
	k.grouped = sync.OnceValue(k.groupedByOID)
	return k
}

// ownFacts is how many of the common facts are PostgreSQL's own.
const ownFacts = 3

// groupedByOID finds the groups that know anything of an OID: there may be one for each of
// thousands of tables.
func (k *known) groupedByOID() map[uint32][]*facts {
	all := map[uint32][]*facts{}
	for _, f := range k.common[ownFacts:] {
		f.eachOID(func(oid uint32) {
			if of := all[oid]; len(of) == 0 || of[len(of)-1] != f {
				all[oid] = append(of, f)
			}
		})
	}
	return all
}

// eachOID calls visit for the OIDs of everything that the facts are about, for some more than
// once.
func (f *facts) eachOID(visit func(oid uint32)) {
	for id := range f.objects {
		visit(id.oid)
	}
	for id := range f.definitions {
		visit(id.oid)
	}
	for id := range f.comments {
		visit(id.oid)
	}
	for id := range f.columns {
		visit(id.relation)
	}
	for id := range f.serials {
		visit(id.relation)
	}
	for oid := range f.typeNames {
		visit(oid)
	}
	for oid := range f.procedures {
		visit(oid)
	}
	for oid := range f.relations {
		visit(oid)
	}
	for oid := range f.primary {
		visit(oid)
	}
	for oid := range f.roles {
		visit(oid)
	}
}

// oids are those of everything in the group that a function can be asked about.
func (m *making) oids() []uint32 {
	var all []uint32
	for i := range m.objects {
		o := &m.objects[i]
		all = append(all, o.oid, o.rowType, o.parts.array, o.parts.rule, o.parts.key, o.parts.primary, o.parts.function, o.parts.diff)
		all = append(all, o.defaults...)
	}
	for i := range m.links {
		all = append(all, m.links[i].oid)
	}
	return all
}

// find is what is known under a key, which is of an object with that OID.
func find[K comparable, V any](k *known, oid uint32, in func(*facts) map[K]V, key K) (v V, ok bool) {
	if f := k.owners[oid]; f != nil {
		v, ok = in(f)[key]
		return v, ok
	}
	for _, f := range k.common[:ownFacts] {
		if v, ok = in(f)[key]; ok {
			return v, true
		}
	}
	for _, f := range k.grouped()[oid] {
		if v, ok = in(f)[key]; ok {
			return v, true
		}
	}
	return v, false
}

func (k *known) object(id objectID) *named {
	n, _ := find(k, id.oid, func(f *facts) map[objectID]*named { return f.objects }, id)
	return n
}

func (k *known) relation(oid uint32) (relationFacts, bool) {
	return find(k, oid, func(f *facts) map[uint32]relationFacts { return f.relations }, oid)
}

func (k *known) typeName(oid uint32) (typeName, bool) {
	return find(k, oid, func(f *facts) map[uint32]typeName { return f.typeNames }, oid)
}

// definition is that of a part. What has no pretty form has the other alone.
func (k *known) definition(id partID) (text string, ok bool) {
	definitions := func(f *facts) map[partID]string { return f.definitions }
	if text, ok = find(k, id.oid, definitions, id); !ok && id.part == prettyPart {
		id.part = 0
		return find(k, id.oid, definitions, id)
	}
	return text, ok
}

// comment is that on a part; without a class the first in the order of texts where
// several objects have the OID.
func (k *known) comment(part partID) (string, bool) {
	comments := func(f *facts) map[partID]string { return f.comments }
	if part.class != 0 || k.owners[part.oid] != nil {
		return find(k, part.oid, comments, part)
	}
	var first string
	found := false
	for _, f := range k.common {
		if text, ok := f.comments[part]; ok && (!found || text < first) {
			first, found = text, true
		}
	}
	return first, found
}

// procedure is the function that has these arguments.
func (k *known) procedure(call string) (uint32, bool) {
	for _, f := range k.all {
		for oid, has := range f.procedures {
			if has == call {
				return oid, true
			}
		}
	}
	return 0, false
}

// spelledTypes are the types by their names in SQL, of several the one with the least OID.
func (k *known) spelledTypes() map[string]uint32 {
	oids := map[string]uint32{}
	for _, f := range k.all {
		for oid, n := range f.typeNames {
			if n.row != 0 { // which the search path finds
				continue
			}
			spelled := n.plain + n.suffix
			oids[spelled] = min(oid, cmp.Or(oids[spelled], oid))
		}
	}
	return oids
}
