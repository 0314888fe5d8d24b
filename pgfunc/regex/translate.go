package regex

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/chars"
	"github.com/ontosql/ontosql/pgfunc/fmgr"
)

// expression is a regular expression of PostgreSQL (manual, 9.7.3) in the syntax of RE2. RE2
// has no look-around, for which an empty group is inserted, and no back references, which are
// refused.
type expression struct {
	source  string // what it is in RE2's syntax
	lazy    string // the same with every quantifier non-greedy
	global  bool   // the option g
	context bool   // it depends on the characters around a position: \y, \m, \M, lines
	mixed   bool   // it has greedy and non-greedy parts
	prefer  preference
	choice  bool   // it has alternatives
	looks   []look // those within others come first
}

// preference is whether an expression prefers long matches or short ones; each of
// PostgreSQL's expressions has one as a whole.
type preference int

const (
	indifferent preference = iota
	long
	short
)

func badRegexp(what string) error {
	return pgerr.New(pgerr.InvalidRegularExpression, "invalid regular expression: %s", what)
}

// badSyntax is what Go refuses in a translated expression.
func badSyntax(err error) error {
	var fault *syntax.Error
	if errors.As(err, &fault) && fault.Code == syntax.ErrInvalidCharRange {
		return badRegexp("invalid character range")
	}
	return badRegexp(err.Error())
}

// options are what the letters behind an expression ask for.
type options struct {
	fold, literal, expanded, global bool
	lines                           bool // ^ and $ match at lines
	dotLine                         bool // . and [^x] match no newline
	later                           bool // the text began before: ^ and \A match nowhere
}

func (o *options) read(letters string) error {
	for i := 0; i < len(letters); i++ {
		switch letters[i] {
		case 'g':
			o.global = true
		case 'i':
			o.fold = true
		case 'c':
			o.fold = false
		case 'm', 'n':
			o.lines, o.dotLine = true, true
		case 'p':
			o.lines, o.dotLine = false, true
		case 'w':
			o.lines, o.dotLine = true, false
		case 's':
			o.lines, o.dotLine = false, false
		case 'q':
			o.literal = true
		case 'x':
			o.expanded = true
		case 't':
			o.expanded = false
		case 'e':
		case 'b':
			return pgerr.Unsupported("basic regular expressions are not supported")
		default:
			_, n := utf8.DecodeRuneInString(letters[i:])
			return fmgr.InvalidParameter("invalid regular expression option: %q", letters[i:i+n])
		}
	}
	return nil
}

var embedded = regexp.MustCompile(`^\(\?([a-z]+)\)`)

// nothing matches no character.
const nothing = `[^\x00-\x{10FFFF}]`

// translate reads an expression of PostgreSQL. later is for a search that begins
// behind the beginning of the text.
func translate(pattern, letters string, later bool) (*expression, error) {
	o := options{later: later}
	if err := o.read(letters); err != nil {
		return nil, err
	}
	if rest, ok := strings.CutPrefix(pattern, "***="); ok {
		pattern, o.literal = rest, true
	} else if rest, ok := strings.CutPrefix(pattern, "***:"); ok {
		pattern = rest
	}
	if m := embedded.FindStringSubmatch(pattern); m != nil && !o.literal {
		inner := o
		if strings.Contains(m[1], "g") || inner.read(m[1]) != nil {
			return nil, badRegexp("invalid embedded option")
		}
		o, pattern = inner, pattern[len(m[0]):]
	}
	p := &regexpParser{rest: pattern, options: o}
	if o.literal {
		p.add(regexp.QuoteMeta(pattern))
	} else {
		prefer, err := p.alternatives(0)
		if err != nil {
			return nil, err
		}
		p.prefer = prefer
	}
	head := "(?"
	if !o.dotLine {
		head += "s"
	}
	if o.lines {
		head += "m"
	}
	if o.fold {
		head += "i"
	}
	if head += ")"; head == "(?)" {
		head = ""
	}
	for i := range p.looks {
		p.looks[i].source = head + p.looks[i].source
	}
	return &expression{
		looks: p.looks, source: head + p.out.String(), lazy: head + p.lazy.String(), global: o.global,
		context: p.context, mixed: p.greedy && p.reluctant || p.reluctant && p.choice, prefer: p.prefer, choice: p.choice,
	}, nil
}

