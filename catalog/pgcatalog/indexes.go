package pgcatalog

import (
	"slices"
	"strings"
)

// TableIndex is an index of an ordinary table that no constraint has made.
type TableIndex struct {
	Name         string
	Unique       bool
	Method       string // "btree"
	Keys         []TableIndexKey
	Include      []int16
	Where        string // the condition of a partial index
	WhereColumns []int16
	Options      []string // the storage parameters, as pg_class.reloptions has them
	Comment      string
}

// TableIndexKey is a part of the key of an index.
type TableIndexKey struct {
	Column           int16   // 0 for an expression
	Text             string  // of the expression
	Columns          []int16 // that it names
	Type             uint32  // its OID
	Label            string  // the name of the column in the index
	Call             bool    // the expression is printed without parentheses
	Collation, Class string  // "" for the defaults
	Desc, First      bool
}

// index is a TableIndex of an object, with its OID.
type index struct {
	*TableIndex
	oid uint32
}

// accessMethods are the OIDs of the access methods of indexes.
var accessMethods = map[string]uint32{"btree": btreeAM, "hash": 405, "gist": 783, "gin": 2742, "brin": 3580}

// operatorClass is the OID of an operator class that meets a condition, 0 for none.
func operatorClass(method string, is func(name string, byDefault bool, typ uint32) bool) uint32 {
	r := shape().byName["pg_catalog.pg_opclass"]
	for _, row := range shape().rows["pg_opclass"] {
		name, _ := row[r.index["opcname"]].(string)
		if row[r.index["opcmethod"]] == accessMethods[method] && is(name, row[r.index["opcdefault"]] == true, row[r.index["opcintype"]].(uint32)) {
			return row[r.index["oid"]].(uint32)
		}
	}
	return 0
}

// anyArray is pg_type.oid of anyarray, which is the type of operator classes of arrays.
const anyArray = 2277

// DefaultOperatorClass is the OID of the default operator class of a type for an access method,
// 0 for none.
func DefaultOperatorClass(method string, typ uint32) uint32 {
	typ = compared(typ)
	if t := shape().types.byOID[typ]; t != nil && t.elem != 0 && t.length == -1 {
		typ = anyArray
	}
	return operatorClass(method, func(_ string, byDefault bool, of uint32) bool { return byDefault && of == typ })
}

// HasOperatorClass reports whether an access method has an operator class of a name.
func HasOperatorClass(method, class string) bool {
	return operatorClass(method, func(name string, _ bool, _ uint32) bool { return name == class }) != 0
}

