package pgcatalog

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/ontosql/ontosql/column"
)

// Relation is one relation of pg_catalog or information_schema, or a table
// that only the macros read.
type Relation struct {
	// Schema is "pg_catalog", "information_schema", or "" for a table of the
	// macros, which no client can name.
	Schema string
	Name   string
	OID    uint32 // PostgreSQL's own; 0 when Schema is ""
	View   bool   // a view in PostgreSQL; here all are tables
	// Columns are in PostgreSQL's order. Type.Name is the PostgreSQL type where
	// its Kind alone does not say it, such as "name", "char" or "regproc". The
	// engine forgets it: DuckDB finds no function for a type with an alias, so
	// a result column that is a plain column of a catalog relation takes its
	// PostgreSQL type from here.
	Columns []column.Named

	attrs []shapeColumn
	index map[string]int
}

type shapeColumn struct {
	typname string // pg_type.typname
	inC     bool   // its values are in collation C, and those of the type in another
	notNull bool
}

// Table is the relation's table in the DuckDB schema [Schema].
func (r *Relation) Table() string {
	if r.Schema == "information_schema" {
		return "information_schema__" + r.Name
	}
	return r.Name
}

// Relations are all relations of pg_catalog and information_schema.
func Relations() []*Relation {
	var all []*Relation
	for _, r := range shape().relations {
		if r.Schema != "" {
			all = append(all, r)
		}
	}
	return all
}

// Tables are the Relations that are no Views and the tables of the macros:
// everything that must be created and filled.
func Tables() []*Relation {
	return slices.DeleteFunc(slices.Clone(shape().relations), func(r *Relation) bool { return views().queries[r] != "" })
}

// Find returns the relation of that schema and name, nil when PostgreSQL has
// no such relation.
func Find(schema, name string) *Relation {
	r := shape().byName[schema+"."+name]
	if r == nil || r.Schema == "" {
		return nil
	}
	return r
}

//go:embed shape.tsv
var shapeFile string

// privateTables are read by the macros only; in the form of shape.tsv.
const privateTables = "" +
	"\tontosql_functions\t0\tr\toid oid!,name text!\n" +
	"\tontosql_indexes\t0\tr\toid oid!,name text!,definition text!,pretty text!\n" +
	"\tontosql_constraints\t0\tr\toid oid!,definition text!,pretty text!\n" +
	"\tontosql_views\t0\tr\tschema text!,name text!,definition text!,pretty text!\n" +
	"\tontosql_keywords\t0\tr\tword text!,catcode char!,barelabel bool!,catdesc text!,baredesc text!\n" +
	"\tontosql_settings\t0\tr\tname text!,category text,unit text,extra_desc text,context text,vartype text,min_val text,max_val text,enumvals _text\n"

type shapes struct {
	relations []*Relation
	byName    map[string]*Relation // "schema.name"
	rows      map[string][][]any   // built-in rows by relation name
	types     typeTable
	reserved  map[string]bool
	builtin   func() map[*Relation]*column.Batch // rows, as batches
}

// shape is the embedded PostgreSQL catalog, read once; it never changes.
var shape = sync.OnceValue(func() *shapes {
	s := &shapes{byName: map[string]*Relation{}}
	for line := range strings.Lines(shapeFile + privateTables) {
		r := parseRelation(strings.TrimSuffix(line, "\n"))
		s.relations = append(s.relations, r)
		s.byName[r.Schema+"."+r.Name] = r
	}
	s.rows = parseRows(s.byName, rowsFile)
	s.types = readTypes(s.byName["pg_catalog.pg_type"], s.rows["pg_type"])
	s.reserved = readReserved(s.rows["ontosql_keywords"])
	s.builtin = sync.OnceValue(s.builtinBatches)
	return s
})

// builtinBatches are the batches of the relations that no catalog adds rows to, and of
// the others as they would be without. The embedded rows fit their relations.
func (s *shapes) builtinBatches() map[*Relation]*column.Batch {
	batches := map[*Relation]*column.Batch{}
	for _, r := range s.relations {
		rows := s.rows[r.Name]
		if len(rows) == 0 || withRows(s.byName, r.Name) != r { // not a relation that has the same name in another schema
			continue
		}
		b, err := r.batch(rows)
		if err != nil {
			panic(fmt.Sprintf("rows.tsv: %v", err))
		}
		batches[r] = b
	}
	return batches
}

func parseRelation(line string) *Relation {
	f := strings.Split(line, "\t")
	oid, err := strconv.ParseUint(f[2], 10, 32)
	if err != nil {
		panic(fmt.Sprintf("shape.tsv: %s: %v", f[1], err))
	}
	r := &Relation{Schema: f[0], Name: f[1], OID: uint32(oid), View: f[3] == "v", index: map[string]int{}}
	for i, text := range strings.Split(f[4], ",") {
		name, typname, _ := strings.Cut(text, " ")
		typname, notNull := strings.CutSuffix(typname, "!")
		typname, inC := strings.CutSuffix(typname, "~")
		r.Columns = append(r.Columns, column.Named{Name: name, Type: columnType(typname)})
		r.attrs = append(r.attrs, shapeColumn{typname, inC, notNull})
		r.index[name] = i
	}
	return r
}

// columnType is the type in which a batch carries values of a PostgreSQL type.
func columnType(typname string) column.Type {
	kinds := map[string]column.Kind{
		"bool": column.Bool, "int2": column.Int16, "int4": column.Int32, "int8": column.Int64, "oid": column.Uint32,
		"float4": column.Float32, "float8": column.Float64, "text": column.Text, "bytea": column.Bytes,
		"timestamptz": column.TimestampTZ, "interval": column.Interval,
	}
	if kind, ok := kinds[typname]; ok {
		return column.Type{Kind: kind}
	}
	switch typname {
	case "regproc", "regtype", "regclass", "xid":
		return column.Type{Kind: column.Uint32, Name: typname}
	case "numeric":
		return column.Type{Kind: column.Numeric, Width: 38}
	case "int2vector":
		return column.Type{Kind: column.List, Name: typname, Elem: &column.Type{Kind: column.Int16}}
	case "oidvector":
		return column.Type{Kind: column.List, Name: typname, Elem: &column.Type{Kind: column.Uint32}}
	// The domains of information_schema reach clients as their base types.
	case "sql_identifier":
		return column.Type{Kind: column.Text, Name: "name"}
	case "character_data", "yes_or_no":
		return column.Type{Kind: column.Text, Name: "varchar"}
	case "cardinal_number":
		return column.Type{Kind: column.Int32}
	case "time_stamp":
		return column.Type{Kind: column.TimestampTZ}
	case "_pg_statistic": // an array of rows, always empty
		return column.Type{Kind: column.Text, Name: typname}
	}
	if elem, ok := strings.CutPrefix(typname, "_"); ok {
		t := columnType(elem)
		return column.Type{Kind: column.List, Elem: &t}
	}
	return column.Type{Kind: column.Text, Name: typname}
}

// quoted puts a name in double quotes.
func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
