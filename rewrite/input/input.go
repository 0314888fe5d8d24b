package input

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/datetime"
	"github.com/ontosql/ontosql/pgfunc/str"
	"github.com/ontosql/ontosql/rewrite/types"
)

// Argument is a parameter's text as the engine reads it without a doubt. A text
// that is no value of the type is refused with PostgreSQL's error: the engine's
// casts take more than PostgreSQL's input functions, and round what they take.
// The session binds what it returns; nil is NULL and stays so. An error is a
// *pgerr.Error. Names (regclass and its like) are left for the statement to read.
func Argument(oid uint32, text []byte, in datetime.TimeInput) ([]byte, error) {
	to := types.Of(oid)
	elem, isArray := to.Elem()
	switch {
	case text == nil, types.IsText(oid), oid == types.Int2Vector, oid == types.OIDVector:
		return text, nil
	case isArray && types.IsText(elem.OID):
		_, lengths, err := Array(string(text))
		if err == nil && len(lengths) > 1 {
			err = pgerr.Unsupported(UnknownDimensions)
		}
		return text, asError(err)
	case isArray:
		out, err := arrayArgument(string(text), elem, in)
		return []byte(out), asError(err)
	}
	out, err := Canonical(string(text), to, in)
	return []byte(out), asError(err)
}

// asError keeps a nil error nil.
func asError(err *pgerr.Error) error {
	if err == nil {
		return nil
	}
	return err
}

// arrayArgument prints the elements of an array again, each in the engine's form.
func arrayArgument(s string, elem types.Type, in datetime.TimeInput) (string, *pgerr.Error) {
	items, lengths, err := Array(s)
	if err == nil && len(lengths) > 1 {
		err = pgerr.Unsupported(UnknownDimensions)
	}
	parts := make([]string, len(items))
	for i, it := range items {
		if err != nil {
			return "", err
		}
		if it == nil {
			parts[i] = "NULL"
			continue
		}
		var text string
		text, err = Canonical(*it, elem, in)
		parts[i] = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
	}
	return "{" + strings.Join(parts, ",") + "}", err
}

// Canonical reads PostgreSQL's text form of a value and writes it as the engine's cast
// of a text to the type takes it; texts themselves stay as they are.
func Canonical(s string, to types.Type, in datetime.TimeInput) (string, *pgerr.Error) {
	switch to.OID {
	case types.Bool:
		if v, ok := Boolean(strings.Trim(s, Whitespace)); ok {
			return v, nil
		}
		return "", badText(to, s)
	case types.Int2, types.Int4, types.Int8, types.OID:
		return integerInput(s, to)
	case types.Float4, types.Float8:
		return floatInput(s, to)
	case types.Numeric:
		return numericInput(s, to)
	case types.WideNumeric:
		return ReadWide(s, to.Typmod)
	case types.Date, types.Time, types.Timestamp, types.TimestampTZ:
		return datetime.ReadTime(s, types.ByOID[to.OID].Name, in)
	case types.Interval:
		return intervalInput(s, to, in)
	case types.Bytea:
		return bytesInput(s)
	case types.UUID:
		return uuidInput(s, to)
	case types.JSON, types.JSONB:
		return jsonInput(s, to)
	case types.Bit, types.Varbit:
		return str.ReadBits(s)
	case types.TID:
		v, err := str.ReadTID(s)
		return strconv.FormatInt(v, 10), err
	case types.TimeTZ:
		_, err := datetime.ReadTimeTZ(s, 0)
		return s, err
	}
	return s, nil
}

// Array reads the text of an array whose subscripts begin at 1: its elements in the
// order in which they are stored, and its lengths, none of an empty one.
func Array(s string) (items []*string, lengths []int, err *pgerr.Error) {
	least, greatest, text := arrayBounds(strings.Trim(s, Whitespace))
	items, lengths, ok := parseArray(text)
	if !ok || least != nil && !bounded(least, greatest, lengths) {
		fault := boundsFault(text)
		if fault == "" {
			fault = arrayFault(text)
		}
		if fault == tooManyDimensions {
			return nil, nil, pgerr.New(pgerr.ProgramLimitExceeded, "number of array dimensions (%d) exceeds the maximum allowed (%d)", MaxDimensions+1, MaxDimensions)
		}
		return nil, nil, pgerr.New(pgerr.InvalidTextRepresentation, "malformed array literal: \"%s\"", s).WithDetail("%s", fault)
	}
	if slices.ContainsFunc(least, func(bound int) bool { return bound != 1 }) {
		return nil, nil, pgerr.Unsupported(OtherLowerBounds)
	}
	return items, lengths, nil
}

// bounded reports whether an array has the lengths that its bounds say.
func bounded(least, greatest, lengths []int) bool {
	if len(least) != len(lengths) {
		return false
	}
	for i := range least {
		if greatest[i]-least[i]+1 != lengths[i] {
			return false
		}
	}
	return true
}

// LiteralDimensions is how many dimensions beyond the first the text of an array has.
func LiteralDimensions(s string) int {
	_, lengths, err := Array(s)
	if err != nil {
		return 0
	}
	return max(len(lengths)-1, 0)
}

var boundsText = regexp.MustCompile(`^\[(?:([+-]?[0-9]{1,9}):)?([+-]?[0-9]{1,9})\][ \t\n\v\f\r]*`)

// arrayBounds returns the explicit lower and upper subscripts before the elements of an array,
// or nil, and the rest of the text.
func arrayBounds(s string) (least, greatest []int, elements string) {
	rest := s
	for {
		m := boundsText.FindStringSubmatch(rest)
		if m == nil {
			break
		}
		from, err := strconv.Atoi(m[1])
		if err != nil { // no explicit bounds
			from = 1
		}
		to, _ := strconv.Atoi(m[2])
		least, greatest, rest = append(least, from), append(greatest, to), rest[len(m[0]):]
	}
	elements, is := strings.CutPrefix(rest, "=")
	if least == nil || !is {
		return nil, nil, s
	}
	return least, greatest, strings.TrimLeft(elements, Whitespace)
}

// Boolean reads a text as a boolean and returns it as SQL.
func Boolean(s string) (sql string, ok bool) {
	s = strings.ToLower(s)
	switch {
	case s == "":
		return "", false
	case strings.HasPrefix("true", s), strings.HasPrefix("yes", s), s == "on", s == "1":
		return "TRUE", true
	case strings.HasPrefix("false", s), strings.HasPrefix("no", s), s == "of", s == "off", s == "0":
		return "FALSE", true
	}
	return "", false
}
