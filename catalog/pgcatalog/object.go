package pgcatalog

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/acl"
	"github.com/ontosql/ontosql/catalog"
)

// object is one relation as pg_class and pg_attribute describe it.
type object struct {
	schema, name string
	original     string // a quoted name that finds it too, "" for none
	namespace    uint32
	oid          uint32
	rowType      uint32 // pg_class.reltype
	view         bool
	materialized bool // a materialized view
	unpopulated  bool // in addition
	builtin      bool // one of PostgreSQL's own
	ordinary     bool // a table that is no type
	temporary    bool // in addition
	comment      string
	grants       acl.Grants // of an ordinary table or a view, and of a type where grants are required
	holder       string     // the role that owns it, "" for the owner of the database
	holderOID    uint32
	governed     bool // a type, and grants are required
	columnGrants map[string]acl.Grants
	attrs        []attr
	hidden       []attr // as ctid: reachable by name, numbered below zero
	key          []int16
	keyName      string
	keyDetails   keyDetails
	uniques      []uniqueKey // besides the key
	checks       []check
	foreign      []foreignKey   // of an ordinary table
	indexes      []index        // that no constraint has made
	sequence     *TableSequence // of a sequence, nil of other relations
	owner        uint32         // the table that owns the sequence, 0 for none
	linked       bool           // a foreign key leads from it or to it
	definition   string         // a view's
	pretty       string         // likewise, with fewer parentheses, "" for the same
	source       *catalog.Type
	parts        parts
	defaults     []uint32 // of the columns that have one
	uses         []use    // what a view reads
	options      []string // pg_class.reloptions of a view or an ordinary table
	events       int64    // that a view allows (updatable)
	fixed        string   // its columns that cannot be written, as packed has them
}

// parts are the OIDs of what belongs to an object, 0 where there is no such thing.
// function is that of as_of.<type>, diff that of diff.<type>.
type parts struct{ array, rule, key, primary, function, diff uint32 }

// same reports whether two objects are the same for a client.
func (o *object) same(p *object) bool {
	return o.schema == p.schema && o.name == p.name && o.original == p.original && o.namespace == p.namespace && o.oid == p.oid &&
		o.rowType == p.rowType && o.view == p.view && o.materialized == p.materialized && o.unpopulated == p.unpopulated && o.builtin == p.builtin && o.ordinary == p.ordinary && o.temporary == p.temporary && slices.Equal(o.uniques, p.uniques) && acl.Same(o.grants, p.grants) && o.holder == p.holder && o.holderOID == p.holderOID && o.governed == p.governed && maps.EqualFunc(o.columnGrants, p.columnGrants, acl.Same) && slices.Equal(o.checks, p.checks) && sameKeys(o.foreign, p.foreign) && reflect.DeepEqual(o.indexes, p.indexes) && reflect.DeepEqual(o.sequence, p.sequence) && o.owner == p.owner && o.comment == p.comment && slices.Equal(o.attrs, p.attrs) &&
		slices.Equal(o.hidden, p.hidden) && slices.Equal(o.key, p.key) && o.keyName == p.keyName && o.keyDetails == p.keyDetails && o.linked == p.linked &&
		o.definition == p.definition && o.typeName() == p.typeName() && o.parts == p.parts && slices.EqualFunc(o.uses, p.uses, use.same) && slices.Equal(o.options, p.options) && o.events == p.events && o.fixed == p.fixed && slices.Equal(o.defaults, p.defaults)
}

// typeName is the ontology's name of the type that the object is of, "" for none.
func (o *object) typeName() string {
	if o.source == nil {
		return ""
	}
	return o.source.Ref.Name
}

// attr is one column of an object.
type attr struct {
	name        string
	typ         uint32
	typmod      int32
	notNull     bool
	inC         bool   // in collation C, and the type in another
	defaultExpr string // the expression of DEFAULT, "" for none
	comment     string
	dropped     bool // the table had the column
	identity    string
	sequence    sequenceRange // of an IDENTITY column
	generated   bool          // defaultExpr is that of a generated column
	reads       string        // the columns that it names, as packed has them
}

