package regex

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"unicode/utf8"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/fmgr"
)

// regexpFunctions search by regular expressions of PostgreSQL.
var regexpFunctions = []fmgr.Function{
	// An expression and its options in the syntax of the engine.
	{Name: "ontosql_regexp", Args: []fmgr.Kind{fmgr.Text, fmgr.Text}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		e, err := translate(a[0].Text, a[1].Text, false)
		if err != nil {
			return fmgr.Null, err
		}
		if e.global { // operators have no options
			return fmgr.Null, noGlobal("regexp_like")
		}
		if len(e.looks) > 0 {
			return fmgr.TextValue(nothing), nil // the engine may ask though ontosql_regexp_like is to search
		}
		if _, err := regexp.Compile(e.source); err != nil {
			return fmgr.Null, badSyntax(err)
		}
		return fmgr.TextValue(e.source), nil
	})},
	// Whether an expression may have parts that the engine has not.
	{Name: "ontosql_regexp_looks", Args: []fmgr.Kind{fmgr.Text}, Result: fmgr.Int, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		return fmgr.BoolValue(LooksAround(a[0].Text)), nil
	})},
	{Name: "ontosql_regexp_like", Args: []fmgr.Kind{fmgr.Text, fmgr.Text, fmgr.Text}, Result: fmgr.Int, New: searching("regexp_like", 2, func(m *Matcher, a []fmgr.Value) (fmgr.Value, error) {
		found, err := m.Find(a[0].Text, 0, 1)
		return fmgr.BoolValue(len(found) > 0), err
	})},
	{Name: "ontosql_regexp_match", Args: []fmgr.Kind{fmgr.Text, fmgr.Text, fmgr.Text}, Result: fmgr.Texts, New: searching("regexp_match", 2, func(m *Matcher, a []fmgr.Value) (fmgr.Value, error) {
		found, err := m.Find(a[0].Text, 0, 1)
		if len(found) == 0 {
			return fmgr.Null, err
		}
		return fmgr.Value{List: m.groups(a[0].Text, found[0])}, nil
	})},
	{Name: "ontosql_regexp_matches", Args: []fmgr.Kind{fmgr.Text, fmgr.Text, fmgr.Text}, Result: fmgr.Rows, New: searching("", 2, func(m *Matcher, a []fmgr.Value) (fmgr.Value, error) {
		limit := 1
		if m.global {
			limit = -1
		}
		found, err := m.Find(a[0].Text, 0, limit)
		var rows []fmgr.Value
		for _, f := range found {
			rows = append(rows, fmgr.Value{List: m.groups(a[0].Text, f)})
		}
		return fmgr.Value{List: rows}, err
	})},
	{Name: "ontosql_regexp_count", Args: []fmgr.Kind{fmgr.Text, fmgr.Text, fmgr.Int, fmgr.Text}, Result: fmgr.Int, New: searching("regexp_count", 3, func(m *Matcher, a []fmgr.Value) (fmgr.Value, error) {
		start, err := startOf(a[0].Text, a[2].Int)
		if err != nil {
			return fmgr.Null, err
		}
		found, err := m.Find(a[0].Text, start, -1)
		return fmgr.IntValue(len(found)), err
	})},
	// text, pattern, start, n, end option, flags, group
	{Name: "ontosql_regexp_instr", Args: []fmgr.Kind{fmgr.Text, fmgr.Text, fmgr.Int, fmgr.Int, fmgr.Int, fmgr.Text, fmgr.Int}, Result: fmgr.Int, New: searching("regexp_instr", 5, regexpInstr)},
	// text, pattern, start, n, flags, group
	{Name: "ontosql_regexp_substr", Args: []fmgr.Kind{fmgr.Text, fmgr.Text, fmgr.Int, fmgr.Int, fmgr.Text, fmgr.Int}, Result: fmgr.Text, New: searching("regexp_substr", 4, regexpSubstr)},
	{Name: "ontosql_substring", Args: []fmgr.Kind{fmgr.Text, fmgr.Text, fmgr.Text}, Result: fmgr.Text, New: searching("", 2, func(m *Matcher, a []fmgr.Value) (fmgr.Value, error) {
		found, err := m.Find(a[0].Text, 0, 1)
		if len(found) == 0 {
			return fmgr.Null, err
		}
		return m.groups(a[0].Text, found[0])[0], nil
	})},
	// text, pattern, replacement, start, n (oneOrAll without), flags
	{Name: "ontosql_regexp_replace", Args: []fmgr.Kind{fmgr.Text, fmgr.Text, fmgr.Text, fmgr.Int, fmgr.Int, fmgr.Text}, Result: fmgr.Text, New: searching("", 5, regexpReplace)},
	{Name: "ontosql_similar", Args: []fmgr.Kind{fmgr.Text, fmgr.Text}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		source, err := SimilarToRegexp(a[0].Text, a[1].Text)
		return fmgr.TextValue(source), err
	})},
	// text, pattern, flags, the function that is called
	{Name: "ontosql_regexp_split", Args: []fmgr.Kind{fmgr.Text, fmgr.Text, fmgr.Text, fmgr.Text}, Result: fmgr.Texts, New: searching("", 2, regexpSplit)},
}

