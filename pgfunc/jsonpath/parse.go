package jsonpath

import (
	"strings"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/chars"
	"github.com/ontosql/ontosql/pgfunc/jsonb"
	"github.com/ontosql/ontosql/pgfunc/regex"
)

// pathNode is a part of a jsonpath (manual, 9.16.2).
type pathNode struct {
	op    string // an operator, an accessor or a kind of value
	text  string // a name, a string, a number or a method
	flag  string // of like_regex
	re    *regex.Matcher
	left  *pathNode
	right *pathNode
	list  []*pathNode // subscripts; each is a "to" or an expression
	from  int         // of .**{from to until}
	until int
	// belowAny says that the accessor comes behind .** in its chain.
	belowAny bool
}

// jsonPath is a parsed path.
type jsonPath struct {
	strict bool
	root   *pathNode
}

type pathParser struct {
	rest  string
	depth int
}

// maxPath bounds the bytes of a path, because its evaluation recurses into nested parts.
const maxPath = 64 << 10

// Check is the error of a text that is no path, a *pgerr.Error, nil for a path.
func Check(s string) error {
	_, err := parsePath(s)
	return err
}

func parsePath(s string) (*jsonPath, error) {
	if len(s) > maxPath {
		return nil, pgerr.New(pgerr.ProgramLimitExceeded, "a jsonpath has more than %d bytes", maxPath)
	}
	p := &pathParser{rest: s}
	path := &jsonPath{}
	switch {
	case p.word("strict"):
		path.strict = true
	case p.word("lax"):
	}
	var err error
	if path.root, err = p.or(); err != nil {
		return nil, err
	}
	if p.space(); p.rest != "" {
		return nil, p.fail()
	}
	return path, nil
}

func (p *pathParser) fail() error {
	if p.rest == "" {
		return pgerr.New(pgerr.SyntaxError, "syntax error at end of jsonpath input")
	}
	token := p.rest
	if i := strings.IndexAny(token, " \t\n"); i > 0 {
		token = token[:i]
	}
	return pgerr.New(pgerr.SyntaxError, "syntax error at or near %q of jsonpath input", token)
}

func (p *pathParser) space() { p.rest = strings.TrimLeft(p.rest, " \t\n\r") }

// take reads a token if it stands next.
func (p *pathParser) take(token string) bool {
	p.space()
	if !strings.HasPrefix(p.rest, token) {
		return false
	}
	p.rest = p.rest[len(token):]
	return true
}

// word reads a word that no letter follows.
func (p *pathParser) word(w string) bool {
	p.space()
	if rest, ok := strings.CutPrefix(p.rest, w); ok && (rest == "" || !isNameByte(rest[0])) {
		p.rest = rest
		return true
	}
	return false
}

func isNameByte(c byte) bool {
	return c == '_' || chars.IsDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80
}

func (p *pathParser) name() string {
	n := 0
	for n < len(p.rest) && isNameByte(p.rest[n]) {
		n++
	}
	out := p.rest[:n]
	p.rest = p.rest[n:]
	return out
}

func (p *pathParser) or() (*pathNode, error) {
	if p.depth++; p.depth > 200 {
		return nil, pgerr.New("54001", "stack depth limit exceeded")
	}
	defer func() { p.depth-- }()
	left, err := p.and()
	for err == nil && p.take("||") {
		var right *pathNode
		right, err = p.and()
		left = &pathNode{op: "||", left: left, right: right}
	}
	return left, err
}

func (p *pathParser) and() (*pathNode, error) {
	left, err := p.comparison()
	for err == nil && p.take("&&") {
		var right *pathNode
		right, err = p.comparison()
		left = &pathNode{op: "&&", left: left, right: right}
	}
	return left, err
}

func (p *pathParser) comparison() (*pathNode, error) {
	p.space()
	if strings.HasPrefix(p.rest, "!") && !strings.HasPrefix(p.rest, "!=") {
		p.rest = p.rest[1:]
		of, err := p.comparison()
		return &pathNode{op: "!", left: of}, err
	}
	left, err := p.sum()
	if err != nil {
		return nil, err
	}
	for _, op := range []string{"==", "!=", "<>", "<=", ">=", "<", ">"} {
		if p.take(op) {
			right, err := p.sum()
			if op == "<>" {
				op = "!="
			}
			return &pathNode{op: op, left: left, right: right}, err
		}
	}
	switch {
	case p.word("starts"):
		if !p.word("with") {
			return nil, p.fail()
		}
		right, err := p.primary()
		return &pathNode{op: "starts", left: left, right: right}, err
	case p.word("like_regex"):
		return p.likeRegex(left)
	case p.word("is"):
		if !p.word("unknown") {
			return nil, p.fail()
		}
		return &pathNode{op: "unknown", left: left}, nil
	}
	return left, nil
}

