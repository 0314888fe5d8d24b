package format

import (
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
func (c *typedColumn) set(s *scanner) {
	start := s.at
	if s.peek() == 'n' {
		s.word("null")
		return
	}
	fits := false
	switch c.kind {
	case FieldStr:
		fits = c.setText(s)
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

func (c *typedColumn) setText(s *scanner) bool {
	if s.peek() != '"' {
		return false
	}
	text, escaped := s.rawString()
	if s.err != nil {
		return false
	}
	if escaped {
		text = unescape(make([]byte, 0, len(text)), text)
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

// extract reads one row's fields_json into the typed columns, by name.
func extract(text []byte, columns map[string]*typedColumn) error {
	for _, c := range columns {
		c.levels = append(c.levels, 0)
	}
	s := &scanner{text: text}
	var last []byte
	s.elements('{', '}', 0, func() {
		if s.peek() != '"' {
			s.fail("expected a member's name")
			return
		}
		name, escaped := s.rawString()
		if escaped {
			name = unescape(nil, name)
		}
		if last != nil && string(last) >= string(name) && s.err == nil {
			s.err = errNotCanonical
		}
		last = name
		s.colon()
		if c := columns[string(name)]; c != nil {
			c.set(s)
			return
		}
		s.skip(1)
	})
	if s.err == nil && s.at != len(text) {
		s.err = errNotCanonical
	}
	if s.err != nil {
		return fmt.Errorf("fields_json: %w", s.err)
	}
	return nil
}