// searching is a call that compiles the pattern, its second argument, with the
// options in another. A function with a name takes no option g.
func searching(name string, flags int, call func(m *Matcher, a []fmgr.Value) (fmgr.Value, error)) func() fmgr.Call {
	return func() fmgr.Call {
		matchers := &fmgr.Cache[*Matcher]{}
		return func(a []fmgr.Value) (fmgr.Value, error) {
			m, err := matchers.Get(a[1].Text+"\x00"+a[flags].Text, func() (*Matcher, error) { return NewMatcher(a[1].Text, a[flags].Text) })
			if err != nil {
				return fmgr.Null, err
			}
			if name != "" && m.global {
				return fmgr.Null, noGlobal(name)
			}
			return call(m, a)
		}
	}
}

func noGlobal(name string) error {
	err := pgerr.New(pgerr.InvalidParameterValue, "%s() does not support the \"global\" option", name)
	if name == "regexp_match" {
		return err.WithHint("Use the regexp_matches function instead.")
	}
	return err
}

// Matcher is a compiled expression.
type Matcher struct {
	*expression
	bounds    *regexp.Regexp // finds where a match begins and ends
	inner     *regexp.Regexp // finds the groups of a match between its bounds, nil: bounds does
	later     *regexp.Regexp // for bounds after the start of a text, where ^ does not match
	behind    *searcher      // finds matches behind others, where they depend on what stands around
	hollow    bool           // a match may be empty
	*searcher                // what finds matches of an expression that the others cannot have, or nil
}

// groupCount is how many groups a match has.
func (m *Matcher) groupCount() int {
	if m.searcher != nil {
		return len(m.searcher.groups) - 1
	}
	return m.bounds.NumSubexp()
}

// LooksAround reports whether an expression may look ahead, behind, or for the edges of
// words.
func LooksAround(pattern string) bool { return looking.MatchString(pattern) }

var looking = regexp.MustCompile(`\(\?<?[=!]|\\[mM]|\[\[:[<>]:\]\]`)

// NewMatcher compiles a POSIX regular expression with flags, the letters of the manual,
// table 9.24.
func NewMatcher(pattern, flags string) (*Matcher, error) {
	e, err := translate(pattern, flags, false)
	if err != nil {
		return nil, err
	}
	m := &Matcher{expression: e}
	if len(e.looks) > 0 || e.mixed && (e.context || e.prefer == short && e.choice) {
		m.searcher, err = e.searcher()
		return m, err
	}
	if m.bounds, err = e.compile(); err != nil {
		return nil, err
	}
	if e.context {
		m.hollow = mayBeEmpty(e.source)
		m.behind, err = e.searcher()
		return m, err
	}
	later, err := translate(pattern, flags, true)
	if err != nil {
		return nil, err
	}
	if m.later, err = later.compile(); err != nil {
		return nil, err
	}
	if e.mixed {
		m.inner, err = regexp.Compile(`\A(?:` + e.source + `)\z`)
		if err != nil {
			return nil, badSyntax(err)
		}
	}
	return m, nil
}

// mayBeEmpty reports whether an expression may match without a character.
func mayBeEmpty(source string) bool {
	tree, err := syntax.Parse(source, syntax.Perl)
	return err != nil || hollow(tree)
}

func hollow(tree *syntax.Regexp) bool {
	switch tree.Op {
	case syntax.OpLiteral, syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return false
	case syntax.OpPlus, syntax.OpCapture:
		return hollow(tree.Sub[0])
	case syntax.OpRepeat:
		return tree.Min == 0 || hollow(tree.Sub[0])
	case syntax.OpConcat:
		return !slices.ContainsFunc(tree.Sub, func(sub *syntax.Regexp) bool { return !hollow(sub) })
	case syntax.OpAlternate:
		return slices.ContainsFunc(tree.Sub, hollow)
	}
	return true
}

// compile makes what finds the bounds of a match.
func (e *expression) compile() (*regexp.Regexp, error) {
	source := e.source
	if e.prefer == short {
		source = e.lazy
	}
	re, err := regexp.Compile(source)
	if err != nil {
		return nil, badSyntax(err)
	}
	if e.prefer != short {
		re.Longest()
	}
	return re, nil
}

