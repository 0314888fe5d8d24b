package pgcatalog

import (
	"cmp"

	"github.com/ontosql/ontosql/acl"
)

// The privileges in relacl: every role may read all relations and write the latest rows; no
// role may delete.
var (
	tableACL = []any{Owner + "=arw/" + Owner, "=arw/" + Owner}
	viewACL  = []any{Owner + "=r/" + Owner, "=r/" + Owner}
)

// hiddenBelow is the number below which hidden columns are counted: -1 to -7
// are those of PostgreSQL's own system columns.
const hiddenBelow = -7

func (f *filler) addRelations() {
	for i := range f.objects {
		o := &f.objects[i]
		f.addClass(o)
		defaults := o.defaults
		for i, a := range o.attrs {
			f.addAttribute(o.oid, a, i+1, o.columnGrants[a.name])
			f.describe(classPgClass, o.oid, i+1, a.comment)
			if a.defaultExpr != "" {
				f.addDefault(o, a, i+1, defaults[0])
				defaults = defaults[1:]
			}
		}
		for i, a := range o.hidden {
			f.addAttribute(o.oid, a, hiddenBelow-1-i, nil)
		}
		f.describe(classPgClass, o.oid, 0, o.comment)
		if o.definition != "" {
			f.addView(o)
		}
		if o.sequence != nil {
			f.addSequence(o)
		}
		if !o.view && o.sequence == nil {
			row := Row{
				"schemaname": o.schema, "tablename": o.name, "tableowner": o.ownerName(), "hasindexes": o.indexed() || o.builtin && ownIndexes()[o.oid] != nil,
				"hasrules": false, "hastriggers": false, "rowsecurity": false,
			}
			if sharedCatalogs[o.oid] {
				row["tablespace"] = "pg_global"
			}
			if !o.materialized {
				f.add("pg_catalog.pg_tables", row)
			}
			f.addStatistics(o)
		}
	}
}

// sharedCatalogs are PostgreSQL's own tables that all databases of a cluster have in
// common (IsSharedRelation, catalog.c).
var sharedCatalogs = map[uint32]bool{
	1213: true, 1214: true, 1260: true, 1261: true, 1262: true, 2396: true, 2964: true, 3592: true, 6000: true, 6100: true, 6243: true,
}

// tablespace is pg_class.reltablespace of a table and its indexes.
func (o *object) tablespace() uint32 {
	if sharedCatalogs[o.oid] {
		return globalTablespace
	}
	return 0
}

func (f *filler) addClass(o *object) {
	row := Row{
		"oid": o.oid, "relname": o.name, "relnamespace": o.namespace, "reltype": o.rowType, "relowner": o.holderOID,
		"reltuples": float32(-1), "relpersistence": o.persistence(), "relkind": o.kind(), "relnatts": int16(len(o.attrs)),
		"relchecks":      int16(len(o.checks)),
		"relispopulated": !o.unpopulated, "relreplident": "n", "relhasrules": o.definition != "", "relacl": viewACL,
		// PostgreSQL keeps foreign keys by triggers; psql looks for the keys only
		// where there are some.
		"relhastriggers": o.linked,
	}
	if !o.view {
		row["relam"], row["relfilenode"] = uint32(heapAM), o.oid
		row["relfrozenxid"], row["relminmxid"] = uint32(firstXID), uint32(1)
		row["relhasindex"] = o.indexed() || o.builtin && ownIndexes()[o.oid] != nil
		if !o.builtin {
			row["relreplident"], row["relacl"] = "d", tableACL
		}
		if o.namespace == infoNamespace {
			row["relreplident"] = "d"
		}
		row["relisshared"], row["reltablespace"] = sharedCatalogs[o.oid], o.tablespace()
	}
	if o.ordinary || o.governed {
		row["relacl"] = aclItems(o.grants)
	}
	row["reloptions"] = texts(o.options)
	if o.sequence != nil {
		row["relam"], row["reltype"], row["relreplident"], row["reltuples"], row["relpages"] = uint32(0), uint32(0), "n", float32(1), int32(1)
		row["relfrozenxid"], row["relminmxid"] = uint32(0), uint32(0)
	}
	f.add("pg_catalog.pg_class", row)
	r := f.facts.relations[o.oid]
	r.schema, r.events, r.fixed = o.schema, o.updatable(), o.fixed
	f.facts.relations[o.oid] = r
	if !o.builtin {
		f.depend(classPgClass, o.oid, classPgNamespace, o.namespace, 0, "n")
	}
}

// ownerName is the name of the role that owns the object.
func (o *object) ownerName() string { return cmp.Or(o.holder, Owner) }

// persistence is pg_class.relpersistence.
func (o *object) persistence() string {
	if o.temporary {
		return "t"
	}
	return "p"
}

