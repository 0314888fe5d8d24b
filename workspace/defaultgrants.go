package workspace

import (
	"context"
	"slices"

	"github.com/ontosql/ontosql/acl"
	"github.com/ontosql/ontosql/duckdb"
)

// DefaultGrants are the privileges on the objects of a kind that a role will create.
type DefaultGrants struct {
	Role   string
	Kind   byte       // as pg_default_acl.defaclobjtype has it
	Grants acl.Grants // nil for none
}

// Defaults are the default privileges on what is created in a schema, or for "" everywhere.
func (o *Objects) Defaults(schema string) []DefaultGrants {
	if o == nil {
		return nil
	}
	if schema == "" {
		return o.defaults
	}
	if d := o.Schema(schema); d != nil {
		return d.Defaults
	}
	return nil
}

// Default are the default privileges of a role and a kind in a schema, or for "" everywhere, nil
// for none.
func (o *Objects) Default(schema, role string, kind byte) acl.Grants {
	for _, d := range o.Defaults(schema) {
		if d.Role == role && d.Kind == kind {
			return d.Grants
		}
	}
	return nil
}

// PutDefault changes the default privileges on what is created in a schema, or for "" everywhere.
// The first one of a store creates its file.
func (t *Session) PutDefault(ctx context.Context, conn *duckdb.Conn, schema string, d DefaultGrants) error {
	if err := t.store.create(ctx, conn); err != nil {
		return err
	}
	shared := t.Shared()
	next := slices.DeleteFunc(slices.Clone(shared.Defaults(schema)), func(have DefaultGrants) bool { return have.Role == d.Role && have.Kind == d.Kind })
	if d.Grants != nil {
		next = append(next, d)
	}
	if schema == "" {
		t.edit(edit{putDefaults: &next})
		return nil
	}
	of := *shared.Schema(schema)
	of.Defaults = next
	t.PutSchema(&of)
	return nil
}

// withDefaults are the objects with other default privileges on what is created everywhere.
func (o *Objects) withDefaults(defaults []DefaultGrants) *Objects {
	next := o.clone()
	next.defaults = defaults
	return next
}
