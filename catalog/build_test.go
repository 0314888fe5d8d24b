package catalog

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/fixtures"
)

// TestBuild runs the files of testdata/build. Each directive puts one object,
// or one thing that the commits say, into the input; "catalog" builds it, and
// with "names" prints only what each table is called. "overlay" builds it and
// lays a change over it. A schema is written
//
//	entity Customer id*=<class 'str'>; name=str | None
//	relation Purchase Customer>product order_no#=<class 'str'>; qty=<class 'int'>
//
// and extras as the JSON that FORMAT.md gives.
func TestBuild(t *testing.T) {
	datadriven.Walk(t, "testdata/build", func(t *testing.T, path string) {
		in := emptyInput()
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			lines := strings.Split(strings.TrimSpace(d.Input), "\n")
			switch d.Cmd {
			case "reset":
				in = emptyInput()
			case "head":
				in.Head = commit(t, strings.TrimSpace(d.Input))
			case "fixture":
				var store string
				d.ScanArgs(t, "store", &store)
				in = fixtureInput(t, store)
			case "registry":
				in.Registry = &format.Registry{Entity: map[string]json.RawMessage{}, Relation: map[string]json.RawMessage{}}
				each(t, lines, func(l line) { section(in.Registry, l.ref)[l.ref.Name] = l.schema(t) })
			case "types":
				in.Types = &format.Types{}
				each(t, lines, func(l line) {
					if l.ref.Kind == ontosql.Entity {
						in.Types.Entities = append(in.Types.Entities, l.ref.Name)
					} else {
						in.Types.Relations = append(in.Types.Relations, l.ref.Name)
					}
				})
			case "versions":
				in.Versions = map[ontosql.TypeRef]*format.Versions{}
				each(t, lines, func(l line) {
					if in.Versions[l.ref] == nil {
						in.Versions[l.ref] = &format.Versions{}
					}
					v := in.Versions[l.ref]
					v.Versions = append(v.Versions, l.version(t))
				})
			case "dropped":
				in.Dropped = &format.Dropped{Entity: map[string]format.DroppedType{}, Relation: map[string]format.DroppedType{}}
				each(t, lines, func(l line) {
					marks := in.Dropped.Entity
					if l.ref.Kind == ontosql.Relation {
						marks = in.Dropped.Relation
					}
					marks[l.ref.Name] = format.DroppedType{CommitID: commit(t, l.rest)}
				})
			case "floor":
				floors := map[ontosql.TypeRef]ontosql.CommitID{}
				each(t, lines, func(l line) { floors[l.ref] = commit(t, l.rest) })
				in.Floor = func(ref ontosql.TypeRef) ontosql.CommitID { return floors[ref] }
			case "change":
				var at string
				var by int64
				d.ScanArgs(t, "commit", &by)
				d.ScanArgs(t, "at", &at)
				in.Change, in.ChangedBy, in.ChangedAt = schemaChange(t, lines), ontosql.CommitID(by), moment(t, at)
			case "catalog":
				c, warnings := Build(in)
				return show(c, warnings, d.HasArg("names"))
			case "overlay":
				var at string
				d.ScanArgs(t, "at", &at)
				c, _ := Build(in)
				c, warnings := c.Overlay(schemaChange(t, lines), in.Head, moment(t, at), "overlay")
				return show(c, warnings, false)
			default:
				d.Fatalf(t, "unknown directive %q", d.Cmd)
			}
			return ""
		})
	})
}

func emptyInput() Input {
	return Input{Head: 100, Floor: func(ontosql.TypeRef) ontosql.CommitID { return 0 }}
}

