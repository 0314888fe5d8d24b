package format

import (
	"bytes"
	"errors"
	"fmt"
)

var errNotCanonical = errors.New("fields_json is not canonical JSON")

// fieldsReader reads the fields_json of rows into typed columns. A row mostly has the same members
// as the row before. Their names are compared as bytes and not parsed again.
type fieldsReader struct {
	columns []*typedColumn // in the order of their fields
	s       scanner
	members []member // of earlier rows, by position
}

// member is the name of a member of a row, and its typed column.
type member struct {
	raw           []byte // the name as written in the row, including the colon
	name          []byte
	columnsBefore int  // the number of columns whose fields' names are smaller
	typed         bool // the column at columnsBefore is of this field
	escaped       bool
}

// read reads the fields_json of one row. It must be canonical, so that members and columns are in
// the same order.
func (r *fieldsReader) read(text []byte) error {
	r.s = scanner{text: text}
	r.object()
	if r.s.err == nil && r.s.at != len(text) {
		r.s.err = errNotCanonical
	}
	if r.s.err != nil {
		return fmt.Errorf("fields_json: %w", r.s.err)
	}
	return nil
}

func (r *fieldsReader) object() {
	s, done := &r.s, 0 // done is the number of columns that have the value of this row
	if s.peek() != '{' {
		s.fail("expected {")
		return
	}
	s.at++
	for n := 0; s.err == nil; n++ {
		s.space()
		if n == 0 && s.peek() == '}' {
			break
		}
		m := r.member(n)
		if s.err != nil {
			return
		}
		for ; done < m.columnsBefore; done++ {
			r.columns[done].addNull()
		}
		if m.typed {
			r.columns[done].read(s)
			done++
		} else {
			s.skip(1)
		}
		s.space()
		if s.peek() != ',' {
			break
		}
		s.at++
	}
	if s.peek() != '}' {
		s.fail("expected , or }")
	}
	s.at++
	for ; done < len(r.columns); done++ {
		r.columns[done].addNull()
	}
}

// member reads the name of member n and the colon after it.
func (r *fieldsReader) member(n int) *member {
	s := &r.s
	if n < len(r.members) && bytes.HasPrefix(s.text[s.at:], r.members[n].raw) {
		s.at += len(r.members[n].raw)
		s.maybeNotPlain = s.maybeNotPlain || r.members[n].escaped
		return &r.members[n]
	}
	if n == cap(r.members) {
		r.members = append(r.members[:n], member{})
	}
	r.members = r.members[:n+1]
	m := &r.members[n]
	start := s.at
	if s.peek() != '"' {
		s.fail("expected a member's name")
		return m
	}
	name, escaped := s.rawString()
	m.escaped = escaped
	if m.name = append(m.name[:0], name...); escaped {
		m.name = unescape(m.name[:0], name)
	}
	s.colon()
	m.raw = append(m.raw[:0], s.text[start:s.at]...)
	m.columnsBefore = 0
	if n > 0 {
		before := &r.members[n-1]
		if m.columnsBefore = before.columnsBefore; before.typed {
			m.columnsBefore++
		}
		if bytes.Compare(before.name, m.name) >= 0 && s.err == nil {
			s.err = errNotCanonical
		}
	}
	for m.columnsBefore < len(r.columns) && r.columns[m.columnsBefore].field < string(m.name) {
		m.columnsBefore++
	}
	m.typed = m.columnsBefore < len(r.columns) && r.columns[m.columnsBefore].field == string(m.name)
	return m
}
