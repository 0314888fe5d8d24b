package gateway

import (
	"slices"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/pgerr"
)

// update is fields_json of a stored version with the assigned columns of row i of
// a batch in the place of what stands there, nil where that changes nothing
// (COMPAT 5). What the schema does not know of the version stays (decision A17).
func (m *imager) update(b *column.Batch, i int, assigned []bool, stored []byte) ([]byte, error) {
	m.count++
	before, err := format.ParseJSON(stored)
	if err != nil || before.Kind() != format.JSONObject {
		return nil, pgerr.New(pgerr.DataCorrupted, "a stored version of relation %q cannot be updated: its fields are no JSON object", m.typ.Table)
	}
	var members []format.Member
	for name, v := range before.Members() {
		members = append(members, format.Member{Name: name, Value: v})
	}
	changed := false
	for k := range m.typ.Columns {
		c := &m.typ.Columns[k]
		if c.Role != catalog.FromField {
			continue
		}
		at := slices.IndexFunc(members, func(f format.Member) bool { return f.Name == c.Field })
		if !assigned[k] {
			if c.NotNull && (at < 0 || members[at].Value.IsNull()) {
				return nil, m.at(m.nullError(b, i, c), c)
			}
			continue
		}
		v, err := storedValue(&b.Cols[k], i, c)
		if err == nil {
			err = m.admitted(b, i, k, v)
		}
		if err != nil {
			return nil, m.at(err, c)
		}
		switch {
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
