package str

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/chars"
	"github.com/ontosql/ontosql/pgfunc/fmgr"
)

// identFunctions read what SQL writes with escapes and quotes.
var identFunctions = []fmgr.Function{
	{Name: "ontosql_unistr", Args: []fmgr.Kind{fmgr.Text}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		s, err := unistr(a[0].Text)
		return fmgr.TextValue(s), err
	})},
	{Name: "ontosql_parse_ident", Args: []fmgr.Kind{fmgr.Text, fmgr.Int}, Result: fmgr.Texts, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		names, err := parseIdent(a[0].Text, a[1].Int != 0)
		v := fmgr.Value{}
		for _, n := range names {
			v.List = append(v.List, fmgr.TextValue(n))
		}
		return v, err
	})},
}

// unistr replaces the escapes \XXXX, \+XXXXXX, \uXXXX and \UXXXXXXXX.
func unistr(s string) (string, error) {
	var out strings.Builder
	bad := pgerr.New(pgerr.SyntaxError, "invalid Unicode escape").WithHint("Unicode escapes must be \\XXXX, \\+XXXXXX, \\uXXXX, or \\UXXXXXXXX.")
	for s != "" {
		before, rest, found := strings.Cut(s, `\`)
		out.WriteString(before)
		if !found {
			break
		}
		if strings.HasPrefix(rest, `\`) {
			out.WriteByte('\\')
			s = rest[1:]
			continue
		}
		r, tail, ok := escaped(rest)
		if !ok {
			return "", bad
		}
		if r >= 0xd800 && r < 0xdc00 && strings.HasPrefix(tail, `\`) {
			if low, after, ok := escaped(tail[1:]); ok && low >= 0xdc00 && low < 0xe000 {
				r, tail = (r-0xd800)<<10+low-0xdc00+0x10000, after
			}
		}
		switch {
		case r >= 0xd800 && r < 0xe000:
			return "", pgerr.New(pgerr.SyntaxError, "invalid Unicode surrogate pair")
		case r == 0 || r > utf8.MaxRune:
			return "", fmgr.InvalidParameter("invalid Unicode code point: %04X", r)
		}
		out.WriteRune(r)
		s = tail
	}
	return out.String(), nil
}

// escaped reads the character after the backslash of an escape.
func escaped(s string) (r rune, rest string, ok bool) {
	digits, at := 4, 0
	if s != "" {
		switch s[0] {
		case '+':
			digits, at = 6, 1
		case 'u':
			at = 1
		case 'U':
			digits, at = 8, 1
		}
	}
	if len(s) < at+digits {
		return 0, s, false
	}
	n, err := strconv.ParseUint(s[at:at+digits], 16, 32)
	return rune(min(n, 1<<30)), s[at+digits:], err == nil
}

// parseIdent splits a qualified name. strict refuses text after it.
func parseIdent(s string, strict bool) ([]string, error) {
	whole := s
	bad := func(detail string, args ...any) error {
		err := pgerr.New(pgerr.InvalidParameterValue, "string is not a valid identifier: %q", whole)
		if detail != "" {
			err = err.WithDetail(detail, args...)
		}
		return err
	}
	skip := func() {
		for s != "" && chars.IsSpace(s[0]) {
			s = s[1:]
		}
	}
	var names []string
	behindDot := false
	for skip(); ; skip() {
		switch {
		case s != "" && s[0] == '"':
			name, rest, ok := quotedName(s[1:])
			switch {
			case !ok:
				return nil, bad("String has unclosed double quotes.")
			case name == "":
				return nil, bad("Quoted identifier must not be empty.")
			}
			names, s = append(names, name), rest
		case s != "" && startsName(s[0]):
			n := 1
			for n < len(s) && (startsName(s[n]) || chars.IsDigit(s[n]) || s[n] == '$') {
				n++
			}
			names, s = append(names, chars.LowerASCII(s[:n])), s[n:]
		case s != "" && s[0] == '.':
			return nil, bad("No valid identifier before \".\".")
		case behindDot:
			return nil, bad("No valid identifier after \".\".")
		default:
			return nil, bad("")
		}
		skip()
		if s == "" || s[0] != '.' {
			break
		}
		behindDot, s = true, s[1:]
	}
	if s != "" && strict {
		return nil, bad("")
	}
	return names, nil
}

// NameList reads names between commas, as of search_path: PostgreSQL's
// SplitIdentifierString.
func NameList(s string) (names []string, ok bool) {
	trim := func(s string) string { return strings.TrimLeft(s, " \t\n\r\f") }
	for s = trim(s); s != ""; {
		var name string
		if rest, quoted := strings.CutPrefix(s, `"`); quoted {
			if name, s, ok = quotedName(rest); !ok {
				return nil, false
			}
		} else {
			n := strings.IndexAny(s+",", ", \t\n\r\f")
			if n == 0 {
				return nil, false
			}
			name, s = chars.LowerASCII(s[:n]), s[n:]
		}
		names = append(names, name)
		if s = trim(s); s == "" {
			break
		}
		var more bool
		if s, more = strings.CutPrefix(s, ","); !more || trim(s) == "" {
			return nil, false
		}
		s = trim(s)
	}
	return names, true
}

// quotedName reads a name up to its closing quote.
func quotedName(s string) (name, rest string, ok bool) {
	var out strings.Builder
	for {
		before, after, found := strings.Cut(s, `"`)
		out.WriteString(before)
		switch {
		case !found:
			return "", "", false
		case !strings.HasPrefix(after, `"`):
			return out.String(), after, true
		}
		out.WriteByte('"')
		s = after[1:]
	}
}

func startsName(c byte) bool { return c == '_' || c >= 0x80 || c|0x20 >= 'a' && c|0x20 <= 'z' }

// ParseIdent splits a qualified name as regclass reads it. ok is false for what is none.
func ParseIdent(s string) (names []string, ok bool) {
	names, err := parseIdent(s, true)
	return names, err == nil
}
