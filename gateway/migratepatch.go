package gateway

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/format"
)

// migrationPatch makes the canonical fields_json of rows anew as fieldsOf does, and
// leaves what does not change as it is spelled there. It renames nothing.
type migrationPatch struct {
	*imager
	gone  []string
	made  []madeField // by name
	visit func(name, value format.Span)

	// Of the row at hand:
	batch   *column.Batch
	row     int
	stored  []byte
	changed bool
	failed  bool        // the text or a value is none that is patched
	next    int         // the first of made that has not been met
	last    format.Span // the name before
	end     int         // of the value before, 0 for none
}

// madeField is a field whose values are made anew.
type madeField struct {
	name   string
	label  string // the name as JSON, with a colon
	column int    // of the type
	value  int    // column of the batch
}

// newPatch is the patch for rows whose stored fields stand in a column of a batch,
// and the values that are made anew in those behind it; nil where there is none.
func (m *alteration) newPatch(stored int) *migrationPatch {
	if len(m.renamed) > 0 {
		return nil
	}
	p := &migrationPatch{imager: m.image, gone: m.gone}
	for k, name := range m.fields {
		p.made = append(p.made, madeField{
			name: name, label: string(format.AppendString(nil, name)) + ":", value: stored + 1 + k,
			column: slices.IndexFunc(m.next.Columns, func(c catalog.Column) bool { return c.Field == name }),
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
	p.batch, p.row, p.stored = b, i, stored
	p.changed, p.failed, p.next, p.end = false, false, 0, 0
	p.text = append(p.text[:0], '{')
	err := format.EachMember(stored, p.visit)
	for p.next < len(p.made) {
		p.absent()
	}
	p.text = append(p.text, '}')
	return p.changed, err == nil && !p.failed && p.end == len(stored)-1
}

// member takes the next stored member over.
func (p *migrationPatch) member(name, value format.Span) {
	const quote = 1
	text := p.stored[name.From:name.To]
	tight := name.From == p.end+1+quote && value.From == name.To+quote+1
	sorted := p.end == 0 || bytes.Compare(p.stored[p.last.From:p.last.To], text) < 0
	if p.failed = p.failed || !tight || !sorted || !asItIs(text); p.failed {
		return
	}
	p.last, p.end = name, value.To
	for p.next < len(p.made) && p.made[p.next].name < string(text) {
		p.absent()
	}
	switch {
	case p.next < len(p.made) && p.made[p.next].name == string(text):
		before := p.stored[value.From:value.To]
		p.comma()
		start := p.value()
		p.changed = p.changed || !bytes.Equal(before, p.text[start:])
	case slices.Contains(p.gone, string(text)):
		p.changed = true
	default:
		p.comma()
		p.text = append(p.text, p.stored[name.From-quote:value.To]...)
	}
}

// comma separates the next member from the one before.
func (p *migrationPatch) comma() {
	if len(p.text) > 1 {
		p.text = append(p.text, ',')
	}
}

// value appends the next of made, of which the value begins at start.
func (p *migrationPatch) value() (start int) {
	f := &p.made[p.next]
	p.next++
	p.text = append(p.text, f.label...)
	start = len(p.text)
	var ok bool
	p.text, ok = p.appendPlain(p.text, &p.batch.Cols[f.value], p.row, f.column)
	p.failed = p.failed || !ok
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
	p.value()
	p.changed = true
}
