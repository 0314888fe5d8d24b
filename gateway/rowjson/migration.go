package rowjson

import (
	"errors"
	"slices"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/writepath"
)

// Migration makes the stored fields of rows after a change of their type's schema.
type Migration struct {
	encoder *Encoder      // for the type after the change
	before  *catalog.Type // the type before it
	fields  []string      // fields whose values are computed
	dropped []string      // fields that are dropped
	renamed map[string]string
	stored  int // the column of a batch with the stored fields; the computed values follow it

	patch   *migrationPatch // nil where the schema change renames a field
	patched bool            // apply left the fields in the encoder's text
	rebuilt []byte          // else they are here
}

// NewMigration makes a migration of rows from the schema of before to that of the encoder.
// Batches have the stored fields in column stored, and the values of fields in the columns
// after it. gone are the names of dropped fields, renamed maps old names to new.
func NewMigration(encoder *Encoder, before *catalog.Type, fields, gone []string, renamed map[string]string, stored int) *Migration {
	m := &Migration{encoder: encoder, before: before, fields: fields, dropped: gone, renamed: renamed, stored: stored}
	m.patch = m.newPatch()
	return m
}

// Apply computes the fields of row i of a batch; keepFields returns them. changed is
// false where they are as stored.
func (m *Migration) Apply(b *column.Batch, i int) (changed bool, err error) {
	m.patched, m.rebuilt = false, nil
	if m.patch != nil {
		if changed, m.patched = m.patch.apply(b, i, b.Cols[m.stored].Str[i]); m.patched {
			return changed, nil
		}
	}
	m.rebuilt, changed, err = m.rebuild(b, i)
	return changed, err
}

// Fields returns the fields that apply computed. They may lie in the texts of dst,
// which may be nil.
func (m *Migration) Fields(dst *writepath.Batch) []byte {
	switch {
	case !m.patched:
		return m.rebuilt
	case dst == nil:
		return m.encoder.Keep(m.encoder.Text)
	}
	start := len(dst.Texts)
	dst.Texts = append(dst.Texts, m.encoder.Text...)
	return dst.Texts[start:len(dst.Texts):len(dst.Texts)]
}

// rebuild makes the fields of row i by parsing the stored object.
func (m *Migration) rebuild(b *column.Batch, i int) (fields []byte, changed bool, err error) {
	before, err := format.ParseJSON(b.Cols[m.stored].Str[i])
	if err != nil || before.Kind() != format.JSONObject {
		return nil, false, NotObject(m.before, "migrated")
	}
	var members []format.Member
	for name, v := range before.Members() {
		to, renamed := m.renamed[name]
		switch {
		case slices.Contains(m.dropped, name):
			changed = true
			continue
		case renamed:
			name, changed = to, true
		}
		members = append(members, format.Member{Name: name, Value: v})
	}
	for k, field := range m.fields {
		at := m.encoder.Type.FieldIndex(field)
		c := &m.encoder.Type.Columns[at]
		v, err := Value(&b.Cols[m.stored+1+k], i, c)
		if err == nil && v.IsNull() && c.NotNull {
			err = pgerr.New(pgerr.NotNullViolation, "column %q of relation %q contains null values", c.Name, m.before.Table)
		}
		if err == nil && !v.IsNull() && m.encoder.Rules[at] != nil {
			err = MisfitError(m.encoder.Rules[at].Check(v), c)
		}
		if err != nil {
			return nil, false, inColumn(err, m.before, c)
		}
		old := slices.IndexFunc(members, func(f format.Member) bool { return f.Name == field })
		switch {
		case old < 0 && v.IsNull(): // it reads as NULL
		case old < 0:
			members, changed = append(members, format.Member{Name: field, Value: v}), true
		case !sameText(members[old].Value, v):
			members[old].Value, changed = v, true
		}
	}
	return format.Object(members...).Append(nil, format.Canonical), changed, nil
}

// sameText reports whether two values are stored as the same text: 1 and 1.0 are
// equal and are not.
func sameText(a, b format.Value) bool {
	return string(a.Append(nil, format.Canonical)) == string(b.Append(nil, format.Canonical))
}

// inColumn adds the table and the column to an error.
func inColumn(err error, t *catalog.Type, c *catalog.Column) error {
	var e *pgerr.Error
	if errors.As(err, &e) {
		_ = e.WithColumn(catalog.SchemaPublic, t.Table, c.Name)
	}
	return err
}
