package jsonb

import (
	"bytes"
	"slices"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/pgfunc/chars"
	"github.com/ontosql/ontosql/pgfunc/fmgr"
)

// Printer prints JSON text as PostgreSQL prints jsonb: keys sorted by length and
// then by bytes, the last of duplicate keys, a space after colon and comma,
// numbers as numeric. It keeps its memory from value to value.
//
// Stored documents may hold what jsonb cannot: NaN and infinities, which Python
// writes bare, become null; an escape that is no character (\u0000, a lone
// surrogate) stays as it was written; text that is no JSON at all is passed on
// unchanged, because a reader is owed the value and not an error.
type Printer struct {
	src      []byte
	at       int
	failed   bool
	indented bool // one member or element a line, as jsonb_pretty has it
	spelled  bool // numbers stay as they are written
	repeated bool // a name stood twice in an object
	members  []jsonbMember
	keys     []byte // unescaped keys that members point into
}

// jsonbMember is a key of an object and the place of its value in the source.
type jsonbMember struct {
	key   jsonbKey // in JSONB.keys
	start int      // of the value in JSONB.src
	order int
}

type jsonbKey struct{ start, end int }

// maxJSONDepth bounds recursion; deeper documents are passed on unchanged.
const maxJSONDepth = 1000

// jsonbFunctions print documents.
var jsonbFunctions = []fmgr.Function{
	{Name: "ontosql_jsonb_out", Args: []fmgr.Kind{fmgr.Text}, Result: fmgr.Text, New: printer(Printer{})},
	{Name: "ontosql_jsonb_pretty", Args: []fmgr.Kind{fmgr.Text}, Result: fmgr.Text, New: printer(Printer{indented: true})},
	// A text and whether it becomes a jsonb: the same, if it is one.
	{Name: "ontosql_json_checked", Args: []fmgr.Kind{fmgr.Text, fmgr.Int}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		if err := SyntaxError(a[0].Text, a[1].Int != 0); err != nil {
			return fmgr.Null, err
		}
		return a[0], nil
	})},
	{Name: "ontosql_jsonb_in", Args: []fmgr.Kind{fmgr.Text}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		return fmgr.TextValue(UniqueKeys(a[0].Text)), nil
	})},
}

func printer(as Printer) func() fmgr.Call {
	return func() fmgr.Call {
		j := as
		var buffer []byte
		return func(a []fmgr.Value) (fmgr.Value, error) {
			buffer = j.Append(buffer[:0], []byte(a[0].Text))
			if j.failed && nesting(a[0].Text) > format.MaxDepth {
				return fmgr.Null, errTooDeep
			}
			return fmgr.TextValue(string(buffer)), nil
		}
	}
}

// UniqueKeys returns a document whose objects have only the last of several members with one
// name. A document without duplicates is returned unchanged.
func UniqueKeys(doc string) string {
	j := Printer{spelled: true}
	once := j.Append(nil, []byte(doc))
	if !j.repeated {
		return doc
	}
	return string(once)
}

// Append appends the form that PostgreSQL prints to dst.
func (j *Printer) Append(dst, text []byte) []byte {
	start := len(dst)
	j.src, j.at, j.failed, j.repeated = text, 0, false, false
	j.members, j.keys = j.members[:0], j.keys[:0]
	dst = j.value(dst, 0)
	j.space()
	if j.failed || j.at != len(j.src) {
		dst = append(dst[:start], text...)
	}
	j.src = nil
	return dst
}

func (j *Printer) space() {
	for j.at < len(j.src) {
		switch j.src[j.at] {
		case ' ', '\t', '\n', '\r':
			j.at++
		default:
			return
		}
	}
}

func (j *Printer) fail(dst []byte) []byte {
	j.failed = true
	return dst
}

// take consumes c after white space, if it comes next.
func (j *Printer) take(c byte) bool {
	j.space()
	if j.at < len(j.src) && j.src[j.at] == c {
		j.at++
		return true
	}
	return false
}

func (j *Printer) word(word string) bool {
	if bytes.HasPrefix(j.src[j.at:], []byte(word)) {
		j.at += len(word)
		return true
	}
	return false
}

