package branch_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/branch"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/format"
)

// alter is a change of the type Note.
func alter(edit func(s *format.Schema), fields migration.Continues) func(*migration.State) error {
	return func(state *migration.State) error {
		schema, err := format.DecodeSchema("test", "", state.Types[noteRef])
		if err != nil {
			return err
		}
		edit(schema)
		return state.Migrate(state.Version(noteRef), schema, fields, migration.ReasonMigration)
	}
}

func addField(name string, nullable bool) func(*migration.State) error {
	return alter(func(s *format.Schema) { s.Fields = append(s.Fields, format.NewField(name, format.FieldInt, nullable)) }, nil)
}

func renameField(from, to string) func(*migration.State) error {
	return alter(func(s *format.Schema) {
		for i := range s.Fields {
			if s.Fields[i].Name == from {
				s.Fields[i].Name = to
			}
		}
	}, migration.Continues{to: from})
}

func drop(ref ontosql.TypeRef) func(*migration.State) error {
	return func(state *migration.State) error { return state.Drop(ref, false) }
}

func create(s *format.Schema) func(*migration.State) error {
	return func(state *migration.State) error { return state.Create(s, format.Extras{}) }
}

// tagType is a type that a branch creates.
func tagType() *format.Schema {
	key := format.NewField("id", format.FieldStr, false)
	key.PrimaryKey = true
	return &format.Schema{Ref: ontosql.TypeRef{Kind: ontosql.Entity, Name: "Tag"}, Fields: []format.SchemaField{key}}
}

