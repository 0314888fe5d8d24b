package str

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/chars"
	"github.com/ontosql/ontosql/pgfunc/fmgr"
)

// textFunctions write texts.
var textFunctions = []fmgr.Function{
	// In the way of the C library, for which ß has no capital.
	{Name: "ontosql_upper", Args: []fmgr.Kind{fmgr.Text}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		return fmgr.TextValue(strings.Map(func(r rune) rune {
			if r == 'ß' {
				return r
			}
			return unicode.ToUpper(r)
		}, a[0].Text)), nil
	})},
	// A pattern, and the arguments as PostgreSQL prints them.
	{Name: "ontosql_format", Args: []fmgr.Kind{fmgr.Text, fmgr.Texts}, Result: fmgr.Text, Nulls: true, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		if a[0].Null {
			return fmgr.Null, nil
		}
		f := formatter{rest: a[0].Text, args: a[1].List}
		err := f.run()
		return fmgr.TextValue(f.out.String()), err
	})},
	// A text, what is replaced, and by what.
	{Name: "ontosql_replace", Args: []fmgr.Kind{fmgr.Text, fmgr.Text, fmgr.Text}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		s, old, by := a[0].Text, a[1].Text, a[2].Text
		if old == "" {
			return a[0], nil
		}
		if len(s)+strings.Count(s, old)*(len(by)-len(old)) > fmgr.MaxResult {
			return fmgr.Null, fmgr.ResultTooLong("replace")
		}
		return fmgr.TextValue(strings.ReplaceAll(s, old, by)), nil
	})},
	{Name: "ontosql_repeat", Args: []fmgr.Kind{fmgr.Text, fmgr.Int}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		s, times := a[0].Text, max(a[1].Int, 0)
		if int64(len(s))*times > fmgr.MaxResult {
			return fmgr.Null, fmgr.ResultTooLong("repeat")
		}
		return fmgr.TextValue(strings.Repeat(s, int(times))), nil
	})},
	// A text, how many characters it is to have, and what it is filled up with.
	{Name: "ontosql_lpad", Args: []fmgr.Kind{fmgr.Text, fmgr.Int, fmgr.Text}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		cut, padding, err := pad("lpad", a)
		return fmgr.TextValue(padding + cut), err
	})},
	{Name: "ontosql_rpad", Args: []fmgr.Kind{fmgr.Text, fmgr.Int, fmgr.Text}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		cut, padding, err := pad("rpad", a)
		return fmgr.TextValue(cut + padding), err
	})},
	{Name: "ontosql_quote_ident", Args: []fmgr.Kind{fmgr.Text}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		return fmgr.TextValue(QuoteIdent(a[0].Text)), nil
	})},
}

// pad is a text cut to so many characters, and what it lacks of them.
func pad(name string, a []fmgr.Value) (cut, padding string, err error) {
	s, fill, missing := a[0].Text, a[2].Text, a[1].Int-int64(utf8.RuneCountInString(a[0].Text))
	switch {
	case missing < 0:
		return s[:bytesOf(s, max(a[1].Int, 0))], "", nil
	case missing == 0 || fill == "":
		return s, "", nil
	case int64(len(s))+missing > fmgr.MaxResult:
		return "", "", fmgr.ResultTooLong(name)
	}
	each := int64(utf8.RuneCountInString(fill))
	if missing/each*int64(len(fill)) > fmgr.MaxResult {
		return "", "", fmgr.ResultTooLong(name)
	}
	return s, strings.Repeat(fill, int(missing/each)) + fill[:bytesOf(fill, missing%each)], nil
}

// bytesOf is the length of the first so many characters of a text, which has them.
func bytesOf(s string, characters int64) int {
	at := 0
	for range characters {
		_, size := utf8.DecodeRuneInString(s[at:])
		at += size
	}
	return at
}

// formatter is format(): a pattern and where it has come to.
type formatter struct {
	rest string
	args []fmgr.Value
	next int // the argument that the next specifier takes
	out  strings.Builder
}

func (f *formatter) run() error {
	for {
		before, rest, found := strings.Cut(f.rest, "%")
		f.out.WriteString(before)
		if f.rest = rest; !found {
			return nil
		}
		if err := f.specifier(); err != nil {
			return err
		}
		if f.out.Len() > fmgr.MaxResult {
			return fmgr.ResultTooLong("format")
		}
	}
}

var (
	errUnterminated = pgerr.New(pgerr.InvalidParameterValue, "unterminated format() type specifier").WithHint(`For a single "%%" use "%%%%".`)
	errTooFew       = pgerr.New(pgerr.InvalidParameterValue, "too few arguments for format()")
)

