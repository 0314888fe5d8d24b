package catalog

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/format"
)

// TestPast builds a type whose fields went through several names, and asks how its columns
// are read in the rows of each version.
func TestPast(t *testing.T) {
	ref := ontosql.TypeRef{Kind: ontosql.Entity, Name: "T"}
	schema := func(key string, names ...string) *format.Schema {
		s := &format.Schema{Ref: ref, Fields: []format.SchemaField{format.NewField(key, format.FieldStr, false)}}
		s.Fields[0].PrimaryKey = true
		for _, name := range names {
			s.Fields = append(s.Fields, format.NewField(name, format.FieldStr, true))
		}
		return s
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	state := migration.NewState(format.TimeOf(at), "test")
	steps := []error{state.Create(schema("id", "a", "v", "x"), format.Extras{})}
	migrate := func(continues migration.Continues, s *format.Schema) {
		steps = append(steps, state.Migrate(state.Version(ref), s, continues, migration.ReasonMigration))
	}
	migrate(migration.Continues{"b": "a"}, schema("id", "b", "v", "x"))     // 2: a becomes b
	migrate(nil, schema("id", "a", "b", "v", "x"))                          // 3: another a
	migrate(nil, schema("id", "a", "b", "x"))                               // 4: v goes
	migrate(migration.Continues{"key": "id"}, schema("key", "a", "b", "x")) // 5: id becomes key
	migrate(nil, schema("key", "a", "b", "id", "v", "x"))                   // 6: another id, another v
	for _, err := range steps {
		if err != nil {
			t.Fatal(err)
		}
	}
	c, warnings := Build(Input{
		Head: 1, Change: state.Change(), ChangedBy: 1, ChangedAt: at,
		Floor: func(ontosql.TypeRef) ontosql.CommitID { return 0 },
	})
	typ, ok := c.Type(ref)
	if !ok || len(warnings) > 0 {
		t.Fatal(warnings)
	}
	got := map[string]string{}
	for _, c := range typ.Columns {
		got[c.Name] = fmt.Sprint(c.ID)
		for _, p := range c.Past {
			got[c.Name] += fmt.Sprintf(" %v:%s", p.Versions, p.Field)
		}
	}
	want := map[string]string{"key": "1 [1 2 3 4]:id", "a": "5 [1]:", "b": "2 [1]:a", "id": "6 [1 2 3 4]:", "v": "7 [1 2 3]:", "x": "4"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
	renamings := []Renaming{
		{[]int64{1}, [][2]string{{"a", "b"}, {"b", ""}, {"id", "key"}, {"key", ""}, {"v", ""}}},
		{[]int64{2, 3}, [][2]string{{"id", "key"}, {"key", ""}, {"v", ""}}},
		{[]int64{4}, [][2]string{{"id", "key"}, {"key", ""}}},
	}
	if diff := cmp.Diff(renamings, typ.Renamings); diff != "" {
		t.Errorf("renamings (-want +got):\n%s", diff)
	}
	for version := int64(0); version < 8; version++ {
		if moved := version > 0 && version < 5; typ.Moved(version) != moved {
			t.Errorf("version %d is moved: %t", version, !moved)
		}
	}
	b := typ.Columns[typ.ColumnIndex("b")]
	if one, two := b.FieldAt(1), b.FieldAt(2); one != "a" || two != "b" {
		t.Errorf("b was %q and %q, want a and b", one, two)
	}
}
