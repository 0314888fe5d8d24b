package format

import (
	"strconv"
	"strings"
)

// parseRule parses a type as Python writes it: "str | None", "typing.Literal['a', 'b']",
// "tuple[int, ...]". The rule of an unknown type accepts everything.
func parseRule(text string) *Rule {
	p := typeParser{rest: text}
	r := p.union(0)
	if p.failed || p.rest != "" {
		return &Rule{}
	}
	return r
}

// typeParser parses the text of a type. Its rules are meaningless if failed is true.
type typeParser struct {
	rest   string
	failed bool
}

func (p *typeParser) fail() *Rule {
	p.rest, p.failed = "", true
	return &Rule{}
}

func (p *typeParser) take(s string) bool {
	rest, ok := strings.CutPrefix(p.rest, s)
	if ok {
		p.rest = rest
	}
	return ok
}

func (p *typeParser) union(depth int) *Rule {
	members := []*Rule{p.term(depth)}
	for p.take(" | ") {
		members = append(members, p.term(depth))
	}
	return unionOf(members...)
}

func (p *typeParser) term(depth int) *Rule {
	const deepest = 50
	end := 0
	for end < len(p.rest) && (p.rest[end] == '.' || plainName("_"+p.rest[end:end+1])) {
		end++
	}
	name := p.rest[:end]
	p.rest = p.rest[end:]
	switch {
	case end == 0 || depth > deepest:
		return p.fail()
	case !p.take("["):
		return plainRule(withoutTyping(name))
	}
	switch name := withoutTyping(name); name {
	case "Literal":
		return p.literal()
	case "tuple":
		return p.tuple(depth + 1)
	case "list", "set", "frozenset", "dict", "Optional", "Union":
		args := p.arguments(depth + 1)
		switch {
		case name == "Union":
			return unionOf(args...)
		case name == "Optional" && len(args) == 1:
			return unionOf(args[0], &Rule{shape: shapeNone})
		case name == "dict" && len(args) == 2:
			return &Rule{shape: shapeDict, key: args[0], item: args[1]}
		case primitiveShapes[name] == shapeList && len(args) == 1:
			return &Rule{shape: shapeList, item: args[0]}
		}
	}
	return p.fail()
}

// withoutTyping returns the class for an alias of the module typing.
func withoutTyping(name string) string {
	rest, ok := strings.CutPrefix(name, "typing.")
	if !ok {
		return name
	}
	switch rest {
	case "List", "Dict", "Tuple", "Set", "FrozenSet":
		return strings.ToLower(rest)
	case "Literal", "Optional", "Union":
		return rest
	}
	return name
}

// arguments parses the types up to the closing bracket.
func (p *typeParser) arguments(depth int) []*Rule {
	var args []*Rule
	for !p.failed {
		args = append(args, p.union(depth))
		if p.take("]") {
			return args
		}
		if !p.take(", ") {
			p.fail()
		}
	}
	return nil
}

func (p *typeParser) tuple(depth int) *Rule {
	if p.take("()]") {
		return &Rule{shape: shapeTuple}
	}
	first := p.union(depth)
	switch {
	case p.take(", ...]"):
		return &Rule{shape: shapeList, item: first}
	case p.take("]"):
		return &Rule{shape: shapeTuple, parts: []*Rule{first}}
	case p.take(", "):
		return &Rule{shape: shapeTuple, parts: append([]*Rule{first}, p.arguments(depth)...)}
	}
	return p.fail()
}

// literal parses the values of a Literal. It fails if a value is bytes or an enum member.
func (p *typeParser) literal() *Rule {
	r := &Rule{shape: shapeLiteral}
	for !p.failed {
		r.values = append(r.values, p.literalValue())
		if p.take("]") {
			return r
		}
		if !p.take(", ") {
			p.fail()
		}
	}
	return &Rule{}
}

func (p *typeParser) literalValue() Value {
	switch {
	case p.take("None"):
		return Null()
	case p.take("True"):
		return Bool(true)
	case p.take("False"):
		return Bool(false)
	case p.take("'"):
		return p.quoted('\'')
	case p.take(`"`):
		return p.quoted('"')
	}
	digits := len(p.rest) - len(strings.TrimLeft(unsigned(p.rest), "0123456789"))
	n, err := strconv.ParseInt(p.rest[:digits], 10, 64)
	if err != nil {
		p.fail()
		return Value{}
	}
	p.rest = p.rest[digits:]
	return Int(n)
}

// quoted parses a string as Python's repr writes it, after the opening quote.
func (p *typeParser) quoted(quote byte) Value {
	var text []byte
	for p.rest != "" {
		c := p.rest[0]
		switch {
		case c == quote:
			p.rest = p.rest[1:]
			return String(string(text))
		case c != '\\':
			text, p.rest = append(text, c), p.rest[1:]
		default:
			text = p.escape(text)
		}
	}
	p.fail()
	return Value{}
}

// escape parses an escape sequence and appends its character to text.
func (p *typeParser) escape(text []byte) []byte {
	if len(p.rest) < 2 {
		p.fail()
		return text
	}
	short := map[byte]byte{'\\': '\\', '\'': '\'', '"': '"', 'n': '\n', 'r': '\r', 't': '\t'}
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[p.rest[1]]
	if c, ok := short[p.rest[1]]; ok {
		p.rest = p.rest[2:]
		return append(text, c)
	}
	if digits == 0 || len(p.rest) < 2+digits {
		p.fail()
		return text
	}
	r, err := strconv.ParseUint(p.rest[2:2+digits], 16, 31)
	if err != nil {
		p.fail()
		return text
	}
	p.rest = p.rest[2+digits:]
	return appendCodePoint(text, rune(r))
}