// specifier is what follows a %: [position$][-][width]type.
func (f *formatter) specifier() error {
	if strings.HasPrefix(f.rest, "%") {
		f.out.WriteByte('%')
		f.rest = f.rest[1:]
		return nil
	}
	width, position, err := 0, 0, error(nil)
	n, given, err := f.number()
	if err != nil {
		return err
	}
	if given && strings.HasPrefix(f.rest, "$") {
		if f.rest, position = f.rest[1:], n; n == 0 {
			return fmgr.InvalidParameter("format specifies argument 0, but arguments are numbered from 1")
		}
		n, given = 0, false
	}
	left := false
	if given {
		width = n
	} else {
		for strings.HasPrefix(f.rest, "-") {
			left, f.rest = true, f.rest[1:]
		}
		if width, err = f.width(); err != nil {
			return err
		}
	}
	if f.rest == "" {
		return errUnterminated
	}
	var kind string
	kind, f.rest = chars.First(f.rest)
	if kind != "s" && kind != "I" && kind != "L" {
		return pgerr.New(pgerr.InvalidParameterValue, "unrecognized format() type specifier %q", kind).WithHint(`For a single "%%" use "%%%%".`)
	}
	arg, err := f.take(position)
	if err != nil {
		return err
	}
	return f.write(kind, arg, width, left)
}

// number reads digits.
func (f *formatter) number() (n int, given bool, err error) {
	digits := len(f.rest) - len(strings.TrimLeft(f.rest, "0123456789"))
	if digits == 0 {
		return 0, false, nil
	}
	v, err := strconv.ParseInt(f.rest[:digits], 10, 32)
	if err != nil {
		return 0, false, pgerr.New(pgerr.NumericValueOutOfRange, "number is out of range")
	}
	if f.rest = f.rest[digits:]; f.rest == "" {
		return 0, false, errUnterminated
	}
	return int(v), true, nil
}

// width is a number, or * and the argument that gives it.
func (f *formatter) width() (int, error) {
	if !strings.HasPrefix(f.rest, "*") {
		n, _, err := f.number()
		return n, err
	}
	f.rest = f.rest[1:]
	position, given, err := f.number()
	if err != nil {
		return 0, err
	}
	if given {
		if !strings.HasPrefix(f.rest, "$") {
			return 0, fmgr.InvalidParameter("width argument position must be ended by \"$\"")
		}
		if f.rest = f.rest[1:]; position == 0 {
			return 0, fmgr.InvalidParameter("format specifies argument 0, but arguments are numbered from 1")
		}
	}
	arg, err := f.take(position)
	if err != nil || arg.Null {
		return 0, err
	}
	n, err := strconv.ParseInt(strings.TrimSpace(arg.Text), 10, 32)
	if err != nil {
		return 0, pgerr.New(pgerr.InvalidTextRepresentation, "invalid input syntax for type integer: %q", arg.Text)
	}
	return int(n), nil
}

// take gives an argument by its position, 0 for the next one.
func (f *formatter) take(position int) (fmgr.Value, error) {
	if position == 0 {
		position = f.next + 1
	}
	f.next = position
	if position > len(f.args) {
		return fmgr.Null, errTooFew
	}
	return f.args[position-1], nil
}

func (f *formatter) write(kind string, arg fmgr.Value, width int, left bool) error {
	s := arg.Text
	switch {
	case kind == "I" && arg.Null:
		return pgerr.New("22004", "null values cannot be formatted as an SQL identifier")
	case kind == "I":
		s = QuoteIdent(s)
	case kind == "L" && arg.Null:
		s = "NULL"
	case kind == "L":
		s = QuoteLiteral(s)
	case arg.Null:
		s = ""
	}
	if width < 0 {
		width, left = -width, true
	}
	blanks := max(0, width-utf8.RuneCountInString(s))
	if blanks > fmgr.MaxResult {
		return fmgr.ResultTooLong("format")
	}
	if left {
		s += strings.Repeat(" ", blanks)
	} else {
		s = strings.Repeat(" ", blanks) + s
	}
	f.out.WriteString(s)
	return nil
}

// QuoteLiteral is a text as a literal, as quote_literal writes it.
func QuoteLiteral(s string) string {
	quoted := "'" + strings.ReplaceAll(s, "'", "''") + "'"
	if strings.Contains(s, `\`) {
		return "E" + strings.ReplaceAll(quoted, `\`, `\\`)
	}
	return quoted
}

// keywords are those of PostgreSQL 15 that are no names without quotes everywhere.
var keywords = wordSet(`all analyse analyze and any array as asc asymmetric authorization between bigint binary bit boolean both case cast
	char character check coalesce collate collation column concurrently constraint create cross current_catalog current_date current_role
	current_schema current_time current_timestamp current_user dec decimal default deferrable desc distinct do else end except exists extract
	false fetch float for foreign freeze from full grant greatest group grouping having ilike in initially inner inout int integer intersect
	interval into is isnull join lateral leading least left like limit localtime localtimestamp national natural nchar none normalize not
	notnull null nullif numeric offset on only or order out outer overlaps overlay placing position precision primary real references
	returning right row select session_user setof similar smallint some substring symmetric table tablesample then time timestamp to trailing
	treat trim true union unique user using values varchar variadic verbose when where window with xmlattributes xmlconcat xmlelement
	xmlexists xmlforest xmlnamespaces xmlparse xmlpi xmlroot xmlserialize xmltable`)

func wordSet(words string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}

// QuoteIdent quotes a name unless it is one without.
func QuoteIdent(s string) string {
	bare := s != "" && !keywords[s]
	for i := 0; i < len(s) && bare; i++ {
		c := s[i]
		bare = c >= 'a' && c <= 'z' || c == '_' || i > 0 && chars.IsDigit(c)
	}
	if bare {
		return s
	}
	return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
}