// Find gives the places of matches from a byte on, as PostgreSQL searches: at the
// end of the last match, or one character on behind an empty one. limit -1 finds all.
func (m *Matcher) Find(s string, from, limit int) ([][]int, error) {
	if m.searcher != nil {
		return m.searcher.find(s, from, limit)
	}
	switch {
	case m.behind != nil && (from > 0 || limit != 1 && m.hollow):
		return m.behind.find(s, from, limit)
	case m.behind != nil:
		return m.bounds.FindAllStringSubmatchIndex(s, limit), nil
	}
	var found [][]int
	for at := from; at <= len(s) && (limit < 0 || len(found) < limit); {
		re := m.bounds
		if at > 0 {
			re = m.later
		}
		f := re.FindStringSubmatchIndex(s[at:])
		if f == nil {
			break
		}
		if m.inner != nil {
			if groups := m.inner.FindStringSubmatchIndex(s[at+f[0] : at+f[1]]); groups != nil {
				moved(groups, f[0])
				f = groups
			}
		}
		moved(f, at)
		found = append(found, f)
		if at = f[1]; f[0] == f[1] {
			_, n := utf8.DecodeRuneInString(s[at:])
			at += max(n, 1)
		}
	}
	return found, nil
}

func moved(places []int, by int) {
	for i, p := range places {
		if p >= 0 {
			places[i] = p + by
		}
	}
}

// groups are the texts of the groups, or of the whole match if the expression has no groups.
func (m *Matcher) groups(s string, f []int) []fmgr.Value {
	if len(f) == 2 {
		return []fmgr.Value{fmgr.TextValue(s[f[0]:f[1]])}
	}
	var out []fmgr.Value
	for i := 2; i < len(f); i += 2 {
		if f[i] < 0 {
			out = append(out, fmgr.Null)
		} else {
			out = append(out, fmgr.TextValue(s[f[i]:f[i+1]]))
		}
	}
	return out
}

// startOf is the byte of a character counted from 1; it may be beyond the end.
func startOf(s string, start int64) (int, error) {
	if start <= 0 {
		return 0, fmgr.InvalidParameter("invalid value for parameter %q: %d", "start", start)
	}
	at := 0
	for i := int64(1); i < start; i++ {
		if at >= len(s) {
			return len(s) + 1, nil
		}
		_, n := utf8.DecodeRuneInString(s[at:])
		at += n
	}
	return at, nil
}

// nth finds a match by its number, and of it a group.
func (m *Matcher) nth(s string, start, n, group int64) (from, to int, ok bool, err error) {
	at, err := startOf(s, start)
	switch {
	case err != nil:
		return 0, 0, false, err
	case n <= 0:
		return 0, 0, false, fmgr.InvalidParameter("invalid value for parameter %q: %d", "n", n)
	case group < 0:
		return 0, 0, false, fmgr.InvalidParameter("invalid value for parameter %q: %d", "subexpr", group)
	}
	found, err := m.Find(s, at, int(min(n, 1<<30)))
	if err != nil || int64(len(found)) < n || int(group) > m.groupCount() {
		return 0, 0, false, err
	}
	f := found[n-1]
	return f[2*group], f[2*group+1], f[2*group] >= 0, nil
}

func regexpInstr(m *Matcher, a []fmgr.Value) (fmgr.Value, error) {
	if a[4].Int != 0 && a[4].Int != 1 {
		return fmgr.Null, fmgr.InvalidParameter("invalid value for parameter %q: %d", "endoption", a[4].Int)
	}
	from, to, ok, err := m.nth(a[0].Text, a[2].Int, a[3].Int, a[6].Int)
	switch {
	case err != nil || !ok:
		return fmgr.IntValue(0), err
	case a[4].Int == 1:
		from = to
	}
	return fmgr.IntValue(utf8.RuneCountInString(a[0].Text[:from]) + 1), nil
}

func regexpSubstr(m *Matcher, a []fmgr.Value) (fmgr.Value, error) {
	from, to, ok, err := m.nth(a[0].Text, a[2].Int, a[3].Int, a[5].Int)
	if err != nil || !ok {
		return fmgr.Null, err
	}
	return fmgr.TextValue(a[0].Text[from:to]), nil
}

// regexpSplit splits at matches, but at empty ones at the ends of the text or right
// behind another match.
func regexpSplit(m *Matcher, a []fmgr.Value) (fmgr.Value, error) {
	if m.global {
		return fmgr.Null, noGlobal(a[3].Text)
	}
	s := a[0].Text
	found, err := m.Find(s, 0, -1)
	var parts []fmgr.Value
	last, behind := 0, 0
	for _, f := range found {
		if f[0] < len(s) && f[1] > behind {
			parts = append(parts, fmgr.TextValue(s[last:f[0]]))
			last = f[1]
		}
		behind = f[1]
	}
	return fmgr.Value{List: append(parts, fmgr.TextValue(s[last:]))}, err
}
