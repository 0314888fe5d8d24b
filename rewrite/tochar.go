package rewrite

import (
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"
)

// timePatterns maps the patterns of to_char and to_timestamp to strftime's,
// longest first where one begins with another. Patterns that are not here have
// no exact counterpart.
var timePatterns = []struct{ pg, format, parse string }{
	{"YYYY", "%Y", "%Y"},
	{"IYYY", "%G", ""},
	{"YY", "%y", "%y"},
	{"MONTH", "", ""},
	{"Month", "", ""},
	{"month", "", ""},
	{"Mon", "%b", "%b"},
	{"MM", "%m", "%m"},
	{"MS", "%g", "%g"},
	{"MI", "%M", "%M"},
	{"DDD", "%j", "%j"},
	{"DD", "%d", "%d"},
	{"Day", "", ""},
	{"DAY", "", ""},
	{"day", "", ""},
	{"Dy", "%a", "%a"},
	{"D", "", ""},
	{"HH24", "%H", "%H"},
	{"HH12", "%I", "%I"},
	{"HH", "%I", "%I"},
	{"SS", "%S", "%S"},
	{"US", "%f", "%f"},
	{"IW", "%V", ""},
	{"ID", "%u", ""},
	{"AM", "%p", "%p"},
	{"PM", "%p", "%p"},
	{"Q", "", ""},
	{"WW", "", ""},
	{"CC", "", ""},
	{"TZ", "%Z", ""},
	{"J", "", ""},
}

// timePattern translates a pattern; ok is false when a part of it has no exact
// counterpart. FM before a name removes padding that strftime does not write.
func timePattern(p string, parse bool) (out string, ok bool) {
	var s strings.Builder
	for p != "" {
		if p[0] == '"' {
			end := strings.IndexByte(p[1:], '"')
			if end < 0 {
				return "", false
			}
			s.WriteString(strings.ReplaceAll(p[1:end+1], "%", "%%"))
			p = p[end+2:]
			continue
		}
		if strings.HasPrefix(p, "FM") && !parse {
			switch rest := p[2:]; {
			case strings.HasPrefix(rest, "Month"):
				s.WriteString("%B")
				p = rest[5:]
				continue
			case strings.HasPrefix(rest, "Day"):
				s.WriteString("%A")
				p = rest[3:]
				continue
			case strings.HasPrefix(rest, "DD"):
				s.WriteString("%-d")
				p = rest[2:]
				continue
			case strings.HasPrefix(rest, "MM"):
				s.WriteString("%-m")
				p = rest[2:]
				continue
			case strings.HasPrefix(rest, "HH24"):
				s.WriteString("%-H")
				p = rest[4:]
				continue
			case strings.HasPrefix(rest, "HH12"):
				s.WriteString("%-I")
				p = rest[4:]
				continue
			}
			return "", false
		}
		found := false
		for _, t := range timePatterns {
			if !strings.HasPrefix(p, t.pg) && !(isDigitPattern(t.pg) && len(p) >= len(t.pg) && strings.EqualFold(p[:len(t.pg)], t.pg)) {
				continue
			}
			f := t.format
			if parse {
				f = t.parse
			}
			if f == "" {
				return "", false
			}
			s.WriteString(f)
			p, found = p[len(t.pg):], true
			break
		}
		if found {
			continue
		}
		c := p[0]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' && c != 'T' {
			return "", false
		}
		if c == '%' {
			s.WriteByte('%')
		}
		s.WriteByte(c)
		p = p[1:]
	}
	return s.String(), true
}

// isDigitPattern reports whether a pattern writes digits, whose case is free.
func isDigitPattern(p string) bool {
	switch p {
	case "YYYY", "YY", "MM", "MI", "MS", "DD", "DDD", "HH24", "HH12", "HH", "SS", "US", "IYYY", "IW", "ID":
		return true
	}
	return false
}

