package pgcatalog

import (
	"strings"
	"sync"
)

// ownObjects are those of PostgreSQL's own objects that lie in pg_catalog alone and
// that no catalog adds to.
type ownObjects struct {
	objects   map[objectID]bool
	names     map[objectID]string          // operators without their arguments
	oids      map[uint32]map[string]uint32 // by class and name; 0 for an ambiguous one
	calls     map[objectID]string          // functions and operators with the types of their arguments
	callOIDs  map[uint32]map[string]uint32
	spellings map[string]string // of types, by other names
}

// The classes of ontosql's own objects other than functions.
const (
	classPgOpclass    = 2616
	classPgOperator   = 2617
	classPgOpfamily   = 2753
	classPgConversion = 2607
	classPgCollation  = 3456
	classPgLanguage   = 2612
	classPgTSConfig   = 3602
	classPgTSDict     = 3600
	classPgTSParser   = 3601
	classPgTSTemplate = 3764
)

var own = sync.OnceValue(func() *ownObjects {
	o := &ownObjects{
		objects: map[objectID]bool{}, names: map[objectID]string{}, oids: map[uint32]map[string]uint32{},
		calls: map[objectID]string{}, callOIDs: map[uint32]map[string]uint32{},
	}
	for class, set := range map[uint32]struct{ relation, name string }{
		classPgOpclass: {"pg_opclass", "opcname"}, classPgOperator: {"pg_operator", "oprname"}, classPgOpfamily: {"pg_opfamily", "opfname"},
		classPgConversion: {"pg_conversion", "conname"}, classPgCollation: {"pg_collation", "collname"}, classPgTSConfig: {"pg_ts_config", "cfgname"},
		classPgLanguage: {"pg_language", "lanname"},
		classPgTSDict:   {"pg_ts_dict", "dictname"}, classPgTSParser: {"pg_ts_parser", "prsname"}, classPgTSTemplate: {"pg_ts_template", "tmplname"},
	} {
		r := shape().byName["pg_catalog."+set.relation]
		o.oids[class] = map[string]uint32{}
		for _, row := range shape().rows[set.relation] {
			id, name := objectID{class, row[r.index["oid"]].(uint32)}, row[r.index[set.name]].(string)
			o.objects[id], o.names[id] = true, name
			if _, taken := o.oids[class][name]; taken {
				o.oids[class][name] = 0
				continue
			}
			o.oids[class][name] = id.oid
		}
	}
	o.addCalls()
	o.spellings = typeSpellings()
	return o
})

// addCalls adds functions and operators with their arguments.
func (o *ownObjects) addCalls() {
	add := func(class, oid uint32, call string) {
		if o.callOIDs[class] == nil {
			o.callOIDs[class] = map[string]uint32{}
		}
		o.calls[objectID{class, oid}], o.callOIDs[class][call] = call, oid
	}
	for oid, call := range describedFunctions().procedures {
		add(classPgProc, oid, call)
	}
	r := shape().byName["pg_catalog.pg_operator"]
	for _, row := range shape().rows["pg_operator"] {
		var sides []string
		for _, side := range []string{"oprleft", "oprright"} {
			if oid := row[r.index[side]].(uint32); oid != 0 {
				sides = append(sides, formatType(oid))
			} else {
				sides = append(sides, "NONE")
			}
		}
		add(classPgOperator, row[r.index["oid"]].(uint32), row[r.index["oprname"]].(string)+"("+strings.Join(sides, ",")+")")
	}
}

// typeSpellings are the names of built-in types, of the catalog and of SQL, and how
// format_type writes them.
func typeSpellings() map[string]string {
	words := map[string]string{"int": "integer", "decimal": "numeric", "float": "double precision", "none": "NONE"}
	types := shape().types
	for _, t := range types.byOID {
		if t.namespace != catalogNamespace {
			continue
		}
		words[t.name] = formatType(t.oid)
		if t.elem != 0 {
			words[strings.TrimPrefix(t.name, "_")+"[]"] = formatType(t.oid)
		}
	}
	return words
}

// callKey is a function or operator with its arguments in format_type's spelling.
func (o *ownObjects) callKey(text string) string {
	name, args, _ := strings.Cut(strings.TrimSpace(text), "(")
	var types []string
	for arg := range strings.SplitSeq(strings.TrimSuffix(args, ")"), ",") {
		if arg = strings.TrimSpace(arg); arg == "" {
			continue
		}
		if spelled, ok := o.spellings[strings.ToLower(arg)]; ok {
			arg = spelled
		}
		types = append(types, arg)
	}
	return strings.TrimPrefix(name, "pg_catalog.") + "(" + strings.Join(types, ",") + ")"
}

// callOID is the object of a call, or digits; "-" is 0.
func (v *View) callOID(class uint32, text string) (uint32, bool) {
	if oid, ok := parseOID(text); ok {
		return oid, true
	}
	key := own().callKey(text)
	if oid, ok := own().callOIDs[class][key]; ok {
		return oid, true
	}
	if class == classPgProc {
		return v.facts.procedure(key)
	}
	return 0, false
}

func (v *View) callName(class, oid uint32) (string, bool) {
	if call, ok := own().calls[objectID{class, oid}]; ok {
		return call, true
	}
	call, ok := find(v.facts, oid, func(f *facts) map[uint32]string { return f.procedures }, oid)
	return call, ok && class == classPgProc
}

// ownOID is the object of an own class that a name means, or digits.
func ownOID(class uint32, text string) (uint32, bool) {
	if oid, ok := parseOID(text); ok {
		return oid, true
	}
	name := strings.TrimPrefix(text, "pg_catalog.")
	if class != classPgOperator {
		parts, ok := splitName(text)
		if !ok || len(parts) > 3 || len(parts) > 1 && parts[len(parts)-2] != "pg_catalog" {
			return 0, false
		}
		name = parts[len(parts)-1]
	}
	oid := own().oids[class][name]
	return oid, oid != 0
}

// ownName is the name of an own object, of an operator with its schema where there
// are several of the name.
func ownName(class, oid uint32) (string, bool) {
	name, ok := own().names[objectID{class, oid}]
	switch {
	case !ok:
		return "", false
	case class != classPgOperator:
		return quoteIdent(name), true
	case own().oids[class][name] == 0:
		return "pg_catalog." + name, true
	}
	return name, true
}
