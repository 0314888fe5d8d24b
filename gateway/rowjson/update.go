package rowjson

import (
	"slices"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/pgerr"
)

// Update is fields_json of a stored version with the assigned columns replaced by the
// values of row i of a batch. It is nil if that changes nothing. Stored fields that the
// schema does not have stay (decision A17). identity is the key of the stored version.
func (m *Encoder) Update(b *column.Batch, i int, assigned []bool, identity *format.Row, stored []byte) ([]byte, error) {
	m.Rows++
	if p := (patch{Splice: Splice{Encoder: m, batch: b, row: i, stored: stored}, assigned: assigned}); p.apply() {
		if !p.changed {
			return nil, nil
		}
		return m.Keep(m.Text), nil
	}
	return m.rebuild(b, i, assigned, identity, stored)
}

// NotObject is the error of a stored version whose fields are no JSON object. done says
// what it could not be: updated, migrated.
func NotObject(t *catalog.Type, done string) *pgerr.Error {
	return pgerr.New(pgerr.DataCorrupted, "a stored version of relation %q cannot be %s: its fields are no JSON object", t.Table, done).
		WithHint("\"ontosql fsck\" says where it stands.")
}

// rebuild is Update by parsing the stored object.
func (m *Encoder) rebuild(b *column.Batch, i int, assigned []bool, identity *format.Row, stored []byte) ([]byte, error) {
	before, err := format.ParseJSON(stored)
	if err != nil || before.Kind() != format.JSONObject {
		return nil, NotObject(m.Type, "updated").WithDetail("%s.", Key(m.Type, identity))
	}
	var members []format.Member
	for name, v := range before.Members() {
		members = append(members, format.Member{Name: name, Value: v})
	}
	value := func(k int) (format.Value, error) {
		if assigned[k] {
			return Value(&b.Cols[k], i, &m.Type.Columns[k])
		}
		return m.valueOf(k, identity, before), nil
	}
	texts := func(k int) (text string, null bool) {
		if assigned[k] {
			return m.rowTexts(b, i)(k)
		}
		return m.storedText(m.valueOf(k, identity, before), &m.Type.Columns[k])
	}
	changed := false
	for k := range m.Type.Columns {
		c := &m.Type.Columns[k]
		if c.Role != catalog.FromField {
			continue
		}
		v, err := value(k)
		if err == nil && v.IsNull() && c.NotNull {
			err = m.nullError(texts, c)
		} else if err == nil && assigned[k] {
			err = m.admitted(b, i, k, v)
		}
		at := slices.IndexFunc(members, func(f format.Member) bool { return f.Name == c.Field })
		switch {
		case err != nil:
			return nil, m.located(err, c)
		case !assigned[k]:
		case at < 0 && v.IsNull(): // it reads as NULL
		case at < 0:
			members, changed = append(members, format.Member{Name: c.Field, Value: v}), true
		case !members[at].Value.Equal(v):
			members[at].Value, changed = v, true
		}
	}
	if !changed {
		return nil, nil
	}
	return format.Object(members...).Append(nil, format.Canonical), nil
}

// valueOf is the value of column k of a stored version.
func (m *Encoder) valueOf(k int, identity *format.Row, fields format.Value) format.Value {
	switch c := &m.Type.Columns[k]; c.Role {
	case catalog.FromLeftKey:
		return format.String(identity.Left)
	case catalog.FromRightKey:
		return format.String(identity.Right)
	case catalog.FromInstanceKey:
		return format.String(identity.Instance)
	default:
		v, _ := fields.Get(c.Field)
		return v
	}
}