type regexpParser struct {
	options
	rest              string
	out, lazy, eager  strings.Builder // the expression, and the same with every quantifier non-greedy, and greedy
	context, choice   bool
	greedy, reluctant bool
	prefer            preference
	looks             []look
	looking           bool // what is read is within a look
	groups            int  // that have begun
}

func (p *regexpParser) add(s string) {
	p.out.WriteString(s)
	p.lazy.WriteString(s)
	p.eager.WriteString(s)
}

// alternatives reads branches up to the end or the parenthesis of their group.
func (p *regexpParser) alternatives(depth int) (preference, error) {
	prefer, err := p.branch(depth)
	for err == nil && strings.HasPrefix(p.rest, "|") {
		p.rest = p.rest[1:]
		p.add("|")
		p.choice = true
		prefer = long
		_, err = p.branch(depth)
	}
	if err == nil && depth == 0 && p.rest != "" {
		return prefer, badRegexp("parentheses () not balanced")
	}
	return prefer, err
}

func (p *regexpParser) branch(depth int) (preference, error) {
	prefer := indifferent
	for p.rest != "" && p.rest[0] != '|' && p.rest[0] != ')' {
		if p.expanded && p.skipComment() {
			continue
		}
		constraint := constraints.MatchString(p.rest)
		begin := [...]int{p.out.Len(), p.lazy.Len(), p.eager.Len()}
		own, err := p.atom(depth)
		if err != nil {
			return prefer, err
		}
		if constraint && beginsQuantifier(p.rest) {
			return prefer, badRegexp("quantifier operand invalid")
		}
		if own, err = p.quantifier(own, begin); err != nil {
			return prefer, err
		}
		if prefer == indifferent {
			prefer = own
		}
	}
	return prefer, nil
}

// constraints match no characters: they are not repeated.
var constraints = regexp.MustCompile(`^(?:[\^$]|\\[AZyYmM]|\(\?<?[=!]|\[\[:[<>]:\]\])`)

func beginsQuantifier(rest string) bool {
	return rest != "" && (strings.IndexByte("*+?", rest[0]) >= 0 || rest[0] == '{' && len(rest) > 1 && chars.IsDigit(rest[1]))
}

func (p *regexpParser) skipComment() bool {
	switch {
	case chars.IsSpace(p.rest[0]):
		p.rest = p.rest[1:]
	case p.rest[0] == '#':
		_, p.rest, _ = strings.Cut(p.rest, "\n")
	default:
		return false
	}
	return true
}

// atom reads what a quantifier may follow.
func (p *regexpParser) atom(depth int) (preference, error) {
	switch c := p.rest[0]; {
	case c == '(':
		return p.group(depth)
	case c == '[':
		return indifferent, p.bracket()
	case c == '\\':
		return indifferent, p.escape()
	case beginsQuantifier(p.rest):
		return indifferent, badRegexp("quantifier operand invalid")
	case c == '^' && p.later && !p.lines:
		p.add(nothing)
	case c == '^', c == '$':
		p.context = p.context || p.lines
		p.add(string(c))
	case c == '.':
		p.add(".")
	default:
		_, n := utf8.DecodeRuneInString(p.rest)
		p.add(regexp.QuoteMeta(p.rest[:n]))
		p.rest = p.rest[n:]
		return indifferent, nil
	}
	p.rest = p.rest[1:]
	return indifferent, nil
}

