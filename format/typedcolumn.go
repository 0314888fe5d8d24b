package format

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/parquet"

	"github.com/ontosql/ontosql"
)

// typedColumn is a column of field values for one row group. Values without
// NULLs stand in the slice that belongs to the type.
type typedColumn struct {
	name   string
	kind   FieldType
	unfit  bool    // some value of the file is not of the type, so the column says NULL where there is a value
	levels []int16 // 0 NULL, 1 a value; one for each row
	strs   []parquet.ByteArray
	ints   []int64
	floats []float64
	bools  []bool
}

// typedColumns are the typed columns that a file gets for a type's fields, in
// the order of their names: of str, int, float and bool only (decision A17),
// and of none whose name another column has, case apart, because DuckDB finds
// columns without it.
func typedColumns(kind ontosql.Kind, fields []SchemaField) []*typedColumn {
	var columns []*typedColumn
	folded := map[string]int{}
	for _, f := range fields {
		folded[strings.ToLower(f.Name)]++
	}
	for _, f := range fields {
		t, _ := ParseSpelling(f.Type)
		typed := t == FieldStr || t == FieldInt || t == FieldFloat || t == FieldBool
		if typed && f.Name != "" && folded[strings.ToLower(f.Name)] == 1 && !Reserved(kind, f.Name) {
			columns = append(columns, &typedColumn{name: f.Name, kind: t})
		}
	}
	slices.SortFunc(columns, func(a, b *typedColumn) int { return strings.Compare(a.name, b.name) })
	return columns
}

func (c *typedColumn) reset() {
	c.levels, c.strs, c.ints, c.floats, c.bools = c.levels[:0], c.strs[:0], c.ints[:0], c.floats[:0], c.bools[:0]
}

// set reads the value of the row that levels ends with.
func (c *typedColumn) set(s *scanner, texts *arena) {
	start := s.at
	if s.peek() == 'n' {
		s.word("null")
		return
	}
	fits := false
	switch c.kind {
	case FieldStr:
		fits = c.setText(s, texts)
	case FieldInt:
		fits = c.setInt(s)
	case FieldFloat:
		fits = c.setFloat(s)
	case FieldBool:
		fits = c.setBool(s)
	}
	if fits {
		c.levels[len(c.levels)-1] = 1
		return
	}
	c.unfit = true
	s.at = start
	s.skip(1)
}

func (c *typedColumn) setText(s *scanner, texts *arena) bool {
	if s.peek() != '"' {
		return false
	}
	text, escaped := s.rawString()
	if s.err != nil {
		return false
	}
	if escaped {
		plain := texts.room(len(text))
		start := len(*plain)
		*plain = unescape(*plain, text) // it never gets longer
		text = (*plain)[start:len(*plain):len(*plain)]
		if !utf8.Valid(text) { // a lone surrogate has no place in a Parquet string
			return false
		}
	}
	c.strs = append(c.strs, text)
	return true
}

// numeric reports whether the next value is a number; reading another kind as
// one would be an error of syntax.
func numeric(s *scanner) bool {
	c := s.peek()
	return c == '-' || c == 'N' || c == 'I' || '0' <= c && c <= '9'
}

func (c *typedColumn) setInt(s *scanner) bool {
	if !numeric(s) {
		return false
	}
	text, integer := s.numeral()
	if !integer || s.err != nil {
		return false
	}
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		return false
	}
	c.ints = append(c.ints, n)
	return true
}

// setFloat takes integers too, as long as a double holds them exactly.
func (c *typedColumn) setFloat(s *scanner) bool {
	if !numeric(s) {
		return false
	}
	text, integer := s.numeral()
	if s.err != nil {
		return false
	}
	const inexact = 1 << 53
	f := floatOf(text)
	if integer && (f >= inexact || f <= -inexact) {
		return false
	}
	c.floats = append(c.floats, f)
	return true
}

func (c *typedColumn) setBool(s *scanner) bool {
	switch s.peek() {
	case 't':
		s.word("true")
		c.bools = append(c.bools, true)
	case 'f':
		s.word("false")
		c.bools = append(c.bools, false)
	default:
		return false
	}
	return true
}

var errNotCanonical = errors.New("fields_json is not canonical JSON")

// fieldsReader reads the fields_json of rows into typed columns.
type fieldsReader struct {
	columns []*typedColumn // in the order of their names
	texts   *arena         // of the rows and what is made of them

	s    scanner
	next int    // the first column that no member was too late for
	last []byte // the name of the member before, nil for none
	each func() // member, made once
}

// read reads one row's fields_json, which is canonical: members and columns come
// in the same order.
func (r *fieldsReader) read(text []byte) error {
	for _, c := range r.columns {
		c.levels = append(c.levels, 0)
	}
	if r.each == nil {
		r.each = r.member
	}
	r.s, r.next, r.last = scanner{text: text}, 0, nil
	r.s.elements('{', '}', 0, r.each)
	if r.s.err == nil && r.s.at != len(text) {
		r.s.err = errNotCanonical
	}
	if r.s.err != nil {
		return fmt.Errorf("fields_json: %w", r.s.err)
	}
	return nil
}

func (r *fieldsReader) member() {
	s := &r.s
	if s.peek() != '"' {
		s.fail("expected a member's name")
		return
	}
	name, escaped := s.rawString()
	if escaped {
		name = unescape(nil, name)
	}
	if r.last != nil && bytes.Compare(r.last, name) >= 0 && s.err == nil {
		s.err = errNotCanonical
	}
	r.last = name
	s.colon()
	for r.next < len(r.columns) && r.columns[r.next].name < string(name) {
		r.next++
	}
	if r.next < len(r.columns) && r.columns[r.next].name == string(name) {
		r.columns[r.next].set(s, r.texts)
		return
	}
	s.skip(1)
}