// TestMergeTypes changes types on one side or on both and merges.
func TestMergeTypes(t *testing.T) {
	type edit = func(t *testing.T, s *site)
	change := func(f func(*migration.State) error) edit { return func(t *testing.T, s *site) { s.change(t, f) } }
	write := func(r rows) edit { return func(t *testing.T, s *site) { s.write(t, r) } }
	row := map[string]string{"a": "1"}
	for _, tc := range []struct {
		name         string
		theirs, ours []edit
		choice       branch.Choice
		conflicts    int
		fields       string // of Note after the merge, "" for no type
		rows         rows
		types        int // in the end
	}{
		{
			name:   "a field is new in theirs",
			theirs: []edit{change(addField("d", true)), write(rows{"n1": {"a": "2", "d": "4"}})},
			ours:   []edit{write(rows{"n2": row})},
			fields: "a b c d id", rows: rows{"n1": {"a": "2", "d": "4"}, "n2": row}, types: 2,
		},
		{
			name:   "a field is new in ours",
			theirs: []edit{write(rows{"n1": {"a": "2"}})},
			ours:   []edit{change(addField("d", true))},
			fields: "a b c d id", rows: rows{"n1": {"a": "2"}}, types: 2,
		},
		{
			name:   "a field has another name in theirs",
			theirs: []edit{change(renameField("a", "z")), write(rows{"n2": {"z": "5"}})},
			ours:   []edit{write(rows{"n1": {"a": "1", "b": "7"}})},
			fields: "b c id z", rows: rows{"n1": {"a": "1", "b": "7"}, "n2": {"z": "5"}}, types: 2,
		},
		{
			name:   "a field has another name in ours",
			theirs: []edit{write(rows{"n1": {"a": "9"}})},
			ours:   []edit{change(renameField("a", "z")), write(rows{"n1": {"z": "1", "b": "7"}})},
			fields: "b c id z", rows: rows{"n1": {"z": "9", "b": "7"}}, types: 2,
		},
		{
			name:   "both add other fields",
			theirs: []edit{change(addField("d", true))}, ours: []edit{change(addField("e", true))},
			conflicts: 1, fields: "a b c e id", rows: rows{"n1": row}, types: 2,
		},
		{
			name:   "both add other fields, theirs",
			theirs: []edit{change(addField("d", true))}, ours: []edit{change(addField("e", true))},
			choice: branch.Theirs, conflicts: 1, fields: "a b c d id", rows: rows{"n1": row}, types: 2,
		},
		{
			name:   "both add the same field",
			theirs: []edit{change(addField("d", true)), write(rows{"n1": {"a": "1", "d": "2"}})}, ours: []edit{change(addField("d", true))},
			fields: "a b c d id", rows: rows{"n1": {"a": "1", "d": "2"}}, types: 2,
		},
		{
			name:   "theirs requires a field that rows of ours do not have",
			theirs: []edit{change(addField("d", false))}, ours: []edit{write(rows{"n2": row})},
			conflicts: 1, fields: "a b c id", rows: rows{"n1": row, "n2": row}, types: 2,
		},
		{
			name:   "a type is new in theirs",
			theirs: []edit{change(create(tagType()))},
			fields: "a b c id", rows: rows{"n1": row}, types: 3,
		},
		{
			name:   "a type is dropped in theirs",
			theirs: []edit{change(drop(linkRef))},
			fields: "a b c id", rows: rows{"n1": row}, types: 1,
		},
		{
			name:   "a type is dropped in theirs and written in ours",
			theirs: []edit{change(drop(linkRef))}, ours: []edit{write(rows{"l1": row})},
			conflicts: 1, fields: "a b c id", rows: rows{"n1": row, "l1": row}, types: 2,
		},
		{
			name:   "the same, theirs",
			theirs: []edit{change(drop(linkRef))}, ours: []edit{write(rows{"l1": row})},
			choice: branch.Theirs, conflicts: 1, fields: "a b c id", rows: rows{"n1": row}, types: 1,
		},
		{
			name:   "a type is dropped in ours and written in theirs, theirs",
			theirs: []edit{write(rows{"l1": row})}, ours: []edit{change(drop(linkRef))},
			choice: branch.Theirs, conflicts: 1, fields: "a b c id", rows: rows{"n1": row, "l1": row}, types: 2,
		},
		{
			name: "a type is another one in theirs",
			theirs: []edit{change(func(s *migration.State) error {
				return errors.Join(s.Drop(linkRef, false), s.Create(linkSchema(), format.Extras{}))
			}), write(rows{"l2": row})},
			fields: "a b c id", rows: rows{"n1": row, "l2": row}, types: 2,
		},
	} {
		for _, k := range kinds {
			if k.name != "memory" && k.name != "sqlite" {
				continue
			}
			for _, engine := range []string{format.EngineV1, format.EngineV2} {
				t.Run(tc.name+"/"+k.name+"/"+engine, func(t *testing.T) {
					trunk := k.create(t, engine)
					trunk.write(t, rows{"n1": row})
					twig := k.branch(t, trunk)
					for _, e := range tc.theirs {
						e(t, twig)
					}
					for _, e := range tc.ours {
						e(t, trunk)
					}
					done, err := branch.Merge(t.Context(), twig.Store, trunk.Store, trunk.committer, branch.MergeOptions{Choice: tc.choice})
					if conflicts := errors.Is(err, branch.ErrConflicts); conflicts != (tc.conflicts > 0 && tc.choice == branch.Ask) || !conflicts && err != nil {
						t.Fatalf("merge: %v", err)
					}
					if done.Collisions != tc.conflicts {
						t.Errorf("conflicts: got %+v, want %d", done.Conflicts, tc.conflicts)
					}
					src := source(t, trunk.Store)
					if got := fieldsOf(src.Pin().Catalog.State(src.Pin().Head.UpdatedAt, "").Types[noteRef]); got != tc.fields {
						t.Errorf("fields of Note: got %q, want %q", got, tc.fields)
					}
					if got := len(src.Pin().Catalog.Types); got != tc.types {
						t.Errorf("types: got %d, want %d", got, tc.types)
					}
					if diff := cmp.Diff(tc.rows, trunk.at(t, 1<<40)); diff != "" {
						t.Errorf("rows (-want +got):\n%s", diff)
					}
					if err == nil {
						again, err := branch.Merge(t.Context(), twig.Store, trunk.Store, trunk.committer, branch.MergeOptions{})
						if err != nil || again.Commit != 0 {
							t.Errorf("the merge again: got %+v, %v; want nothing", again, err)
						}
					}
					trunk.settle(t)
					clean(t, trunk.Store)
				})
			}
		}
	}
}

// fieldsOf are the names of the fields of a schema.
func fieldsOf(schema []byte) string {
	if schema == nil {
		return ""
	}
	v, err := format.ParseJSON(schema)
	if err != nil {
		return err.Error()
	}
	fields, _ := v.Get("fields")
	return strings.Join(fields.Names(), " ")
}