// texts are an array of texts, NULL for none.
func texts(of []string) any {
	if len(of) == 0 {
		return nil
	}
	var out []any
	for _, text := range of {
		out = append(out, text)
	}
	return out
}

// indexed reports whether constraints of an object have indexes.
func (o *object) indexed() bool { return o.keyName != "" || len(o.uniques)+len(o.indexes) > 0 }

func (f *filler) addAttribute(relation uint32, a attr, num int, grants acl.Grants) {
	t := shape().types.byOID[a.typ]
	row := Row{
		"attrelid": relation, "attname": a.name, "atttypid": a.typ, "attstattarget": int32(-1), "attlen": t.length,
		"attnum": int16(num), "attcacheoff": int32(-1), "atttypmod": a.typmod, "attbyval": t.byVal, "attalign": t.align,
		"attstorage": t.storage, "attnotnull": a.notNull, "atthasdef": a.defaultExpr != "", "attislocal": true, "attcollation": a.collation(t), "attacl": aclItems(grants),
	}
	if t.elem != 0 {
		row["attndims"] = int32(1)
	}
	if a.identity != "" {
		row["attidentity"] = a.identity
	}
	if a.generated {
		row["attgenerated"] = "s"
	}
	if a.dropped {
		row["atttypid"], row["attisdropped"] = uint32(0), true
	}
	f.add("pg_catalog.pg_attribute", row)
	f.facts.column(relation, num, a.name)
}

// collation is that of a column of a type.
func (a *attr) collation(t *pgType) uint32 {
	if a.inC {
		return collationC
	}
	return t.collation
}

func (f *filler) addView(o *object) {
	f.define(classPgClass, o.oid, 0, o.definition)
	if o.pretty != "" {
		f.define(classPgClass, o.oid, prettyPart, o.pretty)
	}
	if o.materialized {
		f.add("pg_catalog.pg_matviews", Row{
			"schemaname": o.schema, "matviewname": o.name, "matviewowner": o.ownerName(), "hasindexes": o.indexed(), "ispopulated": !o.unpopulated,
			"definition": o.definition,
		})
	} else {
		f.add("pg_catalog.pg_views", Row{
			"schemaname": o.schema, "viewname": o.name, "viewowner": o.ownerName(), "definition": o.definition,
		})
	}
	rule := o.parts.rule
	f.add("pg_catalog.pg_rewrite", Row{
		"oid": rule, "rulename": "_RETURN", "ev_class": o.oid, "ev_type": "1", "ev_enabled": "O", "is_instead": true,
	})
	f.define(classPgRewrite, rule, 0, ruleText(qualifiedName(o.schema, o.name), o.definition))
	f.define(classPgRewrite, rule, prettyPart, ruleText(mention(o.oid), cmp.Or(o.pretty, o.definition)))
	f.depend(classPgRewrite, rule, classPgClass, o.oid, 0, "i")
	f.depend(classPgRewrite, rule, classPgClass, o.oid, 0, "n")
	if f.table != nil {
		for i := range f.table.attrs {
			f.depend(classPgRewrite, rule, classPgClass, f.table.oid, i+1, "n")
		}
	}
	for _, u := range o.uses {
		for _, number := range u.columns {
			f.depend(classPgRewrite, rule, classPgClass, u.oid, number, "n")
		}
	}
}

// ruleText is the rule that makes a view of its SELECT, as pg_get_ruledef prints it.
func ruleText(view, definition string) string {
	return "CREATE RULE \"_RETURN\" AS\n    ON SELECT TO " + view + " DO INSTEAD " + definition
}

// depend says that one object cannot be without another.
func (f *filler) depend(class, oid, refClass, refOID uint32, refColumn int, kind string) {
	f.add("pg_catalog.pg_depend", Row{
		"classid": class, "objid": oid, "refclassid": refClass, "refobjid": refOID, "refobjsubid": int32(refColumn), "deptype": kind,
	})
}

func (f *filler) addStatistics(o *object) {
	of := "pg_stat_user_tables"
	if o.builtin {
		of = "pg_stat_sys_tables"
	}
	row := Row{"relid": o.oid, "schemaname": o.schema, "relname": o.name}
	for _, counter := range []string{
		"seq_scan", "seq_tup_read", "idx_scan", "idx_tup_fetch", "n_tup_ins", "n_tup_upd", "n_tup_del", "n_tup_hot_upd",
		"n_live_tup", "n_dead_tup", "n_mod_since_analyze", "n_ins_since_vacuum", "vacuum_count", "autovacuum_count",
		"analyze_count", "autoanalyze_count",
	} {
		row[counter] = int64(0)
	}
	f.add("pg_catalog."+of, row)
	f.add("pg_catalog.pg_stat_all_tables", row)
}
