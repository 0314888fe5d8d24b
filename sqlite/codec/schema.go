package codec

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
)

// RegistryJSON returns a schema as in schema_registry: members in the original's order and
// fields in declared order (COMPAT 1.3). stored is the previous text, "" for none: its fields
// keep their order and, if unchanged, their text.
func RegistryJSON(schema *format.Schema, extras *format.Extras, stored string) (string, error) {
	before, err := storedFields(stored)
	if err != nil {
		return "", err
	}
	var fields []format.Member
	for _, name := range declaredOrder(schema, extras, before) {
		i := slices.IndexFunc(schema.Fields, func(f format.SchemaField) bool { return f.Name == name })
		field, err := fieldSpelling(schema.Ref.Kind, &schema.Fields[i])
		if err != nil {
			return "", fmt.Errorf("spell field %q of %s: %w", name, schema.Ref, err)
		}
		if was, there := before.Get(name); there && bytes.Equal(canonical(was), canonical(field)) {
			field = was
		}
		fields = append(fields, format.Member{Name: name, Value: field})
	}
	members := []format.Member{{Name: "entity_name", Value: format.String(schema.Ref.Name)}}
	if schema.Ref.Kind == ontosql.Relation {
		key := format.Null()
		if schema.InstanceKey != "" {
			key = format.String(schema.InstanceKey)
		}
		members = []format.Member{
			{Name: "relation_name", Value: format.String(schema.Ref.Name)},
			{Name: "left_type", Value: format.String(schema.Left)},
			{Name: "right_type", Value: format.String(schema.Right)},
			{Name: "instance_key_field", Value: key},
		}
	}
	members = append(members, format.Member{Name: "fields", Value: format.Object(fields...)})
	return string(format.Object(members...).Append(nil, format.SpacedInOrder)), nil
}

func canonical(v format.Value) []byte { return v.Append(nil, format.Canonical) }

// storedFields returns the fields of a stored text.
func storedFields(stored string) (format.Value, error) {
	if stored == "" {
		return format.Null(), nil
	}
	v, err := format.ParseJSON([]byte(stored))
	if err != nil {
		return format.Null(), fmt.Errorf("schema_registry: %w", err)
	}
	fields, _ := v.Get("fields")
	return fields, nil
}

// FieldOrder returns the field names of a stored text, in order.
func FieldOrder(stored string) ([]string, error) {
	fields, err := storedFields(stored)
	return fields.Names(), err
}

// declaredOrder returns the declared order of a schema's fields: that of SQL, if it declares
// all of them and does not reorder existing fields, since clients see the original's columns
// by name; otherwise that of the previous schema, followed by SQL's order of the new ones.
// Undeclared fields come last, by name.
func declaredOrder(schema *format.Schema, extras *format.Extras, before format.Value) []string {
	rest := map[string]bool{}
	for _, f := range schema.Fields {
		rest[f.Name] = true
	}
	var order []string
	add := func(name string) {
		if rest[name] {
			delete(rest, name)
			order = append(order, name)
		}
	}
	if !declaresAll(schema, extras) || reordersFields(extras, before) {
		for _, name := range before.Names() {
			add(name)
		}
	}
	for _, c := range extras.Columns {
		add(c.Field)
	}
	for _, f := range slices.SortedFunc(slices.Values(schema.Fields), func(a, b format.SchemaField) int { return strings.Compare(a.Name, b.Name) }) {
		add(f.Name)
	}
	return order
}

// reordersFields reports whether the columns are in another order than the previous fields.
func reordersFields(extras *format.Extras, before format.Value) bool {
	names, last := before.Names(), -1
	for _, c := range extras.Columns {
		switch i := slices.Index(names, c.Field); {
		case i < 0:
		case i < last:
			return true
		default:
			last = i
		}
	}
	return false
}

func declaresAll(schema *format.Schema, extras *format.Extras) bool {
	return !slices.ContainsFunc(schema.Fields, func(f format.SchemaField) bool {
		return !slices.ContainsFunc(extras.Columns, func(c format.ColumnExtras) bool { return c.Field == f.Name })
	})
}

// fieldSpelling returns a field of a schema with its members in the original's order.
func fieldSpelling(kind ontosql.Kind, f *format.SchemaField) (format.Value, error) {
	var members []format.Member
	if kind == ontosql.Entity {
		members = append(members, format.Member{Name: "primary_key", Value: format.Bool(f.PrimaryKey)})
	}
	members = append(members,
		format.Member{Name: "index", Value: format.Bool(f.Index)},
		format.Member{Name: "type", Value: format.String(f.Type)},
	)
	if f.TypeSpec != nil {
		spec, err := format.ParseJSON(f.TypeSpec)
		if err != nil {
			return format.Null(), err
		}
		members = append(members, format.Member{Name: "type_spec", Value: specSpelling(spec)})
	}
	return format.Object(members...), nil
}

// specOrder is the order of the members of any type_spec (COMPAT 1.2).
var specOrder = []string{"kind", "name", "total", "item", "key", "value", "members", "fields"}

// specSpelling returns a type_spec with its members in the original's order.
func specSpelling(v format.Value) format.Value {
	switch v.Kind() {
	case format.JSONArray:
		items := make([]format.Value, len(v.Items()))
		for i, item := range v.Items() {
			items[i] = specSpelling(item)
		}
		return format.Array(items...)
	case format.JSONObject:
		var members []format.Member
		for name, member := range v.Members() {
			if name == "fields" {
				member = typedDictSpelling(member)
			} else {
				member = specSpelling(member)
			}
			members = append(members, format.Member{Name: name, Value: member})
		}
		slices.SortStableFunc(members, func(a, b format.Member) int {
			return slices.Index(specOrder, a.Name) - slices.Index(specOrder, b.Name)
		})
		return format.Object(members...)
	}
	return v
}

// typedDictSpelling returns the fields of a TypedDict. Their declared order is unknown if only
// the canonical schema is available.
func typedDictSpelling(fields format.Value) format.Value {
	var members []format.Member
	for name, spec := range fields.Members() {
		members = append(members, format.Member{Name: name, Value: specSpelling(spec)})
	}
	return format.Object(members...)
}
