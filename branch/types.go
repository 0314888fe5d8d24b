package branch

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/resolver"
)

// definition is what a pin says of a type.
type definition struct {
	schema json.RawMessage // canonical
	extras format.Extras
	typ    *catalog.Type
}

// definitions are the types of a pin that can be read.
func definitions(pin *resolver.Pin) map[ontosql.TypeRef]*definition {
	state := pin.Catalog.State(pin.Head.UpdatedAt, "")
	all := map[ontosql.TypeRef]*definition{}
	for _, t := range pin.Catalog.Types {
		extras := state.Extras[t.Ref]
		extras.Kind, extras.Type = t.Ref.Kind.String(), t.Ref.Name
		all[t.Ref] = &definition{state.Types[t.Ref], extras, t}
	}
	return all
}

func (d *definition) decode() (*format.Schema, error) {
	return format.DecodeSchema(format.RegistryKey, d.typ.Ref.String(), d.schema)
}

// text is the definition in a conflict.
func (d *definition) text() json.RawMessage {
	if d == nil {
		return nil
	}
	return d.schema
}

func sameDefinition(a, b *definition) bool {
	if a == nil || b == nil {
		return a == b
	}
	return bytes.Equal(a.schema, b.schema) && format.SameExtras([]format.Extras{a.extras}, []format.Extras{b.extras})
}

// typeAction is what a merge does with a type as a whole.
type typeAction int

const (
	mergeRows   typeAction = iota // rows one by one, after a change of the schema if there is one
	createType                    // it comes with all its rows
	replaceType                   // the same, after the type of this name is dropped
	dropType
	leaveType // nothing is taken
)

// typeMerge is one type in a merge.
type typeMerge struct {
	ref          ontosql.TypeRef
	bases        []*definition // nil where the type did not exist
	ours, theirs *definition
	// oursAnew and theirsAnew are set if the side has dropped and created the type since the ancestor.
	oursAnew, theirsAnew bool
	// oursRows and theirsRows are set if the side has written rows of the type since then.
	oursRows, theirsRows bool

	action typeAction
	define bool // the definition becomes theirs
}

// decide chooses the action. clash is set if both sides changed the type as a whole; the choice then
// decides.
func (t *typeMerge) decide(choice Choice) (clash bool) {
	base := t.bases[0]
	oursChanged := t.oursAnew || t.oursRows || !slices.ContainsFunc(t.bases, func(b *definition) bool { return sameDefinition(b, t.ours) })
	theirsChanged := t.theirsAnew || t.theirsRows || !slices.ContainsFunc(t.bases, func(b *definition) bool { return sameDefinition(b, t.theirs) })
	whole := func(whenTaken typeAction) bool {
		switch {
		case !theirsChanged:
			t.action = leaveType
		case !oursChanged:
			t.action = whenTaken
		default:
			if t.action = leaveType; choice == Theirs {
				t.action = whenTaken
			}
			return true
		}
		return false
	}
	switch {
	case t.theirs == nil && t.ours == nil, t.theirs == nil && base == nil:
		t.action = leaveType
		return false
	case t.theirs == nil:
		return whole(dropType)
	case t.ours == nil:
		return whole(createType)
	case base != nil && (t.oursAnew || t.theirsAnew):
		return whole(replaceType)
	}
	switch decide(t.bases, t.ours, t.theirs, sameDefinition) {
	case keep:
		if t.theirsRows && !fits(t.theirs, t.ours) {
			break
		}
		return false
	case take:
		if t.oursRows && !fits(t.ours, t.theirs) {
			break
		}
		t.define = true
		return false
	}
	if t.action, t.define = leaveType, false; choice == Theirs {
		t.action, t.define = mergeRows, true
	}
	return true
}

