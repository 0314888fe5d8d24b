package catalog

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/format"
)

// modelType is what a type must look like.
type modelType struct {
	schema   format.Schema
	versions int
	floor    ontosql.CommitID // -1 for the commit that is being made

	extras format.Extras
	then   format.Schema // what they were last declared, or carried on, for
}

var (
	modelRefs = []ontosql.TypeRef{
		{Kind: ontosql.Entity, Name: "A"},
		{Kind: ontosql.Entity, Name: "B"},
		{Kind: ontosql.Entity, Name: "C"},
		{Kind: ontosql.Relation, Name: "R"},
		{Kind: ontosql.Relation, Name: "A"},
	}
	modelKinds = []format.FieldType{format.FieldStr, format.FieldDecimal}
)

func (w *world) someRef() ontosql.TypeRef { return modelRefs[w.rand.IntN(len(modelRefs))] }

// someSchema is one of few, so that a type is created again as it was.
func (w *world) someSchema(ref ontosql.TypeRef) format.Schema {
	s := format.Schema{Ref: ref}
	for _, name := range []string{"f", "g", "h"} {
		if w.rand.IntN(2) == 0 {
			s.Fields = append(s.Fields, format.NewField(name, modelKinds[w.rand.IntN(len(modelKinds))], w.rand.IntN(4) == 0))
		}
	}
	if ref.Kind == ontosql.Entity {
		id := format.NewField("id", format.FieldStr, false)
		id.PrimaryKey = true
		s.Fields = append(s.Fields, id)
		return s
	}
	s.Left, s.Right = modelRefs[w.rand.IntN(3)].Name, modelRefs[w.rand.IntN(3)].Name
	return s
}

func (w *world) someExtras(ref ontosql.TypeRef) format.Extras {
	x := format.Extras{Kind: ref.Kind.String(), Type: ref.Name}
	if w.rand.IntN(2) == 0 {
		x.Comment = fmt.Sprint("comment ", w.rand.IntN(100))
	}
	for _, i := range w.rand.Perm(4)[:w.rand.IntN(5)] {
		c := format.ColumnExtras{Field: "fghx"[i : i+1], Type: "numeric(9,3)"}
		if w.rand.IntN(2) == 0 {
			c.Default, c.Comment = "NULL::text", "about "+c.Field
		}
		x.Columns = append(x.Columns, c)
	}
	return x
}

func (w *world) linked(s *format.Schema) bool {
	for _, name := range []string{s.Left, s.Right} {
		if w.model[ontosql.TypeRef{Kind: ontosql.Entity, Name: name}] == nil {
			return false
		}
	}
	return true
}

func (w *world) linking(ref ontosql.TypeRef) (by []ontosql.TypeRef) {
	for other, m := range w.model {
		if ref.Kind == ontosql.Entity && other.Kind == ontosql.Relation && (m.schema.Left == ref.Name || m.schema.Right == ref.Name) {
			by = append(by, other)
		}
	}
	return by
}

// declare makes of the extras what fits the schema as it is now.
func (m *modelType) declare() {
	kinds := func(s format.Schema) map[string]format.FieldType {
		all := map[string]format.FieldType{}
		for _, f := range s.Fields {
			all[f.Name], _ = format.ParseSpelling(f.Type)
		}
		return all
	}
	was, is := kinds(m.then), kinds(m.schema)
	var kept []format.ColumnExtras
	for _, c := range m.extras.Columns {
		now, there := is[c.Field]
		if !there {
			continue
		}
		if before, known := was[c.Field]; !known || before != now {
			c.Default, c.Type = "", ""
		}
		kept = append(kept, c)
	}
	m.extras.Columns, m.then = kept, m.schema
}

// created puts a type into the model that the State has just got.
func (w *world) created(s *migration.State, schema format.Schema, extras format.Extras) {
	m := &modelType{schema: schema, versions: 1, extras: extras, then: schema, floor: w.floors[schema.Ref]}
	if w.droppedNow(s, schema.Ref) {
		m.floor = -1
	}
	m.declare()
	w.model[schema.Ref] = m
}

// droppedNow reports whether the change so far drops a type that was stored.
func (w *world) droppedNow(s *migration.State, ref ontosql.TypeRef) bool {
	return s.Change().DropOf(ref) != nil
}

// check holds a catalog against the model.
func (w *world) check(t *testing.T, when string, c *Catalog) {
	t.Helper()
	var got, want strings.Builder
	for _, typ := range c.Types {
		fmt.Fprintf(&got, "%s version %d of %d, floor %d, %q\n", typ.Ref, typ.SchemaID, len(typ.Versions), typ.Floor, typ.Comment)
		for _, col := range typ.Columns[len(typ.Key):] {
			fmt.Fprintf(&got, "  %s %s %t %d %s %s\n", col.Field, col.Spelling, col.NotNull, col.Typmod, col.Default, col.Comment)
		}
	}
	for _, ref := range slices.SortedFunc(maps.Keys(w.model), ontosql.TypeRef.Compare) {
		m := *w.model[ref]
		if m.declare(); m.floor < 0 {
			m.floor = w.in.Head + 1
		}
		fmt.Fprintf(&want, "%s version %d of %d, floor %d, %q\n", ref, m.versions, m.versions, m.floor, m.extras.Comment)
		for _, f := range m.shown() {
			_, nullable := format.ParseSpelling(f.Type)
			i := slices.IndexFunc(m.extras.Columns, func(c format.ColumnExtras) bool { return c.Field == f.Name })
			x, size := format.ColumnExtras{}, 0
			if i >= 0 {
				x = m.extras.Columns[i]
			}
			if kind, _ := format.ParseSpelling(f.Type); kind == format.FieldDecimal && x.Type != "" {
				size = 9<<16 + 3 + 4
			}
			fmt.Fprintf(&want, "  %s %s %t %d %s %s\n", f.Name, f.Type, !nullable, size, x.Default, x.Comment)
		}
	}
	if diff := different(want.String(), got.String()); diff != "" {
		t.Fatalf("%s the catalog is not the model (-want +got):\n%s", when, diff)
	}
}

// shown are the fields behind the identity, in the order of the columns.
func (m *modelType) shown() (fields []format.SchemaField) {
	rest := slices.DeleteFunc(slices.Clone(m.schema.Fields), func(f format.SchemaField) bool { return f.PrimaryKey })
	for _, c := range m.extras.Columns {
		for _, f := range rest {
			if f.Name == c.Field {
				fields = append(fields, f)
			}
		}
	}
	for _, f := range rest {
		if !slices.ContainsFunc(fields, func(g format.SchemaField) bool { return g.Name == f.Name }) {
			fields = append(fields, f)
		}
	}
	return fields
}