func (p *pathParser) likeRegex(left *pathNode) (*pathNode, error) {
	p.space()
	pattern, err := p.quoted()
	if err != nil {
		return nil, err
	}
	n := &pathNode{op: "like_regex", left: left, text: pattern}
	if p.word("flag") {
		p.space()
		if n.flag, err = p.quoted(); err != nil {
			return nil, err
		}
	}
	n.re, err = pathRegexp(n)
	return n, err
}

func (p *pathParser) sum() (*pathNode, error) {
	return p.binary([]string{"+", "-"}, func() (*pathNode, error) {
		return p.binary([]string{"*", "/", "%"}, p.unary)
	})
}

func (p *pathParser) binary(ops []string, operand func() (*pathNode, error)) (*pathNode, error) {
	left, err := operand()
	for err == nil {
		op := ""
		for _, o := range ops {
			if op == "" && p.take(o) {
				op = o
			}
		}
		if op == "" {
			break
		}
		var right *pathNode
		right, err = operand()
		left = &pathNode{op: op, left: left, right: right}
	}
	return left, err
}

func (p *pathParser) unary() (*pathNode, error) {
	for _, op := range []string{"+", "-"} {
		if p.take(op) {
			of, err := p.unary()
			return &pathNode{op: "u" + op, left: of}, err
		}
	}
	n, err := p.primary()
	for err == nil {
		next, more, e := p.accessor(n)
		if !more {
			return n, e
		}
		if e == nil {
			next.belowAny = n.op == ".**" || n.belowAny
		}
		n, err = next, e
	}
	return n, err
}

// primary is a value, a variable or a parenthesis.
func (p *pathParser) primary() (*pathNode, error) {
	p.space()
	switch {
	case p.rest == "":
		return nil, p.fail()
	case p.rest[0] == '$':
		p.rest = p.rest[1:]
		if strings.HasPrefix(p.rest, `"`) {
			name, err := p.quoted()
			return &pathNode{op: "variable", text: name}, err
		}
		if name := p.name(); name != "" {
			return &pathNode{op: "variable", text: name}, nil
		}
		return &pathNode{op: "$"}, nil
	case p.rest[0] == '@':
		p.rest = p.rest[1:]
		return &pathNode{op: "@"}, nil
	case p.rest[0] == '"':
		s, err := p.quoted()
		return &pathNode{op: "string", text: s}, err
	case chars.IsDigit(p.rest[0]) || p.rest[0] == '.' && len(p.rest) > 1 && chars.IsDigit(p.rest[1]):
		return p.number()
	case p.rest[0] == '(':
		return p.parenthesized()
	}
	for _, w := range []string{"true", "false", "null", "last"} {
		if p.word(w) {
			return &pathNode{op: w}, nil
		}
	}
	if p.word("exists") {
		of, err := p.parenthesized()
		return &pathNode{op: "exists", left: of}, err
	}
	return nil, p.fail()
}

func (p *pathParser) parenthesized() (*pathNode, error) {
	if !p.take("(") {
		return nil, p.fail()
	}
	n, err := p.or()
	if err == nil && !p.take(")") {
		err = p.fail()
	}
	return n, err
}

func (p *pathParser) number() (*pathNode, error) {
	n := 0
	for n < len(p.rest) && (chars.IsDigit(p.rest[n]) || p.rest[n] == '.' && n+1 < len(p.rest) && chars.IsDigit(p.rest[n+1])) {
		n++
	}
	if n < len(p.rest) && p.rest[n]|0x20 == 'e' {
		n++
		if n < len(p.rest) && (p.rest[n] == '+' || p.rest[n] == '-') {
			n++
		}
		for n < len(p.rest) && chars.IsDigit(p.rest[n]) {
			n++
		}
	}
	out := &pathNode{op: "number", text: p.rest[:n]}
	p.rest = p.rest[n:]
	if p.rest != "" && isNameByte(p.rest[0]) {
		return nil, pgerr.New(pgerr.SyntaxError, "trailing junk after numeric literal at or near %q of jsonpath input", out.text+p.rest[:1])
	}
	return out, nil
}

// quoted reads a string in double quotes.
func (p *pathParser) quoted() (string, error) {
	if !strings.HasPrefix(p.rest, `"`) {
		return "", p.fail()
	}
	for i := 1; i < len(p.rest); i++ {
		switch p.rest[i] {
		case '\\':
			i++
		case '"':
			v, err := jsonb.Parse(p.rest[:i+1])
			if err != nil {
				return "", p.fail()
			}
			p.rest = p.rest[i+1:]
			return v.Text, nil
		}
	}
	return "", pgerr.New(pgerr.SyntaxError, "unterminated quoted string at end of jsonpath input")
}