// toChar is to_char(x, pattern) for times with a literal pattern, and for
// numbers with the few patterns that are exact.
func (b *binder) toChar(n *pg.FuncCall, l *level) expr {
	if len(n.Args) != 2 {
		b.noFunction("to_char", b.args(n.Args, l), n.Location)
	}
	x := b.expr(n.Args[0], l)
	p := n.Args[1].GetAConst().GetSval()
	if p == nil {
		b.unsupported(n.Location, "to_char is supported with a literal pattern only")
	}
	out := expr{t: t(textOID), agg: x.agg, loc: n.Location}
	switch {
	case x.t.oid == dateOID || x.t.oid == timestampOID || x.t.oid == timestamptzOID:
		f, ok := timePattern(p.Sval, false)
		if !ok {
			b.unsupported(n.Location, "to_char with the pattern %q is not supported", p.Sval)
		}
		if x.t.oid == timestamptzOID && !strings.Contains(f, "%Z") {
			x.sql = "CAST(" + x.sql + " AS TIMESTAMP)"
		}
		out.sql = "strftime(" + x.sql + ", " + literal(f) + ")"
	case isNumber(x.t.oid):
		out.sql = b.numberPattern(x, p.Sval, n.Location)
	default:
		b.unsupported(n.Location, "to_char of type %s is not supported", x.t)
	}
	return out
}

// numberPattern writes patterns of nines, zeros, one decimal point and thousands
// separators. PostgreSQL pads to the pattern's width with one place for the
// sign unless FM is given.
func (b *binder) numberPattern(x expr, p string, loc int32) string {
	bare, fm := strings.CutPrefix(p, "FM")
	whole, frac, point := strings.Cut(bare, ".")
	digits := strings.ReplaceAll(whole, ",", "")
	if strings.Trim(digits, "90") != "" || strings.Trim(frac, "90") != "" || len(digits) == 0 || point && frac == "" {
		b.unsupported(loc, "to_char with the pattern %q is not supported", p)
	}
	if fm && strings.Contains(frac, "9") || strings.Contains(strings.TrimLeft(digits, "9"), "9") && strings.Contains(digits, "0") && digits[0] != '0' {
		b.unsupported(loc, "to_char with the pattern %q is not supported", p)
	}
	comma := ""
	if strings.Contains(whole, ",") {
		comma = ","
		for i, group := range strings.Split(whole, ",") {
			if i > 0 && len(group) != 3 {
				b.unsupported(loc, "to_char with the pattern %q is not supported", p)
			}
		}
	}
	zeros := len(strings.TrimLeft(digits, "9"))
	num := "round(CAST(" + x.sql + " AS DECIMAL(38," + itoa(len(frac)) + ")), " + itoa(len(frac)) + ")"
	args := []string{num, literal(comma), itoa(len(digits)), itoa(len(frac)), itoa(zeros)}
	if fm {
		return macro("number_chars") + "(" + strings.Join(args, ", ") + ")"
	}
	width := len(whole) + 1
	if point {
		width += 1 + len(frac)
	}
	return macro("lpad3") + "(" + macro("number_chars") + "(" + strings.Join(args, ", ") + "), " + itoa(width) + ", ' ')"
}

// fromPattern is to_date and to_timestamp with a pattern.
func (b *binder) fromPattern(name string, n *pg.FuncCall, l *level) expr {
	x := b.coerce(b.expr(n.Args[0], l), t(textOID), implicitCast)
	p := n.Args[1].GetAConst().GetSval()
	if p == nil {
		b.unsupported(n.Location, "%s is supported with a literal pattern only", name)
	}
	f, ok := timePattern(p.Sval, true)
	if !ok {
		b.unsupported(n.Location, "%s with the pattern %q is not supported", name, p.Sval)
	}
	ty := t(timestamptzOID)
	if name == "to_date" {
		ty = t(dateOID)
	}
	return expr{sql: "CAST(strptime(" + x.sql + ", " + literal(f) + ") AS " + ty.duck() + ")", t: ty, agg: x.agg, loc: n.Location}
}
