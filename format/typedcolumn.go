package format

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ontosql/ontosql"
)

// typedColumn is the column of a field.
type typedColumn struct {
	chunk
	field string
	unfit bool // some value of the file is not of the type and is NULL in the column
}

// typedColumns returns the typed columns of a file, in the order of their fields' names (decision
// A17). Fields whose names differ only by case, or equal a system column, have none, and neither
// has a field whose native column would have the name of another field, because column names in
// DuckDB are case-insensitive.
func typedColumns(kind ontosql.Kind, fields []DataField) []*typedColumn {
	var columns []*typedColumn
	folded := map[string]int{}
	for _, f := range fields {
		folded[strings.ToLower(f.Name)]++
	}
	for i := range fields {
		f := &fields[i]
		if f.kind() == "" || f.Name == "" || folded[strings.ToLower(f.Name)] > 1 || Reserved(kind, f.Name) {
			continue
		}
		if name := f.column(); name == f.Name || folded[strings.ToLower(name)] == 0 {
			columns = append(columns, &typedColumn{field: f.Name, chunk: chunk{
				name: name, kind: f.Type, id: f.ID, precision: f.Precision, scale: f.Scale,
				noStatistics: f.Type == FieldUUID || f.Type == FieldBytes || f.Type == FieldJSON,
			}})
		}
	}
	slices.SortFunc(columns, func(a, b *typedColumn) int { return strings.Compare(a.field, b.field) })
	return columns
}

// read reads the value of a row.
func (c *typedColumn) read(s *scanner) {
	start := s.at
	if c.readValue(s) {
		return
	}
	c.addNull()
	if s.at = start; s.peek() == 'n' {
		s.word("null")
		return
	}
	c.unfit = true
	s.skip(1)
}

// readValue reads a value that is not null and adds it to the chunk. If it returns false, it has
// added nothing: the value is null or not of the column's type.
func (c *typedColumn) readValue(s *scanner) (fits bool) {
	switch c.kind {
	case FieldStr:
		return c.readText(s)
	case FieldInt:
		return c.readInt(s)
	case FieldFloat:
		return c.readFloat(s)
	case FieldBool:
		return c.readBool(s)
	case FieldJSON:
		return c.readDocument(s)
	}
	return c.readNative(s)
}

func (c *typedColumn) readText(s *scanner) bool {
	if s.peek() != '"' {
		return false
	}
	text, escaped := s.rawString()
	if s.err != nil {
		return false
	}
	if escaped {
		text = unescape(make([]byte, 0, len(text)), text) // unescaping never makes a text longer
		// A Parquet string cannot have a lone surrogate, a text of PostgreSQL cannot have U+0000.
		if !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0 {
			return false
		}
	}
	addText(&c.page, text)
	return true
}

// numeric reports whether the next value is a number. Reading another value with numeral would be a
// syntax error.
func numeric(s *scanner) bool {
	c := s.peek()
	return c == '-' || c == 'N' || c == 'I' || '0' <= c && c <= '9'
}

func (c *typedColumn) readInt(s *scanner) bool {
	start := s.at
	if n, places, ok := s.decimal(); ok && places == 0 {
		c.addInt(n)
		return true
	}
	if s.at = start; !numeric(s) {
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
	c.addInt(n)
	return true
}

// readFloat also accepts integers that a double represents exactly.
func (c *typedColumn) readFloat(s *scanner) bool {
	if n, places, ok := s.decimal(); ok {
		c.addFloat(float64(n) / powersOfTen[places])
		return true
	}
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
	c.addFloat(f)
	return true
}

func (c *typedColumn) readBool(s *scanner) bool {
	switch s.peek() {
	case 't':
		s.word("true")
		c.addBool(true)
	case 'f':
		s.word("false")
		c.addBool(false)
	default:
		return false
	}
	return true
}
