package gateway

import (
	"bytes"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/format"
)

// patch puts assigned values in the place of those that stand in canonical
// fields_json, and leaves all else as it is spelled there.
type patch struct {
	*imager
	batch    *column.Batch
	row      int
	assigned []bool // by column of the type
	stored   []byte

	changed bool
	failed  bool        // the text or a value is none that is patched
	next    int         // the first of the imager's fields that has not been met
	last    format.Span // the name before
	end     int         // of the value before, 0 for none
}

// apply leaves the new text in the imager's. It reports false for what rebuild is
// for: a text that is not canonical, a name that has escapes, a value that is not
// plain, and an error.
func (p *patch) apply() bool {
	p.text = append(p.text[:0], '{')
	err := format.EachMember(p.stored, p.member)
	for p.next < len(p.fields) {
		p.absent()
	}
	p.text = append(p.text, '}')
	return err == nil && !p.failed && p.end == len(p.stored)-1
}

// member takes the next member over.
func (p *patch) member(name, value format.Span) {
	const quote = 1
	text := p.stored[name.From:name.To]
	tight := name.From == p.end+1+quote && value.From == name.To+quote+1
	sorted := p.end == 0 || bytes.Compare(p.stored[p.last.From:p.last.To], text) < 0
	if p.failed = p.failed || !tight || !sorted || !asItIs(text); p.failed {
		return
	}
	p.last, p.end = name, value.To
	for p.next < len(p.fields) && p.field().Field < string(text) {
		p.absent()
	}
	p.comma()
	if p.next == len(p.fields) || p.field().Field != string(text) {
		p.text = append(p.text, p.stored[name.From-quote:value.To]...)
		return
	}
	p.text = append(p.text, p.stored[name.From-quote:value.From]...)
	k, c := p.fields[p.next].column, p.field()
	p.next++
	before := p.stored[value.From:value.To]
	if c.Role == catalog.FromField && p.assigned[k] {
		start := len(p.text)
		if p.value(k); p.failed {
			return
		}
		if differ(before, p.text[start:]) {
			p.changed = true
			return
		}
		p.text = p.text[:start]
	} else if c.Role == catalog.FromField && c.NotNull && string(before) == "null" {
		p.failed = true
	}
	p.text = append(p.text, before...)
}

// field is the column of the next field.
func (p *patch) field() *catalog.Column { return &p.typ.Columns[p.fields[p.next].column] }

// comma separates the next member from the one before.
func (p *patch) comma() {
	if len(p.text) > 1 {
		p.text = append(p.text, ',')
	}
}

// value appends the new value of column k.
func (p *patch) value(k int) {
	var ok bool
	p.text, ok = p.appendPlain(p.text, &p.batch.Cols[k], p.row, k)
	p.failed = p.failed || !ok
}

// absent adds the next field, which is missing: so it reads as NULL.
func (p *patch) absent() {
	c, f := p.field(), p.fields[p.next]
	p.next++
	switch {
	case c.Role != catalog.FromField:
	case !p.assigned[f.column] || p.batch.Cols[f.column].IsNull(p.row):
		p.failed = p.failed || c.NotNull
	default:
		p.comma()
		p.text = append(p.text, f.label...)
		p.value(f.column)
		p.changed = true
	}
}

// differ reports whether two values of a field are not the same one (COMPAT 5), of
// which the new one is as appendPlain writes it.
func differ(before, after []byte) bool {
	if bytes.Equal(before, after) {
		return string(after) == "NaN"
	}
	return !format.Equal(before, after)
}
