package rowjson

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/format"
)

// migrationPatch does what Migration.rebuild does by changing a canonical fields_json and
// copying the rest. It cannot rename a field.
type migrationPatch struct {
	Splice   // of the current row
	dropped  []string
	computed []computedField // by name
	next     int             // index of the first computed field that is not written yet
	visit    func(name, value format.Span)
}

// computedField is a field whose values a migration computes.
type computedField struct {
	name   string
	label  string // the name as JSON, with a colon
	column int    // of the type
	value  int    // column of the batch
}

// newPatch is the patch of a migration, nil where it renames a field: another name is
// another place in the object.
func (m *Migration) newPatch() *migrationPatch {
	if len(m.renamed) > 0 {
		return nil
	}
	p := &migrationPatch{Splice: Splice{Encoder: m.encoder}, dropped: m.dropped}
	for k, name := range m.fields {
		p.computed = append(p.computed, computedField{
			name: name, label: string(format.AppendString(nil, name)) + ":", value: m.stored + 1 + k,
			column: m.encoder.Type.FieldIndex(name),
		})
	}
	slices.SortFunc(p.computed, func(a, b computedField) int { return cmp.Compare(a.name, b.name) })
	p.visit = p.member
	return p
}

// apply leaves the fields of row i in the imager's text. ok is false for what fieldsOf
// is for: a text that is not canonical, a name that has escapes, a value that is not
// plain, and an error.
func (p *migrationPatch) apply(b *column.Batch, i int, stored []byte) (changed, ok bool) {
	p.Splice, p.next = Splice{Encoder: p.Encoder, batch: b, row: i, stored: stored}, 0
	p.Text = append(p.Text[:0], '{')
	err := format.EachMember(stored, p.visit)
	for p.next < len(p.computed) {
		p.absent()
	}
	p.Text = append(p.Text, '}')
	return p.changed, p.whole(err)
}

// member takes the next stored member over.
func (p *migrationPatch) member(name, value format.Span) {
	text, ok := p.meet(name, value)
	if !ok {
		return
	}
	for p.next < len(p.computed) && p.computed[p.next].name < string(text) {
		p.absent()
	}
	switch {
	case p.next < len(p.computed) && p.computed[p.next].name == string(text):
		before := p.stored[value.From:value.To]
		p.comma()
		start := p.make()
		p.changed = p.changed || !bytes.Equal(before, p.Text[start:])
	case slices.Contains(p.dropped, string(text)):
		p.changed = true
	default:
		p.comma()
		p.Text = append(p.Text, p.stored[name.From-quote:value.To]...)
	}
}

// make appends the next of made, of which the value begins at start.
func (p *migrationPatch) make() (start int) {
	f := &p.computed[p.next]
	p.next++
	p.Text = append(p.Text, f.label...)
	start = len(p.Text)
	p.value(&p.batch.Cols[f.value], f.column)
	return start
}

// absent adds the next of made, which is not stored: NULL needs no place.
func (p *migrationPatch) absent() {
	f := &p.computed[p.next]
	if p.batch.Cols[f.value].IsNull(p.row) {
		p.next++
		p.failed = p.failed || p.Type.Columns[f.column].NotNull
		return
	}
	p.comma()
	p.make()
	p.changed = true
}
