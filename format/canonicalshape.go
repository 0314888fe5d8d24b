package format

import (
	"slices"
	"strings"
)

// Speller is AppendCanonical for many objects of which most are shaped as one before:
// with the same members in the same order, and the same spaces between them. One that
// is takes a quarter of the time. The zero Speller is ready.
type Speller struct {
	shapes []*Shape
	nextEvicted int
	nested []byte // the canonical texts of values that are lists or objects
	values  []valueSpan
	hits  int // texts that had one of the shapes
	misses   int // texts that had none
}

// maxShapes is how many shapes are remembered.
const maxShapes = 8

// Shape is what objects have in common.
type Shape struct {
	// Names are the members' in canonical texts, between the quotes, in their order.
	Names []string
	// Values are where their values are in the object that was appended last, from
	// its beginning. They are valid until the next one of the shape.
	Values []Span
	// Plain says of the object that was appended last that no string in it has an escape:
	// it is PlainJSON.
	Plain bool

	prefixes []string // the text before each value
	order []int    // of these members there
	keys []string // the text before each value
}

// valueSpan is a value, in the text or among the nested ones.
type valueSpan struct {
	from, to int
	nested   bool
}

// Append appends the canonical form of an object, or of any JSON text. shape is nil where
// nothing is known of it.
func (s *Speller) Append(dst, text []byte) (_ []byte, shape *Shape, err error) {
	for i, shape := range s.shapes {
		if out, ok := s.appendShape(dst, text, shape); ok {
			s.shapes[0], s.shapes[i] = shape, s.shapes[0]
			s.hits++
			return out, shape, nil
		}
	}
	if out, ok := copyCanonical(dst, text); ok {
		// Not the first, which may be the only one, and not where each has its own.
		if s.misses++; s.misses > 1 && s.misses <= 8*maxShapes+s.hits/4 {
			s.learn(text)
		}
		return out, nil, nil
	}
	out, err := parseCanonical(dst, text)
	return out, nil, err
}

// appendShape appends a text of a shape, and reports whether it is one.
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

// learn remembers the shape of a text that a respeller has taken.
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
	s.nextEvicted = s.nextEvicted%(maxShapes-1) + 1 // the first one is in use
	s.shapes[s.nextEvicted] = shape
}

// maxShapeMembers is how many an object may have whose shape is remembered.
const maxShapeMembers = 256
