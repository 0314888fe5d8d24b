package migration_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/fixtures"
)

// TestTokenOfTheOriginal: the vectors that the original's code gave (COMPAT 5.1).
func TestTokenOfTheOriginal(t *testing.T) {
	diffs := []migration.Diff{{Type: ontosql.TypeRef{Kind: ontosql.Entity, Name: "A"}, Stored: 1, Added: []string{"x"}}}
	if got, err := migration.PlanHash(diffs); err != nil || got != "0e3abd01e91ebc0e98217b8114fd38d20d0f0a05118cd0d0f6fd1eb2184e7643" {
		t.Errorf("hash of the plan: %s, %v", got, err)
	}
	if got, err := migration.Token(diffs, 1); err != nil || got != "MGUzYWJkMDFlOTFlYmMwZTk4MjE3YjgxMTRmZDM4ZDIwZDBmMGEwNTExOGNkMGQwZjZmZDFlYjIxODRlNzY0Mzox" {
		t.Errorf("token at commit 1: %s, %v", got, err)
	}
	before, err := migration.Token(diffs, 0)
	if err != nil || before != "MGUzYWJkMDFlOTFlYmMwZTk4MjE3YjgxMTRmZDM4ZDIwZDBmMGEwNTExOGNkMGQwZjZmZDFlYjIxODRlNzY0Mzpub25l" {
		t.Errorf("token before the first commit: %s, %v", before, err)
	}
	if got, err := migration.Token(nil, 7); err != nil || got != "" {
		t.Errorf("token of nothing: %q, %v", got, err)
	}
}

