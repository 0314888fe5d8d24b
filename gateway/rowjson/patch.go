package rowjson

import (
	"bytes"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/format"
)

// patch replaces assigned values in a canonical fields_json and copies everything else
// as it is.
type patch struct {
	Splice
	assigned []bool // by column of the type
	next     int    // index of the first field of the encoder that is not written yet
}

// apply writes the new object to the encoder's text. It returns false where rebuild is
// needed: the stored text is not canonical, a name has escapes, a value is not plain, or
// there is an error.
func (p *patch) apply() bool {
	p.Text = append(p.Text[:0], '{')
	err := format.EachMember(p.stored, p.member)
	for p.next < len(p.fields) {
		p.absent()
	}
	p.Text = append(p.Text, '}')
	return p.whole(err)
}

// member copies or replaces the next stored member.
func (p *patch) member(name, value format.Span) {
	text, ok := p.meet(name, value)
	if !ok {
		return
	}
	for p.next < len(p.fields) && p.field().Field < string(text) {
		p.absent()
	}
	p.comma()
	if p.next == len(p.fields) || p.field().Field != string(text) {
		p.Text = append(p.Text, p.stored[name.From-quote:value.To]...)
		return
	}
	p.Text = append(p.Text, p.stored[name.From-quote:value.From]...)
	k, c := p.fields[p.next].column, p.field()
	p.next++
	before := p.stored[value.From:value.To]
	if c.Role == catalog.FromField && p.assigned[k] {
		start := len(p.Text)
		if p.value(&p.batch.Cols[k], k); p.failed {
			return
		}
		if differ(before, p.Text[start:]) {
			p.changed = true
			return
		}
		p.Text = p.Text[:start]
	} else if c.Role == catalog.FromField && c.NotNull && string(before) == "null" {
		p.failed = true
	}
	p.Text = append(p.Text, before...)
}

// field is the column of the next field.
func (p *patch) field() *catalog.Column { return &p.Type.Columns[p.fields[p.next].column] }

// absent adds the next field, which is not stored and therefore reads as NULL.
func (p *patch) absent() {
	c, f := p.field(), p.fields[p.next]
	p.next++
	v := &p.batch.Cols[f.column]
	switch {
	case c.Role != catalog.FromField:
	case !p.assigned[f.column] || v.IsNull(p.row):
		p.failed = p.failed || c.NotNull
	default:
		p.comma()
		p.Text = append(p.Text, f.label...)
		p.value(v, f.column)
		p.changed = true
	}
}

// differ reports whether two values of a field are different. after is as appendPlain
// writes it.
func differ(before, after []byte) bool {
	if bytes.Equal(before, after) {
		return string(after) == "NaN"
	}
	return !format.Equal(before, after)
}
