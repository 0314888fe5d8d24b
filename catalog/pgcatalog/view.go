package pgcatalog

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// View is a catalog as it is seen along a search path: what the functions of a
// session answer from. Many sessions may share one.
type View struct {
	facts *known
	temp  string                   // the schema of the session's temporary tables, "" for none
	named []string                 // the schemas that search_path names
	path  []string                 // those that names are looked up in
	found map[uint32]func() *scope // by class

	databases map[string]uint32
}

// scope is what names without a schema mean along a path.
type scope struct {
	oids    map[string]uint32 // by every name
	visible map[uint32]bool   // the objects that their names alone find
}

// mostViews are kept for further sessions: each has the names of all objects.
const mostViews = 16

// View shows the catalog through the schemas of a search_path. pg_catalog comes first if the
// path does not name it, and the session's temporary tables come before all unless it names
// pg_temp (PostgreSQL manual, 5.9.5 and 20.11.1).
func (f *Filled) View(named []string) *View {
	f.views.Lock()
	defer f.views.Unlock()
	key := strings.Join(named, "\x00")
	v := f.views.byPath[key]
	if v == nil {
		v = &View{facts: f.facts, temp: f.temp, named: slices.DeleteFunc(slices.Clone(named), isTemp), path: withTemp(withCatalog(named), f.temp), found: map[uint32]func() *scope{}, databases: f.databases}
		for _, class := range []uint32{classPgType, classPgProc, classPgClass, classPgAuthID, classPgNamespace} {
			v.found[class] = sync.OnceValue(func() *scope { return v.look(class) })
		}
		if len(f.views.byPath) == mostViews {
			clear(f.views.byPath)
		}
		f.views.byPath[key] = v
	}
	return v
}

// look finds all objects of a class: of each name the first along the path, and
// every one by its name with the schema.
func (v *View) look(class uint32) *scope {
	s := &scope{oids: map[string]uint32{}, visible: map[uint32]bool{}}
	type candidate struct {
		*named
		place int
	}
	first := map[string]candidate{}
	for _, f := range v.facts.all {
		for _, n := range f.names {
			if n.class != class {
				continue
			}
			if n.long != "" {
				s.oids[n.long] = n.oid
			}
			place := 0
			if n.schema != "" {
				place = slices.Index(v.path, n.schema)
			}
			if other, taken := first[n.short]; place >= 0 && (!taken || place < other.place) {
				first[n.short] = candidate{n, place}
			}
		}
	}
	for short, c := range first {
		s.oids[short] = c.oid
		if !c.alias {
			s.visible[c.oid] = true
		}
	}
	return s
}

// objectOID is what a name means, or digits; "-" is 0.
func (v *View) objectOID(class uint32, text string) (uint32, bool) {
	if oid, ok := parseOID(text); ok {
		return oid, true
	}
	parts, ok := splitName(text)
	if !ok || len(parts) > 3 || len(parts) == 3 && parts[0] != v.facts.database {
		return 0, false
	}
	return v.find(class, parts)
}

// find is what a name means, in its parts.
func (v *View) find(class uint32, parts []string) (uint32, bool) {
	var keys []string
	parts = parts[max(0, len(parts)-2):]
	for i, part := range parts {
		if isTemp(part) && v.temp != "" && (i < len(parts)-1 || class == classPgNamespace) {
			part = v.temp
		}
		keys = append(keys, quoted(part))
	}
	oid, ok := v.found[class]().oids[strings.Join(keys, ".")]
	return oid, ok
}

// objectName is an object's name, with its schema where it is needed; digits where
// there is no such object.
func (v *View) objectName(class, oid uint32) string {
	n := v.facts.object(objectID{class, oid})
	switch {
	case oid == 0:
		return "-"
	case n == nil:
		return strconv.FormatUint(uint64(oid), 10)
	case v.found[class]().visible[oid]:
		return n.quoted
	}
	return n.qualified
}

// isVisible is pg_table_is_visible and its like; known is false where there is no
// such object.
func (v *View) isVisible(class, oid uint32) (visible, known bool) {
	switch class {
	case classPgClass, classPgType:
		return v.found[class]().visible[oid], v.facts.object(objectID{class, oid}) != nil
	case classPgProc: // overloaded functions do not hide each other
		n := v.facts.object(objectID{class, oid})
		return n != nil && slices.Contains(v.path, n.schema), n != nil
	}
	// All others are PostgreSQL's own, in pg_catalog.
	return slices.Contains(v.path, "pg_catalog"), own().objects[objectID{class, oid}]
}

// typeSynonyms are names of types in SQL that format_type does not give.
var typeSynonyms = map[string]string{
	"int": "integer", "decimal": "numeric", "dec": "numeric", "float": "double precision", "char": "character",
	"timestamp": "timestamp without time zone", "time": "time without time zone",
}

