package migration_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/format"
)

// texts are fields of type str.
func texts(names ...string) []format.SchemaField {
	var fields []format.SchemaField
	for _, name := range names {
		fields = append(fields, format.NewField(name, format.FieldStr, true))
	}
	return fields
}

// idsOf are the ids of a type, version by version.
func idsOf(ids format.FieldIDs) string {
	var lines []string
	for version := int64(1); version <= ids.Through; version++ {
		at := ids.At(version)
		line := fmt.Sprint(version, ":")
		for _, name := range slices.Sorted(maps.Keys(at)) {
			line += fmt.Sprint(" ", name, "=", at[name])
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "; ")
}

func wantIDs(t *testing.T, what string, ids format.FieldIDs, want string) {
	t.Helper()
	if got := idsOf(ids); got != want {
		t.Errorf("%s: got %s, want %s", what, got, want)
	}
}

// committed is a State after a commit of a change, and the change as it was read.
func committed(t *testing.T, s *migration.State) (*migration.State, *format.SchemaChange) {
	t.Helper()
	text, err := format.EncodeSchemaChange(s.Change())
	must(t, err)
	change, err := format.DecodeSchemaChange("m", text)
	must(t, err)
	next := stored(s)
	next.Declared(change, func(ontosql.TypeRef) bool { return false })
	return next, change
}

// theirs adds a version that the original made.
func theirs(t *testing.T, s *migration.State, fields ...format.SchemaField) {
	t.Helper()
	other := migration.NewState(at, "original")
	other.Types, other.Versions = maps.Clone(s.Types), maps.Clone(s.Versions)
	must(t, other.Migrate(other.Version(customer), entity(customer, fields...), nil, migration.ReasonMigration))
	s.Types, s.Versions = other.Types, other.Versions
}

func TestFieldIDsOfOurChanges(t *testing.T) {
	s := migration.NewState(at, "test")
	must(t, s.Create(entity(customer, texts("a", "v")...), format.Extras{}))
	wantIDs(t, "create", s.FieldIDs[customer], "1: a=2 id=1 v=3")
	migrate := func(what, want string, continues migration.Continues, names ...string) {
		t.Helper()
		must(t, s.Migrate(s.Version(customer), entity(customer, texts(names...)...), continues, migration.ReasonMigration))
		ids := s.FieldIDs[customer]
		_, last, _ := strings.Cut(idsOf(ids), fmt.Sprint("; ", ids.Through, ": "))
		if last != want {
			t.Errorf("%s: got %s, want %s", what, last, want)
		}
	}
	migrate("rename", "b=2 id=1 v=3", migration.Continues{"b": "a"}, "b", "v")
	migrate("add the old name", "a=4 b=2 id=1 v=3", nil, "a", "b", "v")
	migrate("drop", "a=4 b=2 id=1", nil, "a", "b")
	migrate("add what was dropped", "a=4 b=2 id=1 v=5", nil, "a", "b", "v")
	migrate("drop and add in one step", "a=4 b=2 id=1 v=6", migration.Continues{"v": ""}, "a", "b", "v")
	s, change := committed(t, s)
	if problems := migration.CheckFieldIDs(nil, change, func(ontosql.TypeRef) bool { return false }); len(problems) > 0 {
		t.Errorf("the change has problems: %v", problems)
	}
	before := change
	migrate("swap, first step", "b=2 id=1 tmp=4 v=6", migration.Continues{"tmp": "a"}, "b", "tmp", "v")
	migrate("swap, second step", "a=2 id=1 tmp=4 v=6", migration.Continues{"a": "b"}, "a", "tmp", "v")
	migrate("swap, third step", "a=2 b=4 id=1 v=6", migration.Continues{"b": "tmp"}, "a", "b", "v")
	s, change = committed(t, s)
	if problems := migration.CheckFieldIDs(before, change, func(ontosql.TypeRef) bool { return false }); len(problems) > 0 {
		t.Errorf("the change has problems: %v", problems)
	}
	must(t, s.Drop(customer, true))
	if c := s.Change(); len(c.FieldIDs) > 0 {
		t.Errorf("the ids of a dropped type are %+v", c.FieldIDs)
	}
	must(t, s.Create(entity(customer, texts("v")...), format.Extras{}))
	wantIDs(t, "create it again", s.FieldIDs[customer], "1: id=1 v=2")
}

// TestFieldIDsOfTheirVersions: versions of others have no ids, and fields map by name, in
// those before our first change and in those between two of ours.
func TestFieldIDsOfTheirVersions(t *testing.T) {
	s := migration.NewState(at, "original")
	must(t, s.Create(entity(customer, texts("a", "c")...), format.Extras{}))
	theirs(t, s, texts("a")...)
	theirs(t, s, texts("a", "c")...)
	theirs(t, s, texts("a")...)
	s = stored(s)
	delete(s.FieldIDs, customer)
	if ids := s.Change().FieldIDs; len(ids) > 0 {
		t.Errorf("a change of nothing gives ids: %+v", ids)
	}
	must(t, s.Migrate(4, entity(customer, texts("b", "c")...), migration.Continues{"b": "a"}, migration.ReasonMigration))
	ours := "1: a=1 c=2 id=3; 2: a=1 id=3; 3: a=1 c=2 id=3; 4: a=1 id=3; 5: b=1 c=4 id=3"
	wantIDs(t, "our first change", s.FieldIDs[customer], ours)

	s, _ = committed(t, s)
	theirs(t, s, texts("a", "b")...)      // c goes, a comes
	theirs(t, s, texts("b", "c", "d")...) // c is back, by name
	theirs(t, s, texts("a", "b", "c")...)
	wantIDs(t, "until ours", s.FieldIDs[customer], ours)
	run := "; 6: a=5 b=1 id=3; 7: b=1 c=4 d=6 id=3; 8: a=5 b=1 c=4 id=3"
	wantIDs(t, "through theirs", migration.FieldIDsThrough(customer, s.FieldIDs[customer], s.Versions[customer]), ours+run)
	must(t, s.Migrate(8, entity(customer, texts("d")...), migration.Continues{"d": "c"}, migration.ReasonMigration))
	wantIDs(t, "our next change", s.FieldIDs[customer], ours+run+"; 9: d=4 id=3")
}

// TestFieldIDsOfAFork: the original migrated the type from the versions before our change,
// which it had not seen.
func TestFieldIDsOfAFork(t *testing.T) {
	s := migration.NewState(at, "test")
	must(t, s.Create(entity(customer, texts("a", "v")...), format.Extras{}), s.Create(entity(product, texts("x")...), format.Extras{}))
	s, _ = committed(t, s)
	unseen := migration.NewState(at, "test")
	unseen.Types, unseen.Versions, unseen.FieldIDs = maps.Clone(s.Types), maps.Clone(s.Versions), maps.Clone(s.FieldIDs)
	must(t, unseen.Migrate(1, entity(customer, texts("b")...), migration.Continues{"b": "a"}, migration.ReasonMigration))
	_, change := committed(t, unseen)

	theirs(t, s, texts("a", "b")...)
	s.Declared(change, func(ontosql.TypeRef) bool { return false })
	wantIDs(t, "of the version before", s.FieldIDs[customer], "1: a=2 id=1 v=3")
	must(t, s.Migrate(2, entity(customer, texts("a", "c")...), migration.Continues{"c": "b"}, migration.ReasonMigration))
	wantIDs(t, "our next change", s.FieldIDs[customer], "1: a=2 id=1 v=3; 2: a=2 b=4 id=1; 3: a=2 c=4 id=1")
	wantIDs(t, "another type", s.FieldIDs[product], "1: id=1 x=2")
	if problems := migration.CheckFieldIDs(change, s.Change(), func(ontosql.TypeRef) bool { return false }); len(problems) > 0 {
		t.Errorf("the change has problems: %v", problems)
	}
	s.Declared(change, func(ref ontosql.TypeRef) bool { return ref == customer })
	if ids, some := s.FieldIDs[customer]; some {
		t.Errorf("a type that was dropped since has the ids %+v", ids)
	}
}

func TestCheckFieldIDs(t *testing.T) {
	made := func(edit func(*format.FieldIDs)) (before, change *format.SchemaChange) {
		s := migration.NewState(at, "test")
		must(t, s.Create(entity(customer, texts("a")...), format.Extras{}))
		s, before = committed(t, s)
		must(t, s.Migrate(1, entity(customer, texts("b")...), migration.Continues{"b": "a"}, migration.ReasonMigration))
		_, change = committed(t, s)
		edit(&change.FieldIDs[0])
		return before, change
	}
	for name, test := range map[string]struct {
		edit func(*format.FieldIDs)
		want []string
	}{
		"as it is":        {func(*format.FieldIDs) {}, nil},
		"another id":      {func(ids *format.FieldIDs) { ids.Fields[1].ID = 7 }, []string{"field ids of entity:Customer: they are not those of the change before, up to version 1"}},
		"a field without": {func(ids *format.FieldIDs) { ids.Fields[1].Names = ids.Fields[1].Names[:1] }, []string{`field ids of entity:Customer: field "b" of version 2 has none`}},
		"a name of none": {func(ids *format.FieldIDs) { ids.Fields[1].Names[1].Name = "z" }, []string{
			`field ids of entity:Customer: field "b" of version 2 has none`, `field ids of entity:Customer: version 2 has no field "z"`,
		}},
	} {
		var got []string
		before, change := made(test.edit)
		for _, problem := range migration.CheckFieldIDs(before, change, func(ontosql.TypeRef) bool { return false }) {
			got = append(got, problem.Error())
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if problems := migration.CheckFieldIDs(nil, before, func(ontosql.TypeRef) bool { return false }); len(problems) > 0 {
			t.Errorf("%s: the first change has problems: %v", name, problems)
		}
	}
}
