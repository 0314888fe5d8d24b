package str

import (
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/fmgr"
)

// Values of type tid are numbers that order as the values do: the page in the upper bits, the
// line in the lower 16.
var tidFunctions = []fmgr.Function{
	{Name: "ontosql_tid_in", Args: []fmgr.Kind{fmgr.Text}, Result: fmgr.Int, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		v, err := ReadTID(a[0].Text)
		if err != nil {
			return fmgr.Null, err
		}
		return fmgr.Value{Int: v}, nil
	})},
	{Name: "ontosql_tid_out", Args: []fmgr.Kind{fmgr.Int}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		return fmgr.TextValue(string(AppendTID(nil, a[0].Int))), nil
	})},
}

// TID is the value of a page and a line.
func TID(page uint32, line uint16) int64 { return int64(page)<<16 | int64(line) }

// AppendTID prints a tid as (page,line).
func AppendTID(dst []byte, v int64) []byte {
	dst = strconv.AppendInt(append(dst, '('), v>>16, 10)
	dst = strconv.AppendInt(append(dst, ','), v&0xFFFF, 10)
	return append(dst, ')')
}

// ReadTID reads the text of a tid (tidin of PostgreSQL's tid.c, which ignores what stands before
// the first and after the last parenthesis).
func ReadTID(s string) (int64, *pgerr.Error) {
	fault := func() (int64, *pgerr.Error) {
		return 0, pgerr.New(pgerr.InvalidTextRepresentation, "invalid input syntax for type tid: \"%s\"", s)
	}
	head, rest, _ := strings.Cut(s, "(")
	if strings.ContainsAny(head, "),") {
		return fault()
	}
	page, rest, found := strings.Cut(rest, ",")
	line, _, closed := strings.Cut(rest, ")")
	p, ok := unsignedLong(page)
	l, okLine := unsignedLong(line)
	if !found || !closed || !ok || !okLine || l > 0xFFFF || p > 0xFFFFFFFF && p < 0xFFFFFFFF80000000 {
		return fault()
	}
	return TID(uint32(p), uint16(l)), nil
}

// unsignedLong is C's strtoul of the whole text: the number after a minus wraps, and an empty
// text is 0.
func unsignedLong(s string) (uint64, bool) {
	digits := strings.TrimLeft(s, " \t\n\v\f\r")
	if s == "" {
		return 0, true
	}
	digits, negative := strings.CutPrefix(digits, "-")
	if !negative {
		digits = strings.TrimPrefix(digits, "+")
	}
	if digits == "" || digits[0] == '+' || digits[0] == '-' {
		return 0, false
	}
	v, err := strconv.ParseUint(digits, 10, 64)
	if negative {
		v = -v
	}
	return v, err == nil
}