var (
	// of one dimension or several, which is no difference
	arrayType    = regexp.MustCompile(`(?i)^([^\[\]]*[^\[\]\s])(?:(?:\s*\[\s*\d*\s*\])+|\s+array(?:\s*\[\s*\d+\s*\])?)$`)
	modifiedType = regexp.MustCompile(`^([^()]*\S)\s*\([\d, ]*\)([^()]*)$`)
	floatType    = regexp.MustCompile(`(?i)^float\s*\(\s*(\d{1,2})\s*\)$`)
	intervalType = regexp.MustCompile(`(?i)^interval\s+(?:year|month|day|hour|minute|second)(?:\s+to\s+(?:month|hour|minute|second))?$`)
)

// typeOID is what the name of a type means: SQL's, with or without a modifier, or
// pg_type's.
func (v *View) typeOID(text string) (uint32, bool) {
	bare, suffix := strings.TrimSpace(text), ""
	if m := arrayType.FindStringSubmatch(bare); m != nil {
		bare, suffix = m[1], "[]"
	}
	if m := floatType.FindStringSubmatch(bare); m != nil {
		bare = "double precision"
		if digits, _ := strconv.Atoi(m[1]); digits <= floatDigits {
			bare = "real"
		}
	}
	if m := modifiedType.FindStringSubmatch(bare); m != nil {
		bare = m[1] + m[2]
	}
	if intervalType.MatchString(bare) {
		bare = "interval"
	}
	name := strings.ToLower(bare)
	if standard, ok := typeSynonyms[name]; ok {
		name = standard
	}
	if oid, ok := v.facts.typeOIDs()[name+suffix]; ok {
		return oid, true
	}
	if suffix == "" {
		return v.objectOID(classPgType, bare)
	}
	parts, ok := splitName(bare)
	if !ok {
		return 0, false
	}
	last := len(parts) - 1
	parts[last] = "_" + parts[last] // as an array is called
	return v.find(classPgType, parts)
}

// floatDigits are the binary digits that a real has at least.
const floatDigits = 24

// typeName is what a type is called: format_type without a modifier.
func (v *View) typeName(oid uint32) string {
	n, ok := v.typeNamed(oid)
	switch {
	case oid == 0:
		return "-"
	case !ok:
		return strconv.FormatUint(uint64(oid), 10)
	}
	return n.plain + n.suffix
}

// typeNamed is the name of a type, with its schema where it is needed.
func (v *View) typeNamed(oid uint32) (n typeName, known bool) {
	n, known = v.facts.typeName(oid)
	if n.row != 0 {
		n.plain = v.objectName(classPgType, n.row)
		n.modified = n.plain
	}
	return n, known
}

// definition is that of a part. The tables in it have their schema where it is needed.
func (v *View) definition(id partID) (text string, known bool) {
	text, known = v.facts.definition(id)
	if before, rest, ok := strings.Cut(text, mentioned); ok {
		oid, after, _ := strings.Cut(rest, mentioned)
		number, _ := strconv.ParseUint(oid, 10, 32)
		text = before + v.objectName(classPgClass, uint32(number)) + after
	}
	return text, known
}

// mentioned stands on both sides of a table's OID in a definition.
const mentioned = "\x00"

// mention is the one table that a definition names, if it names any.
func mention(table uint32) string {
	return mentioned + strconv.FormatUint(uint64(table), 10) + mentioned
}

// identity is what messages and addresses call an object.
type identity struct{ kind, schema, name, qualified, shown string }

func (v *View) identified(class, oid uint32) (identity, bool) {
	if class == classPgLanguage {
		name, known := ownName(class, oid)
		return identity{kind: "language", name: unquoted(name), qualified: name, shown: name}, known
	}
	n := v.facts.object(objectID{class, oid})
	if n == nil {
		return identity{}, false
	}
	id := identity{schema: n.schema, name: unquoted(n.quoted), qualified: n.qualified, shown: n.quoted}
	switch class {
	case classPgClass:
		r, _ := v.facts.relation(oid)
		id.kind, id.name = "table", r.name
		switch r.kind {
		case "v":
			id.kind = "view"
		case "m":
			id.kind = "materialized view"
		case "i":
			id.kind = "index"
		}
		id.shown = v.objectName(class, oid)
	case classPgNamespace:
		id.kind = "schema"
	case classPgAuthID:
		id.kind = "role"
	case classPgType:
		id.kind, id.qualified = "type", v.typeName(oid)
		id.shown = id.qualified
	case classPgProc:
		id.kind, id.name = "function", ""
		id.shown, _ = v.callName(class, oid)
		id.qualified = id.shown
		if n.schema == "pg_catalog" {
			id.qualified = "pg_catalog." + id.shown
		}
	}
	return id, id.kind != ""
}

func unquoted(name string) string {
	if inner, ok := strings.CutPrefix(name, `"`); ok {
		return strings.ReplaceAll(strings.TrimSuffix(inner, `"`), `""`, `"`)
	}
	return name
}
