package format

import (
	"slices"
	"strings"
)

// Speller is AppendCanonical for many objects with few shapes: the same members in the same order,
// with the same spaces. An object of a known shape takes a quarter of the time. The zero Speller is
// ready to use.
type Speller struct {
	shapes      []*Shape
	nextEvicted int
	nested      []byte // canonical texts of array and object values
	values      []valueSpan
	hits        int // texts of a known shape
	misses      int // texts of an unknown shape
}

// maxShapes is the maximum number of remembered shapes.
const maxShapes = 8

// Shape is the common structure of objects.
type Shape struct {
	// Names are the names of the members in the canonical text, without quotes, in order.
	Names []string
	// Values are the spans of the values in the last appended object, relative to its start. They
	// are valid until the next object of this shape.
	Values []Span
	// Plain is true if no string of the last appended object has an escape, so that the object
	// is PlainJSON.
	Plain bool

	prefixes []string // the text before each value
	order    []int    // for each member of the canonical text, its index in the input
	keys     []string // the text before each value
}

// valueSpan is the range of a value in the text, or in nested.
type valueSpan struct {
	from, to int
	nested   bool
}

// Append appends the canonical form of an object or of any JSON text. shape is nil if the shape is
// unknown.
func (s *Speller) Append(dst, text []byte) (_ []byte, shape *Shape, err error) {
	for i, shape := range s.shapes {
		if out, ok := s.appendShape(dst, text, shape); ok {
			s.shapes[0], s.shapes[i] = shape, s.shapes[0]
			s.hits++
			return out, shape, nil
		}
	}
	if out, ok := copyCanonical(dst, text); ok {
		// The first shape is not learned, because there may be only one object. Learning stops
		// if most objects have shapes of their own.
		if s.misses++; s.misses > 1 && s.misses <= 8*maxShapes+s.hits/4 {
			s.learn(text)
		}
		return out, nil, nil
	}
	out, err := parseCanonical(dst, text)
	return out, nil, err
}

// appendShape appends a text of the given shape. It returns false if the text has another shape.
func (s *Speller) appendShape(dst, text []byte, shape *Shape) ([]byte, bool) {
	r := canonicalCopier{text: text, out: s.nested[:0]}
	s.values = s.values[:0]
	for _, lead := range shape.prefixes {
		if len(text)-r.at <= len(lead) || string(text[r.at:r.at+len(lead)]) != lead {
			return dst, false
		}
		r.at += len(lead)
		v := valueSpan{from: r.at}
		ok := false
		switch c := text[r.at]; {
		case c == '"':
			ok = r.skipString()
		case c == '-' || '0' <= c && c <= '9':
			ok = r.skipNumber()
		default:
			v = valueSpan{from: len(r.out), nested: true}
			ok = r.value(maxCopyDepth - 1)
		}
		if !ok {
			return dst, false
		}
		if v.to = r.at; v.nested {
			v.to = len(r.out)
		}
		s.values = append(s.values, v)
	}
	s.nested = r.out
	if r.at != len(text)-1 || text[r.at] != '}' {
		return dst, false
	}
	start := len(dst)
	for place, i := range shape.order {
		v := s.values[i]
		dst = append(dst, shape.keys[place]...)
		from := len(dst) - start
		if v.nested {
			dst = append(dst, s.nested[v.from:v.to]...)
		} else {
			dst = append(dst, text[v.from:v.to]...)
		}
		shape.Values[place] = Span{from, len(dst) - start}
	}
	shape.Plain = !r.hasEscapes
	return append(dst, '}'), true
}

// learn remembers the shape of a text that a canonicalCopier accepts.
func (s *Speller) learn(text []byte) {
	shape, at := new(Shape), 0
	var names []string
	err := EachMember(text, func(name, value Span) {
		shape.prefixes = append(shape.prefixes, string(text[at:value.From]))
		names = append(names, string(text[name.From:name.To]))
		shape.order = append(shape.order, len(shape.order))
		at = value.To
	})
	if err != nil || len(names) == 0 || len(names) > maxShapeMembers {
		return
	}
	slices.SortStableFunc(shape.order, func(i, j int) int { return strings.Compare(names[i], names[j]) })
	for place, i := range shape.order {
		head := `,"`
		if place == 0 {
			head = `{"`
		}
		shape.keys = append(shape.keys, head+names[i]+`":`)
		shape.Names = append(shape.Names, names[i])
	}
	shape.Values = make([]Span, len(names))
	if len(s.shapes) < maxShapes {
		s.shapes = append(s.shapes, shape)
		return
	}
	s.nextEvicted = s.nextEvicted%(maxShapes-1) + 1 // shapes[0] was used last and is not replaced
	s.shapes[s.nextEvicted] = shape
}

// maxShapeMembers is the maximum number of members of a remembered shape.
const maxShapeMembers = 256