// fits reports whether any row of one definition of a type is one of another definition too, apart
// from the names of its fields: what is there in both has the same type, and what is new may be null.
func fits(from, to *definition) bool {
	if bytes.Equal(from.schema, to.schema) {
		return narrower(from, to, nil) == ""
	}
	before, err := from.decode()
	if err != nil {
		return false
	}
	after, err := to.decode()
	if err != nil {
		return false
	}
	old := map[string]string{} // names in from, by those in to
	for _, names := range renaming(from, to) {
		if names[1] != "" {
			old[names[1]] = names[0]
		}
	}
	for _, f := range after.Fields {
		was := f.Name
		if name, renamed := old[f.Name]; renamed {
			was = name
		}
		kind, nullable := format.ParseSpelling(f.Type)
		i := slices.IndexFunc(before.Fields, func(b format.SchemaField) bool { return b.Name == was })
		if i < 0 {
			if !nullable {
				return false
			}
			continue
		}
		oldKind, oldNullable := format.ParseSpelling(before.Fields[i].Type)
		if f.Type != before.Fields[i].Type && (kind != oldKind || kind == format.FieldJSON || oldNullable && !nullable) {
			return false
		}
	}
	return before.Left == after.Left && before.Right == after.Right && before.InstanceKey == after.InstanceKey && narrower(from, to, old) == ""
}

// narrower is a column whose declaration refuses values that an earlier one took; "" for none. old are
// the earlier names of columns that were renamed.
func narrower(from, to *definition, old map[string]string) string {
	for _, c := range to.extras.Columns {
		if c.Type == "" && !c.NotNull {
			continue
		}
		was := c.Field
		if name, renamed := old[c.Field]; renamed {
			was = name
		}
		i := slices.IndexFunc(from.extras.Columns, func(b format.ColumnExtras) bool { return b.Field == was })
		if i < 0 || c.Type != "" && from.extras.Columns[i].Type != c.Type || c.NotNull && !from.extras.Columns[i].NotNull {
			return c.Field
		}
	}
	return ""
}

// renaming maps the field names of one definition to those of another one that came of it, in the
// form of catalog.Renaming; nil where no name has changed, or where the second did not come of the
// first.
func renaming(from, to *definition) [][2]string {
	if bytes.Equal(from.schema, to.schema) || len(from.typ.Versions) == 0 {
		return nil
	}
	hash := from.typ.Versions[len(from.typ.Versions)-1].Hash
	for _, v := range slices.Backward(to.typ.Versions) {
		if v.Hash == hash {
			return to.typ.Renamed(v.ID)
		}
	}
	return nil
}

// continues says which fields of theirs continue which fields of ours.
func (t *typeMerge) continues(schema *format.Schema) migration.Continues {
	from := migration.Continues{}
	pairs := renaming(t.ours, t.theirs)
	for _, names := range pairs {
		if names[1] == "" { // a field of another meaning may have the name now
			from[names[0]] = ""
		}
	}
	for _, names := range pairs {
		if names[1] != "" {
			from[names[1]] = names[0]
		}
	}
	maps.DeleteFunc(from, func(name, _ string) bool {
		return !slices.ContainsFunc(schema.Fields, func(f format.SchemaField) bool { return f.Name == name })
	})
	return from
}

// applyTypes changes a schema as a merge does: first what goes, relations before the entities that they
// link, then what comes, entities first, then what changes. Errors are those of migration.State.
func applyTypes(state *migration.State, types []*typeMerge) error {
	for _, t := range slices.Backward(types) {
		if t.action == dropType || t.action == replaceType {
			if err := state.Drop(t.ref, false); err != nil {
				return err
			}
		}
	}
	for _, t := range types {
		creates := t.action == createType || t.action == replaceType
		if !creates && !t.define {
			continue
		}
		schema, err := t.theirs.decode()
		if err != nil {
			return err
		}
		if creates {
			if err := state.Create(schema, t.theirs.extras); err != nil {
				return err
			}
			continue
		}
		if !bytes.Equal(t.ours.schema, t.theirs.schema) {
			before, err := t.ours.decode()
			if err != nil {
				return err
			}
			if err := migration.SameIdentity(before, schema); err != nil {
				return err
			}
			if err := state.Migrate(t.ours.typ.SchemaID, schema, t.continues(schema), migration.ReasonMigration); err != nil {
				return err
			}
		}
		if err := state.Describe(t.theirs.extras); err != nil {
			return err
		}
	}
	return nil
}
