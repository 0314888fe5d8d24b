package migration_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/format"
)

// TestSameIdentity: other fields may change, the key may not.
func TestSameIdentity(t *testing.T) {
	keyed := func(field string, of format.FieldType) *format.Schema {
		s := relation(format.NewField("stint", of, false), format.NewField("n", format.FieldInt, false))
		s.InstanceKey = field
		return s
	}
	other := entity(customer)
	other.Fields[0].Name = "code"
	retyped := entity(customer)
	retyped.Fields[0].Type = format.Spelling(format.FieldInt, false)
	indexed := entity(customer, format.NewField("name", format.FieldStr, true))
	indexed.Fields[0].Index = true
	for _, c := range []struct {
		before, after *format.Schema
		same          bool
	}{
		{entity(customer), indexed, true},
		{entity(customer), other, false},
		{entity(customer), retyped, false},
		{relation(), relation(format.NewField("n", format.FieldInt, false)), true},
		{relation(), keyed("stint", format.FieldStr), false},
		{keyed("stint", format.FieldStr), keyed("", format.FieldStr), false},
		{keyed("stint", format.FieldStr), keyed("stint", format.FieldStr), true},
	} {
		err := migration.SameIdentity(c.before, c.after)
		var changed *migration.IdentityError
		if errors.As(err, &changed) == c.same {
			t.Errorf("from %s to %s: %v", format.EncodeSchema(c.before), format.EncodeSchema(c.after), err)
		}
	}
}

// TestAdditions: a new type is all its fields, and a plan with it has a token of its
// own.
func TestAdditions(t *testing.T) {
	fresh := ontosql.TypeRef{Kind: ontosql.Entity, Name: "Fresh"}
	schemas := []format.Schema{*relation(), *entity(fresh, format.NewField("b", format.FieldInt, true), format.NewField("a", format.FieldInt, true)), *entity(customer)}
	added := shop(t).Additions(schemas)
	text, err := json.Marshal(added)
	must(t, err)
	const want = `[{"added_fields":["a","b","id"],"changed_fields":{},"removed_fields":[],"stored_version":0,"type_kind":"entity","type_name":"Fresh"}]`
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("the new types (-want +got):\n%s", diff)
	}
	one, err := migration.Token(added, 3)
	must(t, err)
	other, err := migration.Token(shop(t).Additions([]format.Schema{*entity(fresh)}), 3)
	must(t, err)
	if one == "" || one == other {
		t.Errorf("the tokens of two new types are %q and %q", one, other)
	}
}
