package gateway

import (
	"encoding/hex"
	"math"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/pgerr"
)

// PostgreSQL's OIDs of the types that parameters need a conversion for
// (src/include/catalog/pg_type.dat).
const (
	oidBool      = 16
	oidBytea     = 17
	oidInt8      = 20
	oidInt2      = 21
	oidInt4      = 23
	oidText      = 25
	oidOID       = 26
	oidFloat4    = 700
	oidFloat8    = 701
	oidInt2Array = 1005
	oidInt4Array = 1007
	oidTextArray = 1009
	oidInt8Array = 1016
)

// argument turns a parameter in PostgreSQL's text form into what the engine
// binds. Types without a case of their own go as text; the statement casts
// them.
func argument(oid uint32, text []byte) (any, error) {
	if text == nil {
		return nil, nil
	}
	s := string(text)
	switch oid {
	case oidBool:
		b, ok := parseBool(s)
		if !ok {
			return nil, invalidText("boolean", s)
		}
		return b, nil
	case oidInt2:
		return integerArgument("smallint", s, math.MinInt16, math.MaxInt16)
	case oidInt4:
		return integerArgument("integer", s, math.MinInt32, math.MaxInt32)
	case oidInt8:
		return integerArgument("bigint", s, math.MinInt64, math.MaxInt64)
	case oidOID:
		return integerArgument("oid", s, 0, math.MaxUint32)
	case oidFloat4:
		return floatArgument("real", s, 32)
	case oidFloat8:
		return floatArgument("double precision", s, 64)
	case oidBytea:
		return byteaArgument(s)
	case oidInt2Array, oidInt4Array, oidInt8Array:
		return arrayArgument(s, oidInt8)
	case oidTextArray, 1015, 1003:
		return arrayArgument(s, oidText)
	case 1000:
		return arrayArgument(s, oidBool)
	case 1021, 1022:
		return arrayArgument(s, oidFloat8)
	}
	return s, nil
}

func invalidText(typ, s string) error {
	return pgerr.New(pgerr.InvalidTextRepresentation, "invalid input syntax for type %s: %q", typ, s)
}

func outOfRange(typ, s string) error {
	return pgerr.New(pgerr.NumericValueOutOfRange, "value %q is out of range for type %s", s, typ)
}

func integerArgument(typ, s string, low, high int64) (any, error) {
	n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
	switch {
	case err != nil && isRange(err), err == nil && (n < low || n > high):
		return nil, outOfRange(typ, s)
	case err != nil:
		return nil, invalidText(typ, s)
	}
	return n, nil
}

func isRange(err error) bool {
	n, ok := err.(*strconv.NumError)
	return ok && n.Err == strconv.ErrRange
}

func floatArgument(typ, s string, bits int) (any, error) {
	f, err := strconv.ParseFloat(strings.TrimSpace(s), bits)
	switch {
	case err != nil && isRange(err):
		return nil, outOfRange(typ, s)
	case err != nil:
		return nil, invalidText(typ, s)
	}
	return f, nil
}

// byteaArgument reads the hex form and the escape form of bytea (PostgreSQL
// manual, 8.4).
func byteaArgument(s string) (any, error) {
	if rest, ok := strings.CutPrefix(s, `\x`); ok {
		raw, err := hex.DecodeString(strings.Join(strings.Fields(rest), ""))
		if err != nil {
			return nil, pgerr.New(pgerr.InvalidTextRepresentation, "invalid hexadecimal data in bytea: %q", s)
		}
		return raw, nil
	}
	var raw []byte
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] != '\\':
			raw = append(raw, s[i])
		case strings.HasPrefix(s[i:], `\\`):
			raw = append(raw, '\\')
			i++
		default:
			if i+4 > len(s) {
				return nil, invalidText("bytea", s)
			}
			octal, err := strconv.ParseUint(s[i+1:i+4], 8, 8)
			if err != nil {
				return nil, invalidText("bytea", s)
			}
			raw = append(raw, byte(octal))
			i += 3
		}
	}
	return raw, nil
}

// arrayArgument reads a one-dimensional array literal (PostgreSQL manual,
// 8.15.6).
func arrayArgument(s string, element uint32) (any, error) {
	bad := func(why string) error {
		return pgerr.New(pgerr.InvalidTextRepresentation, "malformed array literal: %q", s).WithDetail("%s", why)
	}
	body := strings.TrimSpace(s)
	if len(body) < 2 || body[0] != '{' || body[len(body)-1] != '}' {
		return nil, bad("Array value must start with \"{\" and end with \"}\".")
	}
	body = body[1 : len(body)-1]
	list := []any{}
	for i := skipSpace(body, 0); i < len(body); {
		text, quoted, next, ok := arrayElement(body, i)
		if !ok {
			return nil, bad("Unexpected array element.")
		}
		var v any
		if quoted || !strings.EqualFold(text, "null") {
			var err error
			if v, err = argument(element, []byte(text)); err != nil {
				return nil, err
			}
		}
		list = append(list, v)
		i = next
		if i < len(body) {
			if body[i] != ',' || skipSpace(body, i+1) == len(body) {
				return nil, bad("Unexpected array element.")
			}
			i = skipSpace(body, i+1)
		}
	}
	return list, nil
}

func skipSpace(s string, i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\t' || s[i] == '\n') {
		i++
	}
	return i
}

// arrayElement reads one element and returns the place after it, blanks
// skipped. A nested array is no element here.
func arrayElement(s string, i int) (text string, quoted bool, next int, ok bool) {
	var b strings.Builder
	if s[i] == '"' {
		for i++; i < len(s); i++ {
			switch {
			case s[i] == '"':
				return b.String(), true, skipSpace(s, i+1), true
			case s[i] == '\\' && i+1 < len(s):
				i++
			}
			b.WriteByte(s[i])
		}
		return "", false, 0, false
	}
	for ; i < len(s) && s[i] != ','; i++ {
		switch s[i] {
		case '{', '}', '"':
			return "", false, 0, false
		case '\\':
			if i++; i == len(s) {
				return "", false, 0, false
			}
		}
		b.WriteByte(s[i])
	}
	text = strings.TrimSpace(b.String())
	return text, false, i, text != ""
}
