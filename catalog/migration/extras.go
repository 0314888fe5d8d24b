package migration

import (
	"bytes"
	"encoding/json"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
)

// ExtrasOf are the extras of a schema change by type, as far as they still apply. current
// returns the canonical schema that a type has now, because the original may have changed it,
// and nil for a type that was dropped or created again.
func ExtrasOf(change *format.SchemaChange, current func(ontosql.TypeRef) json.RawMessage) map[ontosql.TypeRef]format.Extras {
	all := map[ontosql.TypeRef]format.Extras{}
	if change == nil || len(change.Extras) == 0 {
		return all
	}
	then := make(map[ontosql.TypeRef]json.RawMessage, len(change.Types))
	for _, t := range change.Types {
		if kind, err := ontosql.ParseKind(t.Kind); err == nil {
			then[ontosql.TypeRef{Kind: kind, Name: t.Type}] = t.Schema
		}
	}
	for _, extras := range change.Extras {
		ref := extras.Ref()
		if then[ref] == nil {
			continue
		}
		now := current(ref)
		if now == nil {
			continue
		}
		if !bytes.Equal(then[ref], now) {
			extras = extras.After(schemaOf(ref, then[ref]), schemaOf(ref, now))
		}
		all[ref] = extras
	}
	return all
}

// Declared puts into a State what the newest schema change, nil for none, says beside the schemas:
// whether grants are required, the privileges on the event bus, and the extras and the field ids as far
// as they hold for its types. dropped reports whether a commit after the change dropped a type.
func (s *State) Declared(change *format.SchemaChange, dropped func(ontosql.TypeRef) bool) {
	if s.RequireGrants, s.EventGrants = false, nil; change != nil {
		s.RequireGrants, s.EventGrants = change.RequireGrants, change.EventGrants
	}
	s.Extras = ExtrasOf(change, func(ref ontosql.TypeRef) json.RawMessage {
		if dropped(ref) {
			return nil
		}
		return s.Types[ref]
	})
	s.FieldIDs = FieldIDsOf(change, func(ref ontosql.TypeRef) []format.SchemaVersion {
		if dropped(ref) {
			return nil
		}
		return s.Versions[ref]
	})
}

// schemaOf is a schema of the State. A schema that cannot be read has no fields, so that no
// declaration fits it.
func schemaOf(ref ontosql.TypeRef, text json.RawMessage) *format.Schema {
	schema, err := format.DecodeSchema(format.RegistryKey, ref.String(), text)
	if err != nil {
		return &format.Schema{Ref: ref}
	}
	return schema
}