func (j *Printer) value(dst []byte, depth int) []byte {
	j.space()
	if j.at == len(j.src) || depth > maxJSONDepth {
		return j.fail(dst)
	}
	switch c := j.src[j.at]; {
	case c == '{':
		return j.object(dst, depth)
	case c == '[':
		return j.array(dst, depth)
	case c == '"':
		return j.text(dst)
	case j.word("true"):
		return append(dst, "true"...)
	case j.word("false"):
		return append(dst, "false"...)
	case j.word("null"), j.word("NaN"), j.word("Infinity"), j.word("-Infinity"):
		return append(dst, "null"...)
	case c == '-' || chars.IsDigit(c):
		return j.number(dst)
	}
	return j.fail(dst)
}

func (j *Printer) array(dst []byte, depth int) []byte {
	j.at++
	dst = append(dst, '[')
	if j.take(']') {
		return append(j.line(dst, depth), ']')
	}
	dst = j.line(dst, depth+1)
	for {
		if dst = j.value(dst, depth+1); j.failed {
			return dst
		}
		if j.take(']') {
			return append(j.line(dst, depth), ']')
		}
		if !j.take(',') {
			return j.fail(dst)
		}
		dst = j.next(dst, depth+1)
	}
}

// line begins a line at a depth, where there are lines.
func (j *Printer) line(dst []byte, depth int) []byte {
	if !j.indented {
		return dst
	}
	dst = append(dst, '\n')
	for range depth {
		dst = append(dst, "    "...)
	}
	return dst
}

// next stands between members and elements.
func (j *Printer) next(dst []byte, depth int) []byte {
	if j.indented {
		return j.line(append(dst, ','), depth)
	}
	return append(dst, ',', ' ')
}

// object first finds its members, skipping over their values, and then prints
// them in order. A value is thus read once per level that it lies in.
func (j *Printer) object(dst []byte, depth int) []byte {
	first, firstKey := len(j.members), len(j.keys)
	if !j.collect() {
		return j.fail(dst)
	}
	end := j.at
	members := j.members[first:]
	slices.SortFunc(members, j.compare)
	dst = append(dst, '{')
	printed := false
	for i := first; i < first+len(members); i++ {
		m := j.members[i]
		if i+1 < first+len(members) && bytes.Equal(j.key(m), j.key(j.members[i+1])) {
			j.repeated = true
			continue // the last of them counts
		}
		if printed {
			dst = j.next(dst, depth+1)
		} else {
			dst = j.line(dst, depth+1)
		}
		printed = true
		dst = append(appendJSONString(dst, j.key(m)), ':', ' ')
		j.at = m.start
		if dst = j.value(dst, depth+1); j.failed {
			return dst
		}
	}
	j.at = end
	j.members, j.keys = j.members[:first], j.keys[:firstKey]
	return append(j.line(dst, depth), '}')
}

func (j *Printer) key(m jsonbMember) []byte { return j.keys[m.key.start:m.key.end] }

func (j *Printer) compare(a, b jsonbMember) int {
	if d := (a.key.end - a.key.start) - (b.key.end - b.key.start); d != 0 {
		return d
	}
	if d := bytes.Compare(j.key(a), j.key(b)); d != 0 {
		return d
	}
	return a.order - b.order
}

// collect appends the members of the object that begins at j.at.
func (j *Printer) collect() bool {
	j.at++
	if j.take('}') {
		return true
	}
	for order := 0; ; order++ {
		j.space()
		start := len(j.keys)
		if j.at == len(j.src) || j.src[j.at] != '"' {
			return false
		}
		raw, ok := j.rawString()
		if !ok {
			return false
		}
		j.keys = appendUnescaped(j.keys, raw)
		m := jsonbMember{key: jsonbKey{start, len(j.keys)}, order: order}
		if !j.take(':') {
			return false
		}
		j.space()
		m.start = j.at
		if !j.skip() {
			return false
		}
		j.members = append(j.members, m)
		if j.take('}') {
			return true
		}
		if !j.take(',') {
			return false
		}
	}
}

// skip moves past one value without judging it; printing it will.
func (j *Printer) skip() bool {
	depth := 0
	for j.at < len(j.src) {
		switch c := j.src[j.at]; c {
		case '"':
			if _, ok := j.rawString(); !ok {
				return false
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return true
			}
			depth--
		case ',':
			if depth == 0 {
				return true
			}
		}
		j.at++
	}
	return false
}