// addIndex adds an index that no constraint has made.
func (f *filler) addIndex(o *object, x *index) {
	var key, classes, collations, options, expressions []any
	var list, pretty, included []string
	used := slices.Clone(x.WhereColumns)
	for i, k := range x.Keys {
		a := attr{name: k.Label, typ: k.Type, typmod: -1}
		text, inList := k.Text, k.Text
		if k.Column > 0 {
			a = o.attrs[k.Column-1].inIndex()
			text = quoteIdent(a.name)
			inList = text
			used = append(used, k.Column)
		} else {
			used = append(used, k.Columns...)
			if !k.Call {
				text, inList = "("+text+")", "(("+text+"))"
			}
			expressions = append(expressions, text)
		}
		f.addAttribute(x.oid, a.storedIn(x.Method), i+1, nil)
		f.define(classPgClass, x.oid, i+1, text)
		class := DefaultOperatorClass(x.Method, a.typ)
		if k.Class != "" {
			class = operatorClass(x.Method, func(name string, _ bool, _ uint32) bool { return name == k.Class })
		}
		key, classes, collations = append(key, k.Column), append(classes, class), append(collations, shape().types.byOID[a.typ].collation)
		option, printed := k.option()
		options, list = append(options, option), append(list, inList+printed)
		pretty = append(pretty, text+printed)
	}
	for i, number := range x.Include {
		a := o.attrs[number-1].inIndex()
		f.addAttribute(x.oid, a, len(x.Keys)+i+1, nil)
		f.define(classPgClass, x.oid, len(x.Keys)+i+1, quoteIdent(a.name))
		key, included = append(key, number), append(included, quoteIdent(a.name))
	}
	used = append(used, x.Include...)
	where := x.Where
	if quoteIdent(where) != where && !strings.HasPrefix(where, `"`) { // it is more than a column
		where = "(" + where + ")"
	}
	definition := func(table string, list []string, where string) string {
		unique, rest := "", ""
		if x.Unique {
			unique = "UNIQUE "
		}
		if included != nil {
			rest = " INCLUDE (" + strings.Join(included, ", ") + ")"
		}
		rest += printedOptions(x.Options)
		if x.Where != "" {
			rest += " WHERE " + where
		}
		return "CREATE " + unique + "INDEX " + quoteIdent(x.Name) + " ON " + table + " USING " + x.Method + " (" + strings.Join(list, ", ") + ")" + rest
	}
	f.add("pg_catalog.pg_class", Row{
		"oid": x.oid, "relname": x.Name, "relnamespace": o.namespace, "relowner": o.holderOID, "relam": accessMethods[x.Method],
		"relfilenode": x.oid, "relpages": int32(1), "relpersistence": o.persistence(), "relkind": "i", "relnatts": int16(len(key)),
		"relispopulated": true, "relreplident": "n", "reloptions": texts(x.Options),
	})
	row := Row{
		"indexrelid": x.oid, "indrelid": o.oid, "indnatts": int16(len(key)), "indnkeyatts": int16(len(x.Keys)),
		"indisunique": x.Unique, "indimmediate": true, "indisvalid": true, "indisready": true, "indislive": true,
		"indkey": key, "indclass": classes, "indcollation": collations, "indoption": options,
	}
	if x.Where != "" {
		row["indpred"] = where
	}
	if expressions != nil {
		row["indexprs"] = joinTexts(expressions)
	}
	f.add("pg_catalog.pg_index", row)
	qualified := qualifiedName(shownSchema(o.schema), o.name)
	f.define(classPgClass, x.oid, 0, definition(qualified, list, where))
	f.define(classPgClass, x.oid, prettyPart, definition(mention(o.oid), pretty, x.Where))
	f.add("pg_catalog.pg_indexes", Row{"schemaname": o.schema, "tablename": o.name, "indexname": x.Name, "indexdef": definition(qualified, list, where)})
	f.describe(classPgClass, x.oid, 0, x.Comment)
	slices.Sort(used)
	for _, number := range slices.Compact(used) {
		f.depend(classPgClass, x.oid, classPgClass, o.oid, int(number), "a")
	}
}

// storedIn is a column as an access method stores it: gin keeps the elements of arrays and the
// texts of jsonb (pg_opclass.opckeytype).
func (a attr) storedIn(method string) attr {
	t := shape().types.byOID[a.typ]
	switch {
	case method != "gin":
	case a.typ == shape().types.byName["jsonb"].oid:
		a.typ = shape().types.byName["text"].oid
	case t.elem != 0:
		a.typ = t.elem
	}
	return a
}

// option is pg_index.indoption of a part of a key, and how pg_get_indexdef prints what is not
// the default.
func (k *TableIndexKey) option() (bits int16, printed string) {
	if k.Collation != "" {
		printed += " COLLATE " + quoteIdent(k.Collation)
	}
	if k.Class != "" {
		printed += " " + quoteIdent(k.Class)
	}
	switch {
	case k.Desc && k.First:
		return 3, printed + " DESC"
	case k.Desc:
		return 1, printed + " DESC NULLS LAST"
	case k.First:
		return 2, printed + " NULLS FIRST"
	}
	return 0, printed
}

// printedOptions are storage parameters as pg_get_indexdef prints them.
func printedOptions(options []string) string {
	if len(options) == 0 {
		return ""
	}
	var parts []string
	for _, o := range options {
		name, value, _ := strings.Cut(o, "=")
		if quoteIdent(value) != value {
			value = "'" + strings.ReplaceAll(value, "'", "''") + "'"
		}
		parts = append(parts, quoteIdent(name)+"="+value)
	}
	return " WITH (" + strings.Join(parts, ", ") + ")"
}

func joinTexts(texts []any) string {
	var parts []string
	for _, t := range texts {
		parts = append(parts, t.(string))
	}
	return strings.Join(parts, ", ")
}
