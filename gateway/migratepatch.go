package gateway

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/format"
)

// migrationPatch makes the canonical fields_json of rows anew as fieldsOf does, and
// leaves what does not change as it is spelled there. It renames nothing.
type migrationPatch struct {
	splice // of the row at hand
	gone   []string
	made   []madeField // by name
	next   int         // the first of made that has not been met
	visit  func(name, value format.Span)
}

// madeField is a field whose values are made anew.
type madeField struct {
	name   string
	label  string // the name as JSON, with a colon
	column int    // of the type
	value  int    // column of the batch
}

// newPatch is the patch of a migration, nil where it renames a field: another name is
// another place in the object.
func (m *rowMigration) newPatch() *migrationPatch {
	if len(m.renamed) > 0 {
		return nil
	}
	p := &migrationPatch{splice: splice{imager: m.image}, gone: m.gone}
	for k, name := range m.fields {
		p.made = append(p.made, madeField{
			name: name, label: string(format.AppendString(nil, name)) + ":", value: m.stored + 1 + k,
			column: m.image.typ.FieldIndex(name),
		})
	}
	slices.SortFunc(p.made, func(a, b madeField) int { return cmp.Compare(a.name, b.name) })
	p.visit = p.member
	return p
}

// apply leaves the fields of row i in the imager's text. ok is false for what fieldsOf
// is for: a text that is not canonical, a name that has escapes, a value that is not
// plain, and an error.
func (p *migrationPatch) apply(b *column.Batch, i int, stored []byte) (changed, ok bool) {
	p.splice, p.next = splice{imager: p.imager, batch: b, row: i, stored: stored}, 0
	p.text = append(p.text[:0], '{')
	err := format.EachMember(stored, p.visit)
	for p.next < len(p.made) {
		p.absent()
	}
	p.text = append(p.text, '}')
	return p.changed, p.whole(err)
}

// member takes the next stored member over.
func (p *migrationPatch) member(name, value format.Span) {
	text, ok := p.meet(name, value)
	if !ok {
		return
	}
	for p.next < len(p.made) && p.made[p.next].name < string(text) {
		p.absent()
	}
	switch {
	case p.next < len(p.made) && p.made[p.next].name == string(text):
		before := p.stored[value.From:value.To]
		p.comma()
		start := p.make()
		p.changed = p.changed || !bytes.Equal(before, p.text[start:])
	case slices.Contains(p.gone, string(text)):
		p.changed = true
	default:
		p.comma()
		p.text = append(p.text, p.stored[name.From-quote:value.To]...)
	}
}

// make appends the next of made, of which the value begins at start.
func (p *migrationPatch) make() (start int) {
	f := &p.made[p.next]
	p.next++
	p.text = append(p.text, f.label...)
	start = len(p.text)
	p.value(&p.batch.Cols[f.value], f.column)
	return start
}

// absent adds the next of made, which is not stored: NULL needs no place.
func (p *migrationPatch) absent() {
	f := &p.made[p.next]
	if p.batch.Cols[f.value].IsNull(p.row) {
		p.next++
		p.failed = p.failed || p.typ.Columns[f.column].NotNull
		return
	}
	p.comma()
	p.make()
	p.changed = true
}