// fixtureInput decodes the schema objects of a fixture.
func fixtureInput(t *testing.T, store string) Input {
	t.Helper()
	in := emptyInput()
	in.Versions = map[ontosql.TypeRef]*format.Versions{}
	var err error
	for key, body := range fixtures.Objects(t, store) {
		switch {
		case key == format.RegistryKey:
			in.Registry, err = format.DecodeRegistry(key, body)
		case key == format.TypesKey:
			in.Types, err = format.DecodeTypes(key, body)
		case key == format.DroppedKey:
			in.Dropped, err = format.DecodeDropped(key, body)
		case strings.HasPrefix(key, "meta/schema/versions/"):
			var v *format.Versions
			if v, err = format.DecodeVersions(key, body); err == nil {
				ref, _ := v.Ref()
				in.Versions[ref] = v
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return in
}

func show(c *Catalog, warnings []string, namesOnly bool) string {
	var b strings.Builder
	for _, t := range c.Types {
		fmt.Fprintf(&b, "%s is %q", t.Ref, t.Table)
		if namesOnly {
			fmt.Fprintf(&b, "\n")
			continue
		}
		fmt.Fprintf(&b, ", schema %d of %d", t.SchemaID, len(t.Versions))
		if t.Floor > 0 {
			fmt.Fprintf(&b, ", floor %d", t.Floor)
		}
		if t.Ref.Kind == ontosql.Relation {
			fmt.Fprintf(&b, ", from %s to %s", t.Left, t.Right)
		}
		if t.Comment != "" {
			fmt.Fprintf(&b, ", comment %q", t.Comment)
		}
		fmt.Fprintf(&b, "\n")
		for i, col := range t.Columns {
			fmt.Fprintf(&b, "  %q %s", col.Name, col.Type)
			if col.NotNull {
				fmt.Fprintf(&b, " not null")
			}
			if slices.Contains(t.Key, i) {
				fmt.Fprintf(&b, " key")
			}
			if col.Field != col.Name {
				fmt.Fprintf(&b, " of %q", col.Field)
			}
			if col.Typmod != 0 {
				fmt.Fprintf(&b, " typmod %d", col.Typmod)
			}
			if col.Default != "" {
				fmt.Fprintf(&b, " default %s", col.Default)
			}
			if col.Comment != "" {
				fmt.Fprintf(&b, " comment %q", col.Comment)
			}
			fmt.Fprintf(&b, "\n")
		}
	}
	if !namesOnly {
		for _, t := range c.Types {
			if names(SystemColumns(t, ontosql.Latest)) != usual[t.Ref.Kind] {
				fmt.Fprintf(&b, "%s hides %s\n", t.Ref, names(SystemColumns(t, ontosql.Latest)))
			}
		}
	}
	if namesOnly {
		for _, name := range slices.Sorted(maps.Keys(c.byName)) {
			fmt.Fprintf(&b, "lookup %q: %s\n", name, c.byName[name].Ref)
		}
	}
	for _, w := range warnings {
		fmt.Fprintf(&b, "warning: %s\n", w)
	}
	return b.String()
}

// usual are the system columns of a type whose fields are called otherwise.
var usual = map[ontosql.Kind]string{
	ontosql.Entity:   "commit_id schema_version_id entity_key fields_json committed_at",
	ontosql.Relation: "commit_id schema_version_id instance_key fields_json committed_at",
}

func names(columns []column.Named) string {
	var all []string
	for _, c := range columns {
		all = append(all, c.Name)
	}
	return strings.Join(all, " ")
}

func TestVisibleColumns(t *testing.T) {
	in := emptyInput()
	in.Registry = &format.Registry{Entity: map[string]json.RawMessage{
		"A": line{ref: ontosql.TypeRef{Kind: ontosql.Entity, Name: "A"}, rest: "x=<class 'int'>; Is_Current=<class 'int'>; id*=<class 'int'>"}.schema(t),
	}}
	c, _ := Build(in)
	for mode, want := range map[ontosql.Mode]string{
		ontosql.Latest:  "id is_current x",
		ontosql.History: "id is_current x commit_id schema_version_id entity_key fields_json committed_at valid_from valid_to valid_to_commit",
		ontosql.Changes: "id is_current x commit_id schema_version_id entity_key fields_json committed_at change changed_fields before",
	} {
		if got := names(VisibleColumns(c.Types[0], mode)); got != want {
			t.Errorf("columns of mode %d:\n got %s\nwant %s", mode, got, want)
		}
	}
}

func TestLookup(t *testing.T) {
	in := fixtureInput(t, "s3-v1/stage3-final")
	c, _ := Build(in)
	for name, want := range map[string]string{
		"customer": "entity:Customer", "Customer": "entity:Customer", "product": "entity:product",
		"purchase": "relation:Purchase", "CUSTOMER": "", "scratch": "", "": "",
	} {
		got := ""
		if typ, ok := c.Lookup(name); ok {
			got = typ.Ref.String()
		}
		if got != want {
			t.Errorf("Lookup(%q) = %q, want %q", name, got, want)
		}
	}
	if _, ok := c.Type(ontosql.TypeRef{Kind: ontosql.Relation, Name: "Customer"}); ok {
		t.Error("Type found a relation called Customer, which is an entity")
	}
	if typ, ok := c.Type(ontosql.TypeRef{Kind: ontosql.Entity, Name: "product"}); !ok || typ.Table != "product" {
		t.Errorf("Type(entity:product) = %v, %t", typ, ok)
	}
}

// FuzzStringLiteral feeds the one parser of spellings that is not format's.
func FuzzStringLiteral(f *testing.F) {
	for _, s := range []string{"typing.Literal['a', 'b']", `typing.Optional[typing.Literal["it's"]]`, "typing.Literal[", "typing.Literal['a\\", "typing.Literal[None]"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if ok, _ := stringLiteral(s); ok && !strings.Contains(s, "Literal[") {
			t.Errorf("%q is taken for a Literal", s)
		}
	})
}

// TestNamesThatAreCutAlike: types whose names differ only where PostgreSQL cuts them off
// all have a table, the oldest the name itself, and a relation among them, too.
func TestNamesThatAreCutAlike(t *testing.T) {
	long := strings.Repeat("n", 63)
	in := Input{
		Registry: &format.Registry{Entity: map[string]json.RawMessage{}, Relation: map[string]json.RawMessage{}},
		Floor:    func(ontosql.TypeRef) ontosql.CommitID { return 0 },
	}
	for _, name := range []string{long + "a", long + "b", long + "C"} {
		schema := format.Schema{Ref: ontosql.TypeRef{Kind: ontosql.Entity, Name: name}, Fields: []format.SchemaField{format.NewField("id", format.FieldStr, false)}}
		schema.Fields[0].PrimaryKey = true
		in.Registry.Entity[name] = format.EncodeSchema(&schema)
	}
	link := format.Schema{Ref: ontosql.TypeRef{Kind: ontosql.Relation, Name: long}, Left: long + "a", Right: long + "b"}
	in.Registry.Relation[long] = format.EncodeSchema(&link)
	c, warnings := Build(in)
	tables := map[string]bool{}
	for _, typ := range c.Types {
		tables[typ.Table] = true
		if found, ok := c.Lookup(typ.Table); !ok || found != typ || len(typ.Table) > 63 {
			t.Errorf("%s has the table %q, which is of %v", typ.Ref, typ.Table, found)
		}
	}
	if len(tables) != 4 || !tables[long] || len(warnings) > 0 {
		t.Errorf("the tables are %v, want four with %q among them; warnings: %q", tables, long, warnings)
	}
}