func (o *object) kind() string {
	if o.view {
		return "v"
	}
	if o.sequence != nil {
		return "S"
	}
	if o.materialized {
		return "m"
	}
	return "r"
}

// builtins are PostgreSQL's own relations, under their own OIDs.
var builtins = sync.OnceValue(func() []*object {
	definitions := map[string][2]string{}
	for _, row := range shape().rows["ontosql_views"] {
		definitions[objectKey(row[0].(string), row[1].(string))] = [2]string{row[2].(string), row[3].(string)}
	}
	var all []*object
	for _, r := range Relations() {
		o := &object{schema: r.Schema, name: r.Name, namespace: catalogNamespace, oid: r.OID, rowType: shape().types.rows[r.OID], view: r.View, builtin: true}
		if r.Schema == "information_schema" {
			o.namespace = infoNamespace
		}
		if text, ok := definitions[objectKey(r.Schema, r.Name)]; ok {
			o.definition, o.pretty = text[0], text[1]
		}
		for i, a := range r.attrs {
			t := shape().types.byName[a.typname]
			o.attrs = append(o.attrs, attr{name: r.Columns[i].Name, typ: t.oid, typmod: -1, notNull: a.notNull, inC: a.inC})
		}
		all = append(all, o)
	}
	return all
})

// table is public.<type>.
func table(t *catalog.Type) *object {
	o := &object{schema: "public", name: t.Table, source: t, attrs: fieldAttrs(t), hidden: systemAttrs(t, ontosql.Latest)}
	if t.Ref.Name != t.Table {
		o.original, o.comment = t.Ref.Name, t.Ref.Name
	}
	if t.Comment != "" {
		o.comment = t.Comment
	}
	for _, k := range t.Key {
		o.key = append(o.key, int16(k+1))
	}
	return o
}

// history is history.<type>.
func history(t *catalog.Type) *object {
	o := &object{
		schema: "history", name: t.Table, view: true, source: t,
		comment: "Every version of every row of " + t.Ref.Name + ", one row per version: valid from valid_from until valid_to.",
		attrs:   viewAttrs(t, ontosql.History),
	}
	o.definition = viewText(o, quoteIdent(t.Table)+" FOR SYSTEM_TIME ALL")
	return o
}

// changes is changes.<type>.
func changes(t *catalog.Type) *object {
	o := &object{
		schema: "changes", name: t.Table, view: true, source: t,
		comment: "What each commit changed in " + t.Ref.Name + ", one row per version: the new values, the names of the changed fields, and the old values in before.",
		attrs:   viewAttrs(t, ontosql.Changes),
	}
	o.definition = viewText(o, qualifiedName(o.schema, o.name))
	return o
}

// blame is blame.<type>.
func blame(t *catalog.Type) *object {
	o := &object{
		schema: "blame", name: t.Table, view: true, source: t,
		comment: "Who set each value of " + t.Ref.Name + ": one row per row and column, with the commit that gave the column the value that it has.",
	}
	for _, c := range catalog.VisibleColumns(t, ontosql.Blame) {
		o.attrs = append(o.attrs, newAttr(c, blameComments[c.Name]))
	}
	o.definition = viewText(o, qualifiedName(o.schema, o.name))
	return o
}

func virtual(v Virtual, c *catalog.Catalog) *object {
	o := &object{schema: v.Schema, name: v.Name, view: true, comment: v.Comment}
	if v.Events && c.RequireGrants {
		o.governed, o.grants = true, c.EventGrants
	}
	for _, c := range v.Columns {
		o.attrs = append(o.attrs, newAttr(c.Named, c.Comment))
	}
	o.definition = viewText(o, qualifiedName(o.schema, o.name))
	return o
}

// viewText is a view's SELECT in the layout of pg_get_viewdef.
func viewText(o *object, from string) string {
	var names []string
	for _, a := range o.attrs {
		names = append(names, quoteIdent(a.name))
	}
	return " SELECT " + strings.Join(names, ",\n    ") + "\n   FROM " + from + ";"
}
