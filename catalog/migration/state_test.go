package migration_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/format"
)

var (
	at       = format.TimeOf(time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC))
	customer = ontosql.TypeRef{Kind: ontosql.Entity, Name: "Customer"}
	product  = ontosql.TypeRef{Kind: ontosql.Entity, Name: "product"}
	buys     = ontosql.TypeRef{Kind: ontosql.Relation, Name: "Buys"}
)

func entity(ref ontosql.TypeRef, fields ...format.SchemaField) *format.Schema {
	key := format.NewField("id", format.FieldStr, false)
	key.PrimaryKey = true
	return &format.Schema{Ref: ref, Fields: append([]format.SchemaField{key}, fields...)}
}

func relation(fields ...format.SchemaField) *format.Schema {
	return &format.Schema{Ref: buys, Left: "Customer", Right: "product", Fields: fields}
}

func extrasOf(ref ontosql.TypeRef, columns ...format.ColumnExtras) format.Extras {
	return format.Extras{Kind: ref.Kind.String(), Type: ref.Name, Columns: columns}
}

// must runs the steps of a test that are no test of their own.
func must(t *testing.T, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// shop has two entity types and a relation type between them, as a store has it.
func shop(t *testing.T) *migration.State {
	t.Helper()
	s := migration.NewState(at, "setup")
	must(t,
		s.Create(entity(customer, format.NewField("name", format.FieldStr, true)), extrasOf(customer, format.ColumnExtras{Field: "id"}, format.ColumnExtras{Field: "name", Default: "'x'"})),
		s.Create(entity(product), format.Extras{}),
		s.Create(relation(), format.Extras{Comment: "Who buys what."}),
	)
	return stored(s)
}

// stored is a State that starts from what another one came to.
func stored(s *migration.State) *migration.State {
	next := migration.NewState(at, "test")
	next.Types, next.Versions, next.Extras, next.FieldIDs = s.Types, s.Versions, s.Extras, s.FieldIDs
	return next
}

// brief is a change in a few words, for comparisons.
func brief(c *format.SchemaChange) string {
	var b strings.Builder
	for _, t := range c.Types {
		b.WriteString(t.Kind + " " + t.Type + " v" + string(rune('0'+t.SchemaVersionID)) + "\n")
	}
	for _, v := range c.Versions {
		b.WriteString("versions of " + v.TypeName + ":")
		for _, e := range v.Versions {
			b.WriteString(" " + *e.Reason)
		}
		b.WriteString("\n")
	}
	for _, x := range c.Extras {
		b.WriteString("extras of " + x.Kind + " " + x.Type + "\n")
	}
	for _, d := range c.Dropped {
		b.WriteString("dropped " + d.Type)
		if d.Purged {
			b.WriteString(" purged")
		}
		b.WriteString("\n")
	}
	return b.String()
}

func wantChange(t *testing.T, s *migration.State, want ...string) {
	t.Helper()
	if diff := cmp.Diff(strings.Join(want, "\n")+"\n", brief(s.Change())); diff != "" {
		t.Errorf("the change (-want +got):\n%s", diff)
	}
}

func TestCreate(t *testing.T) {
	s := shop(t)
	tag := ontosql.TypeRef{Kind: ontosql.Entity, Name: "Tag"}
	must(t, s.Create(entity(tag, format.NewField("label", format.FieldStr, false)), format.Extras{Comment: "A word."}))
	wantChange(t, s,
		"entity Customer v1", "entity Tag v1", "entity product v1", "relation Buys v1",
		"versions of Tag: initial",
		"extras of entity Customer", "extras of entity Tag", "extras of relation Buys",
	)
	v := s.Versions[tag][0]
	hash, err := format.SchemaHash(s.Types[tag])
	must(t, err)
	if *v.RuntimeID != "test" || v.SchemaHash != hash || v.CreatedAt != at || !strings.HasPrefix(v.SchemaJSON, `{"entity_name": "Tag", `) {
		t.Errorf("the first version is %+v", v)
	}
	if _, err := format.EncodeSchemaChange(s.Change()); err != nil {
		t.Errorf("the change cannot be written: %v", err)
	}
}

func TestCreateRefused(t *testing.T) {
	s := shop(t)
	var exists *migration.ExistsError
	if err := s.Create(entity(customer), format.Extras{}); !errors.As(err, &exists) || exists.Type != customer {
		t.Errorf("a type that is there: %v", err)
	}
	var gone *migration.NoEndpointError
	loose := relation()
	loose.Ref.Name, loose.Right = "Loose", "Gone"
	if err := s.Create(loose, format.Extras{}); !errors.As(err, &gone) || gone.Relation != loose.Ref || gone.Endpoint.Name != "Gone" {
		t.Errorf("a relation to nothing: %v", err)
	}
	// A relation type of that name is no endpoint.
	loose.Right = "Buys"
	if err := s.Create(loose, format.Extras{}); !errors.As(err, &gone) {
		t.Errorf("a relation to a relation: %v", err)
	}
	var reserved *migration.ReservedError
	if err := s.Create(entity(ontosql.TypeRef{Kind: ontosql.Entity, Name: "R"}, format.NewField("Fields_JSON", format.FieldStr, true)), format.Extras{}); !errors.As(err, &reserved) || reserved.Field != "Fields_JSON" {
		t.Errorf("a field with a system column's name: %v", err)
	}
	wantChange(t, s, "entity Customer v1", "entity product v1", "relation Buys v1", "extras of entity Customer", "extras of relation Buys")
}

// TestNames: a name is part of the keys of its objects, as it is.
func TestNames(t *testing.T) {
	for name, ok := range map[string]bool{
		"Größe 1": true, "a.b": true, "%41": true, `a"b`: true, strings.Repeat("x", 200): true,
		"": false, ".": false, "..": false, ".ontosql": false, "a/b": false, "a\x00b": false, "a\nb": false, "\x7f": false, "\xff": false,
		strings.Repeat("x", 201): false,
	} {
		s := migration.NewState(at, "test")
		err := s.Create(entity(ontosql.TypeRef{Kind: ontosql.Entity, Name: name}), format.Extras{})
		var named *migration.NameError
		if ok && err != nil || !ok && !errors.As(err, &named) {
			t.Errorf("a type called %q: %v", name, err)
		}
	}
}

// TestMigrate goes two versions on in one change; the extras follow the schema
// until somebody says others.
func TestMigrate(t *testing.T) {
	s := shop(t)
	must(t, s.Migrate(1, entity(customer, format.NewField("name", format.FieldInt, true)), nil, migration.ReasonMigration))
	if diff := cmp.Diff(extrasOf(customer, format.ColumnExtras{Field: "id"}, format.ColumnExtras{Field: "name"}), s.Extras[customer]); diff != "" {
		t.Errorf("extras after name became a number (-want +got):\n%s", diff)
	}
	must(t,
		s.Migrate(2, entity(customer), nil, migration.ReasonMigration),
		s.Describe(extrasOf(customer)), // nothing is declared any more
	)
	wantChange(t, s,
		"entity Customer v3", "entity product v1", "relation Buys v1",
		"versions of Customer: initial migration migration",
		"extras of relation Buys",
	)
	var version *migration.VersionError
	if err := s.Migrate(2, entity(customer), nil, migration.ReasonMigration); !errors.As(err, &version) || version.Expected != 2 || version.Actual != 3 {
		t.Errorf("a migration that another one came before: %v", err)
	}
	var missing *migration.MissingError
	if err := s.Migrate(1, entity(ontosql.TypeRef{Kind: ontosql.Entity, Name: "Buys"}), nil, migration.ReasonMigration); !errors.As(err, &missing) {
		t.Errorf("a type that is not there: %v", err)
	}
	var gone *migration.NoEndpointError
	loose := relation()
	loose.Left = "Gone"
	if err := s.Migrate(1, loose, nil, migration.ReasonMigration); !errors.As(err, &gone) {
		t.Errorf("a relation that is to link nothing: %v", err)
	}
}

// TestMigrateLeavesTheStoredList: the version lists of a State may be a reader's.
func TestMigrateLeavesTheStoredList(t *testing.T) {
	list := append(make([]format.SchemaVersion, 0, 8), shop(t).Versions[customer]...)
	for _, field := range []string{"a", "b"} {
		s := shop(t)
		s.Versions[customer] = list
		must(t, s.Migrate(1, entity(customer, format.NewField(field, format.FieldInt, true)), nil, migration.ReasonMigration))
	}
	if got := list[:2][1]; got.SchemaVersionID != 0 {
		t.Errorf("a migration wrote %+v behind the list it started from", got)
	}
}

func TestDrop(t *testing.T) {
	s := shop(t)
	var linked *migration.LinkedError
	if err := s.Drop(product, false); !errors.As(err, &linked) || linked.Type != product || len(linked.By) != 1 || linked.By[0] != buys {
		t.Errorf("drop what a relation links: %v", err)
	}
	must(t, s.Drop(buys, true), s.Drop(product, false))
	var missing *migration.MissingError
	if err := s.Drop(product, false); !errors.As(err, &missing) || missing.Type != product {
		t.Errorf("drop it again: %v", err)
	}
	if err := s.Describe(extrasOf(product)); !errors.As(err, &missing) {
		t.Errorf("describe it: %v", err)
	}
	wantChange(t, s, "entity Customer v1", "extras of entity Customer", "dropped product", "dropped Buys purged")
}

// TestDropAndCreate: a type that is created after a drop in the same change is a new type, at
// its first version, and the change contains the drop as well.
func TestDropAndCreate(t *testing.T) {
	s := shop(t)
	must(t,
		s.Migrate(1, entity(customer), nil, migration.ReasonMigration),
		s.Drop(buys, false), s.Drop(customer, true),
		s.Create(entity(customer), format.Extras{}),
		s.Drop(customer, false), // the type was never visible; the one before it is still dropped, and purged
		s.Create(entity(customer), format.Extras{}),
	)
	wantChange(t, s, "entity Customer v1", "entity product v1", "versions of Customer: initial", "dropped Customer purged", "dropped Buys")
	s = shop(t)
	tag := ontosql.TypeRef{Kind: ontosql.Entity, Name: "Tag"}
	must(t, s.Create(entity(tag), format.Extras{}), s.Drop(tag, false))
	wantChange(t, s, "entity Customer v1", "entity product v1", "relation Buys v1", "extras of entity Customer", "extras of relation Buys")
}

// TestRegistryAlone: for a type without versions the registry's schema becomes the first
// version in every change.
func TestRegistryAlone(t *testing.T) {
	s := shop(t)
	delete(s.Versions, product)
	must(t, s.Migrate(0, entity(product, format.NewField("n", format.FieldInt, true)), nil, migration.ReasonMigration))
	delete(s.Versions, customer)
	wantChange(t, s,
		"entity Customer v1", "entity product v2", "relation Buys v1",
		"versions of Customer: bootstrap", "versions of product: bootstrap migration",
		"extras of entity Customer", "extras of relation Buys",
	)
	if first := s.Versions[product][0]; first.RuntimeID != nil {
		t.Errorf("the first version is by %s, want nobody", *first.RuntimeID)
	}
}

// TestDamagedRegistry: a registry entry that is not an object must not be part of a change,
// which would be unreadable; its name stays reserved.
func TestDamagedRegistry(t *testing.T) {
	s := shop(t)
	broken := ontosql.TypeRef{Kind: ontosql.Relation, Name: "Broken"}
	odd := ontosql.TypeRef{Kind: ontosql.Relation, Name: "Odd"}
	s.Types[broken], s.Types[odd] = json.RawMessage(`5`), json.RawMessage(`{"relation_name":7}`)
	must(t, s.Drop(buys, false), s.Drop(customer, false))
	var exists *migration.ExistsError
	if err := s.Create(&format.Schema{Ref: broken}, format.Extras{}); !errors.As(err, &exists) {
		t.Errorf("create a type that is there and broken: %v", err)
	}
	text, err := format.EncodeSchemaChange(s.Change())
	must(t, err)
	if _, err := format.DecodeSchemaChange("m", text); err != nil {
		t.Errorf("the change beside a broken type: %v", err)
	}
	wantChange(t, s, "entity product v1", "relation Odd v1", "versions of Odd: bootstrap", "dropped Customer", "dropped Buys")
}

// TestExtrasOf: the original continues from a schema change of ours without mentioning extras.
func TestExtrasOf(t *testing.T) {
	s := shop(t)
	change := s.Change()
	change.Extras = append(change.Extras, extrasOf(ontosql.TypeRef{Kind: ontosql.Entity, Name: "Unknown"}), format.Extras{Kind: "table"})
	now := map[ontosql.TypeRef]json.RawMessage{customer: format.EncodeSchema(entity(customer, format.NewField("name", format.FieldInt, true)))}
	got := migration.ExtrasOf(change, func(ref ontosql.TypeRef) json.RawMessage { return now[ref] })
	want := map[ontosql.TypeRef]format.Extras{customer: extrasOf(customer, format.ColumnExtras{Field: "id"}, format.ColumnExtras{Field: "name"})}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("extras of a type that the original migrated, beside one that it dropped (-want +got):\n%s", diff)
	}
	now[customer] = json.RawMessage(`{"entity_name":7}`)
	if got := migration.ExtrasOf(change, func(ref ontosql.TypeRef) json.RawMessage { return now[ref] })[customer]; len(got.Columns) != 0 {
		t.Errorf("extras of a schema that nobody can read: %+v", got)
	}
	if got := migration.ExtrasOf(nil, nil); len(got) != 0 {
		t.Errorf("extras of no change: %+v", got)
	}
}

// TestStillDeclared: a change of extras replaces all of them, so it must have been
// worked out from those that there are.
func TestStillDeclared(t *testing.T) {
	s := shop(t)
	var declared *migration.DeclaredError
	must(t, s.StillDeclared(s.Extras[customer]), s.StillDeclared(extrasOf(product)))
	for _, was := range []format.Extras{extrasOf(customer), {Kind: "entity", Type: "product", Comment: "Gone since."}, {Kind: "relation", Type: "Buys", Comment: "Who bought what."}} {
		if err := s.StillDeclared(was); !errors.As(err, &declared) || declared.Type.Name != was.Type {
			t.Errorf("%+v: %v", was, err)
		}
	}
}