// TestTokenHangsOnThePlan: not on the order in which it was made.
func TestTokenHangsOnThePlan(t *testing.T) {
	a := migration.Diff{Type: customer, Stored: 1, Added: []string{"x"}}
	b := migration.Diff{Type: buys, Stored: 2, Changed: map[string]migration.FieldChange{"n": {Stored: json.RawMessage(`{"b":1,"a":2}`), Code: json.RawMessage(`null`)}}}
	token := func(head ontosql.CommitID, diffs ...migration.Diff) string {
		t.Helper()
		text, err := migration.Token(diffs, head)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	if token(3, a, b) != token(3, b, a) {
		t.Error("the order of a plan changes its token")
	}
	other := a
	other.Stored = 2
	for _, text := range []string{token(4, a, b), token(3, a), token(3, other, b)} {
		if text == token(3, a, b) {
			t.Error("two plans have one token")
		}
	}
	b.Changed["n"] = migration.FieldChange{Stored: json.RawMessage(`{`), Code: json.RawMessage(`null`)}
	if _, err := migration.Token([]migration.Diff{b}, 1); err == nil {
		t.Error("a field that is no JSON has a token")
	}
}

// TestDropTokenOfTheOriginal: the vector of COMPAT 7.
func TestDropTokenOfTheOriginal(t *testing.T) {
	sub := ontosql.TypeRef{Kind: ontosql.Relation, Name: "Sub"}
	versions := map[ontosql.TypeRef]int64{sub: 1}
	const want = "OWNjMGYzMzIwYTI5NTViNmZiOTY4ZjBmMzA4YTUwZTgwNjg2NmM3ZjYyMTkxNmIwYmM2ZjUxZjgwODAwNGVmYzo2"
	if got := migration.DropToken(versions, 6, true); got != want {
		t.Errorf("got %s, the original gave %s", got, want)
	}
	for _, got := range []string{
		migration.DropToken(versions, 7, true), migration.DropToken(versions, 6, false), migration.DropToken(versions, 0, true),
		migration.DropToken(map[ontosql.TypeRef]int64{sub: 2}, 6, true), migration.DropToken(map[ontosql.TypeRef]int64{sub: 1, customer: 1}, 6, true),
	} {
		if got == want {
			t.Error("another drop has the same token")
		}
	}
}

// recorded is what the original answered when it migrated Customer in the
// fixtures, and the schemas it knew.
type recorded struct {
	Migration struct {
		Token string          `json:"token"`
		Diffs json.RawMessage `json:"diffs"`
	} `json:"migration"`
}

// TestDiffsOfTheOriginal plans the migration of the fixtures as the original did.
func TestDiffsOfTheOriginal(t *testing.T) {
	var v struct {
		Schemas []struct {
			Class string `json:"class"`
			JSON  string `json:"schema_json"`
		} `json:"schemas"`
	}
	must(t, json.Unmarshal(fixtures.File(t, "vectors/vectors.json"), &v))
	models := map[string]*format.Schema{}
	var all []format.Schema
	for _, s := range v.Schemas {
		schema, err := format.DecodeSchema("vectors", s.Class, []byte(s.JSON))
		must(t, err)
		models[s.Class] = schema
		if s.Class != "Customer" && s.Class != "Follows" { // its model before, and one that no store has
			all = append(all, *schema)
		}
	}
	for _, store := range []string{"s3-v1", "s3-v2"} {
		var log recorded
		must(t, json.Unmarshal(fixtures.File(t, store+"/log.json"), &log))
		diffs, err := storeState(t, store+"/stage1-commits").Diffs(all)
		if err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(diffs)
		must(t, err)
		if !format.Equal(got, log.Migration.Diffs) {
			t.Errorf("%s: the plan is\n%s\nthe original's\n%s", store, got, log.Migration.Diffs)
		}
		if token, err := migration.Token(diffs, 3); err != nil || token != log.Migration.Token {
			t.Errorf("%s: the token is %s (%v), the original's %s", store, token, err, log.Migration.Token)
		}
		if diffs, err := storeState(t, store+"/stage2-migrated").Diffs(all); err != nil || len(diffs) != 0 {
			t.Errorf("%s: after the migration the plan is %+v, %v", store, diffs, err)
		}
	}
}

// storeState is the State of a fixture.
func storeState(t *testing.T, store string) *migration.State {
	t.Helper()
	objects := fixtures.Objects(t, store)
	registry, err := format.DecodeRegistry(format.RegistryKey, objects[format.RegistryKey])
	must(t, err)
	s := migration.NewState(at, "test")
	for name, schema := range registry.Entity {
		s.Types[ontosql.TypeRef{Kind: ontosql.Entity, Name: name}] = schema
	}
	for name, schema := range registry.Relation {
		s.Types[ontosql.TypeRef{Kind: ontosql.Relation, Name: name}] = schema
	}
	for ref := range s.Types {
		list, err := format.DecodeVersions(format.VersionsKey(ref), objects[format.VersionsKey(ref)])
		must(t, err)
		s.Versions[ref] = list.Versions
	}
	return s
}

// TestDiffs names what differs in the words of COMPAT 1.5.
func TestDiffs(t *testing.T) {
	s := shop(t)
	keyed := relation(format.NewField("stint", format.FieldStr, false))
	keyed.InstanceKey = "stint"
	swapped := entity(product)
	swapped.Fields[0].Index = true
	fresh := ontosql.TypeRef{Kind: ontosql.Entity, Name: "Fresh"}
	diffs, err := s.Diffs([]format.Schema{*keyed, *entity(customer, format.NewField("b", format.FieldInt, true), format.NewField("a", format.FieldInt, true)), *swapped, *entity(fresh)})
	must(t, err)
	got, err := json.MarshalIndent(diffs, "", " ")
	must(t, err)
	const want = `[
 {
  "added_fields": [
   "a",
   "b"
  ],
  "changed_fields": {},
  "removed_fields": [
   "name"
  ],
  "stored_version": 1,
  "type_kind": "entity",
  "type_name": "Customer"
 },
 {
  "added_fields": [],
  "changed_fields": {
   "id": {
    "code": {
     "index": true,
     "primary_key": true,
     "type": "\u003cclass 'str'\u003e",
     "type_spec": {
      "kind": "primitive",
      "name": "str"
     }
    },
    "stored": {
     "index": false,
     "primary_key": true,
     "type": "\u003cclass 'str'\u003e",
     "type_spec": {
      "kind": "primitive",
      "name": "str"
     }
    }
   }
  },
  "removed_fields": [],
  "stored_version": 1,
  "type_kind": "entity",
  "type_name": "product"
 },
 {
  "added_fields": [
   "stint"
  ],
  "changed_fields": {
   "__instance_key_field__": {
    "code": "stint",
    "stored": null
   }
  },
  "removed_fields": [],
  "stored_version": 1,
  "type_kind": "relation",
  "type_name": "Buys"
 }
]`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("the plan (-want +got):\n%s", diff)
	}
	turned := relation()
	turned.Left, turned.Right = turned.Right, turned.Left
	if diffs, err := s.Diffs([]format.Schema{*turned}); err != nil || len(diffs) != 1 || len(diffs[0].Added)+len(diffs[0].Removed)+len(diffs[0].Changed) != 0 {
		t.Errorf("a relation between other types: %+v, %v; want a diff that says nothing", diffs, err)
	}
	s.Types[customer] = json.RawMessage(`{`)
	s.Versions[customer] = nil
	if diffs, err := s.Diffs([]format.Schema{*entity(customer)}); err == nil {
		t.Errorf("a stored schema that is no JSON: %+v", diffs)
	}
}