func (p *regexpParser) group(depth int) (preference, error) {
	head, begin := "(", "("
	if strings.HasPrefix(p.rest, "(?") {
		if kind := lookHead.FindString(p.rest); kind != "" {
			return indifferent, p.look(kind, depth)
		}
		if !strings.HasPrefix(p.rest, "(?:") {
			return indifferent, badRegexp("quantifier operand invalid")
		}
		head, begin = "(?:", "(?:"
	}
	if depth > maxGroups {
		return indifferent, badRegexp("regular expression is too complex")
	}
	if p.looking { // it notes nothing
		begin = "(?:"
	}
	if begin == "(" {
		p.groups++
	}
	p.add(begin)
	p.rest = p.rest[len(head):]
	prefer, err := p.alternatives(depth + 1)
	if err != nil {
		return prefer, err
	}
	if !strings.HasPrefix(p.rest, ")") {
		return prefer, badRegexp("parentheses () not balanced")
	}
	p.rest = p.rest[1:]
	p.add(")")
	return prefer, nil
}

// maxGroups is how deep groups may nest.
const maxGroups = 500

var lookHead = regexp.MustCompile(`^\(\?<?[=!]`)

// look reads a look-ahead or look-behind, which decides nothing about the expression's
// preference.
func (p *regexpParser) look(head string, depth int) error {
	if depth > maxGroups {
		return badRegexp("regular expression is too complex")
	}
	inner := &regexpParser{options: p.options, rest: p.rest[len(head):], looks: p.looks, looking: true}
	inner.later = false // it sees the whole text
	if _, err := inner.alternatives(depth + 1); err != nil {
		return err
	}
	if !strings.HasPrefix(inner.rest, ")") {
		return badRegexp("parentheses () not balanced")
	}
	p.rest = inner.rest[1:]
	p.hold(inner.looks, look{source: inner.out.String(), ahead: !strings.Contains(head, "<"), negative: strings.HasSuffix(head, "!")})
	return nil
}

// hold adds an assertion to the list and returns the group that represents it.
func (p *regexpParser) hold(others []look, l look) {
	p.add("(?P<" + lookName + strconv.Itoa(len(others)) + ">)")
	p.looks = append(others, l)
}

var repetition = regexp.MustCompile(`^\{([0-9]+)(,?)([0-9]*)\}`)

// quantifier reads what follows an atom that begins at these places of out, lazy and eager.
func (p *regexpParser) quantifier(own preference, begin [3]int) (preference, error) {
	if p.rest == "" {
		return own, nil
	}
	word, fixed := "", false
	switch c := p.rest[0]; {
	case c == '*' || c == '+' || c == '?':
		word = p.rest[:1]
	case c == '{' && len(p.rest) > 1 && chars.IsDigit(p.rest[1]):
		m := repetition.FindStringSubmatch(p.rest)
		if m == nil {
			return own, badRegexp("braces {} not balanced")
		}
		from, err1 := strconv.Atoi(m[1])
		to, err2 := strconv.Atoi(m[3])
		if m[3] == "" {
			to, err2 = from, nil
		}
		if err1 != nil || err2 != nil || from > 255 || to > 255 || from > to {
			return own, badRegexp("invalid repetition count(s)")
		}
		word, fixed = m[0], m[2] == "" // {m,m} has a preference, {m} has none
	default:
		return own, nil
	}
	p.rest = p.rest[len(word):]
	reluctant := strings.HasPrefix(p.rest, "?")
	if reluctant {
		p.rest = p.rest[1:]
	}
	if beginsQuantifier(p.rest) {
		return own, badRegexp("quantifier operand invalid")
	}
	if word == "{1,1}" {
		p.prefers(begin, reluctant)
	}
	p.out.WriteString(word)
	p.lazy.WriteString(word + "?")
	p.eager.WriteString(word)
	if fixed {
		return own, nil
	}
	if reluctant {
		p.out.WriteString("?")
		p.reluctant = true
		return short, nil
	}
	p.greedy = true
	return long, nil
}

// prefers makes an atom greedy or not, as {1,1} or {1,1}? after it requires and RE2 ignores, if
// all quantifiers inside have the other preference.
func (p *regexpParser) prefers(begin [3]int, short bool) {
	is, other := p.eager.String()[begin[2]:], p.lazy.String()[begin[1]:]
	if short {
		is, other = other, is
	}
	if out := p.out.String(); out[begin[0]:] == other {
		p.out.Reset()
		p.out.WriteString(out[:begin[0]] + is)
	}
}
