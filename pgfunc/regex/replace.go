package regex

import (
	"strings"

	"github.com/ontosql/ontosql/pgfunc/fmgr"
)

// OneOrAll is a number of the match to replace that no client can give: the first
// one, or all of them with the option g.
const OneOrAll = 1 << 32

func regexpReplace(m *Matcher, a []fmgr.Value) (fmgr.Value, error) {
	s, n := a[0].Text, a[4].Int
	at, err := startOf(s, a[3].Int)
	if err != nil {
		return fmgr.Null, err
	}
	switch {
	case n == OneOrAll && m.global:
		n = 0
	case n == OneOrAll:
		n = 1
	case n < 0:
		return fmgr.Null, fmgr.InvalidParameter("invalid value for parameter %q: %d", "n", n)
	}
	limit := int(min(n, 1<<30))
	if n == 0 {
		limit = -1
	}
	found, err := m.Find(s, at, limit)
	if err != nil {
		return fmgr.Null, err
	}
	if n > 0 {
		if int64(len(found)) < n {
			return fmgr.TextValue(s), nil
		}
		found = found[n-1:]
	}
	var out strings.Builder
	last := 0
	for _, f := range found {
		out.WriteString(s[last:f[0]])
		expand(&out, s, a[2].Text, f)
		last = f[1]
		if out.Len() > fmgr.MaxResult {
			return fmgr.Null, fmgr.ResultTooLong("regexp_replace")
		}
	}
	return fmgr.TextValue(out.String() + s[last:]), nil
}

// expand writes a replacement: \1 to \9 are groups, \& the whole match.
func expand(out *strings.Builder, s, replacement string, f []int) {
	for i := 0; i < len(replacement); i++ {
		c := replacement[i]
		if c != '\\' || i+1 == len(replacement) {
			out.WriteByte(c)
			continue
		}
		switch next := replacement[i+1]; {
		case next >= '1' && next <= '9':
			if g := 2 * int(next-'0'); g < len(f) && f[g] >= 0 {
				out.WriteString(s[f[g]:f[g+1]])
			}
			i++
		case next == '&':
			out.WriteString(s[f[0]:f[1]])
			i++
		case next == '\\':
			out.WriteByte('\\')
			i++
		default:
			out.WriteByte('\\')
		}
	}
}
