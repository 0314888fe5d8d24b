package transfer

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/format"
)

// A record is one row as a line of JSON, in the original's form (COMPAT 7). Keys and the
// members of fields are in stored order.

// appendRecord appends the record of a row, without a newline. Renamed fields have their
// current names.
func appendRecord(dst []byte, t *catalog.Type, r *format.Row, withCommit bool) ([]byte, error) {
	ref := t.Ref
	fields, err := format.ParseJSON(r.Fields)
	if err != nil {
		return dst, fmt.Errorf("%s %q, commit %d: fields_json: %w", ref, identity(ref.Kind, r), r.Commit, err)
	}
	if names := t.Renamed(r.SchemaVersionID); names != nil && fields.Kind() == format.JSONObject {
		fields = fields.Renamed(names)
	}
	members := []format.Member{
		{Name: "type_kind", Value: format.String(ref.Kind.String())},
		{Name: "type_name", Value: format.String(ref.Name)},
	}
	if ref.Kind == ontosql.Entity {
		members = append(members, format.Member{Name: "key", Value: format.String(r.Key)})
	} else {
		members = append(members, format.Member{Name: "left_key", Value: format.String(r.Left)}, format.Member{Name: "right_key", Value: format.String(r.Right)})
	}
	members = append(members, format.Member{Name: "fields", Value: fields})
	if r.Instance != "" {
		members = append(members, format.Member{Name: "instance_key", Value: format.String(r.Instance)})
	}
	if withCommit {
		members = append(members, format.Member{Name: "commit_id", Value: format.Int(int64(r.Commit))})
	}
	return format.Object(members...).Append(dst, format.SpacedInOrder), nil
}

// identity formats the identity of a row for messages.
func identity(kind ontosql.Kind, r *format.Row) string {
	if kind == ontosql.Entity {
		return r.Key
	}
	parts := []string{r.Left, r.Right, r.Instance}
	if r.Instance == "" {
		parts = parts[:2]
	}
	return strings.Join(parts, ", ")
}

// record is a parsed line.
type record struct {
	ref    ontosql.TypeRef
	key    *string // nil if the line has none
	row    format.Row
	fields format.Value
}

// parseRecord parses a line, independently of the type.
func parseRecord(line []byte) (record, error) {
	v, err := format.ParseJSON(line)
	if err != nil {
		return record{}, err
	}
	if v.Kind() != format.JSONObject {
		return record{}, fmt.Errorf("expected an object, found %s", v.Kind())
	}
	kind, err := ontosql.ParseKind(textOf(v, "type_kind"))
	if err != nil {
		return record{}, errors.New(`type_kind: want "entity" or "relation"`)
	}
	r := record{ref: ontosql.TypeRef{Kind: kind, Name: textOf(v, "type_name")}}
	if r.ref.Name == "" {
		return record{}, errors.New("type_name: missing")
	}
	if r.fields, _ = v.Get("fields"); r.fields.Kind() != format.JSONObject {
		return record{}, fmt.Errorf("fields: expected an object, found %s", r.fields.Kind())
	}
	if kind == ontosql.Entity {
		if _, there := v.Get("key"); there {
			r.key = new(string)
			*r.key, err = keyOf(v, "key")
		}
		return r, err
	}
	if r.row.Left, err = keyOf(v, "left_key"); err != nil {
		return r, err
	}
	if r.row.Right, err = keyOf(v, "right_key"); err != nil {
		return r, err
	}
	if instance, _ := v.Get("instance_key"); !instance.IsNull() {
		r.row.Instance, err = keyOf(v, "instance_key")
	}
	return r, err
}

func textOf(v format.Value, name string) string {
	if m, _ := v.Get(name); m.Kind() == format.JSONString {
		return m.Text()
	}
	return ""
}

// keyOf returns a key of a record, which may be a number.
func keyOf(v format.Value, name string) (string, error) {
	m, there := v.Get(name)
	switch {
	case !there:
		return "", fmt.Errorf("%s: missing", name)
	case m.IsNull():
		return "", fmt.Errorf("%s: is null", name)
	}
	text, err := format.KeyText(m)
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return text, nil
}
