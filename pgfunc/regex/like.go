package regex

import (
	"strings"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/chars"
	"github.com/ontosql/ontosql/pgfunc/fmgr"
)

// likeFunctions are LIKE of strings of bytes, which the engine's is not of, and
// like_escape. A byte is a character there.
var likeFunctions = []fmgr.Function{
	{Name: "ontosql_bytes_like", Args: []fmgr.Kind{fmgr.Bytes, fmgr.Bytes}, Result: fmgr.Int, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		is, err := bytesLike(a[0].Text, a[1].Text)
		return fmgr.BoolValue(is), err
	})},
	{Name: "ontosql_bytes_like_escape", Args: []fmgr.Kind{fmgr.Bytes, fmgr.Bytes}, Result: fmgr.Bytes, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		return likeEscape(a[0].Text, a[1].Text, func(s string) (string, string) { return s[:1], s[1:] })
	})},
	{Name: "ontosql_like_escape", Args: []fmgr.Kind{fmgr.Text, fmgr.Text}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		return likeEscape(a[0].Text, a[1].Text, chars.First)
	})},
}

// bytesLike goes back to the last % only: what an earlier one would match more, that does.
func bytesLike(s, p string) (bool, error) {
	at, percent, resume := 0, -1, 0
	for i := 0; i < len(s) || at < len(p); {
		switch {
		case at < len(p) && p[at] == '%':
			at++
			percent, resume = at, i
			continue
		case at < len(p) && i < len(s) && p[at] == '_':
			i, at = i+1, at+1
			continue
		case at+1 == len(p) && p[at] == '\\' && i < len(s):
			return false, pgerr.New("22025", "LIKE pattern must not end with escape character")
		case at+1 < len(p) && i < len(s) && p[at] == '\\' && p[at+1] == s[i]:
			i, at = i+1, at+2
			continue
		case at < len(p) && i < len(s) && p[at] != '\\' && p[at] == s[i]:
			i, at = i+1, at+1
			continue
		}
		if percent < 0 || resume >= len(s) {
			return false, nil
		}
		resume++
		i, at = resume, percent
	}
	return true, nil
}

// likeEscape is a pattern of LIKE with the backslash as escape in the place of another
// one, or of none.
func likeEscape(pattern, escape string, first func(string) (c, rest string)) (fmgr.Value, error) {
	if escape != "" {
		if _, rest := first(escape); rest != "" {
			return fmgr.Null, pgerr.New("22025", "invalid escape string").WithHint("Escape string must be empty or one character.")
		}
	}
	if escape == `\` {
		return fmgr.TextValue(pattern), nil
	}
	var out strings.Builder
	escaped := false
	for pattern != "" {
		var c string
		c, pattern = first(pattern)
		switch {
		case c == escape && !escaped:
			out.WriteByte('\\')
			escaped = true
			continue
		case c == `\` && !escaped:
			out.WriteByte('\\')
		}
		out.WriteString(c)
		escaped = false
	}
	return fmgr.TextValue(out.String()), nil
}
