package rewrite

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc"
)

// Argument is a parameter's text as the engine reads it without a doubt. A text
// that is no value of the type is refused with PostgreSQL's error: the engine's
// casts take more than PostgreSQL's input functions, and round what they take.
// The session binds what it returns; nil is NULL and stays so. An error is a
// *pgerr.Error. Names (regclass and its like) are left for the statement to read.
func Argument(oid uint32, text []byte, in pgfunc.TimeInput) ([]byte, error) {
	to := t(oid)
	elem, isArray := to.elem()
	switch {
	case text == nil, oid == int2vectorOID, oid == oidvectorOID:
		return text, nil
	case isArray && isText(elem.oid):
		_, err := arrayInput(string(text))
		return text, asError(err)
	case isArray:
		out, err := arrayArgument(string(text), elem, in)
		return []byte(out), asError(err)
	}
	out, err := input(string(text), to, in)
	return []byte(out), asError(err)
}

// asError keeps a nil error nil.
func asError(err *pgerr.Error) error {
	if err == nil {
		return nil
	}
	return err
}

// arrayArgument writes the elements of an array anew, each as the engine reads it.
func arrayArgument(s string, elem typ, in pgfunc.TimeInput) (string, *pgerr.Error) {
	items, err := arrayInput(s)
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
		text, err = input(*it, elem, in)
		parts[i] = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
	}
	return "{" + strings.Join(parts, ",") + "}", err
}

// input reads PostgreSQL's text form of a value and writes it as the engine's cast
// of a text to the type takes it; texts themselves stay as they are.
func input(s string, to typ, in pgfunc.TimeInput) (string, *pgerr.Error) {
	switch to.oid {
	case boolOID:
		if v, ok := boolText(strings.Trim(s, blanks)); ok {
			return v, nil
		}
		return "", badText(to, s)
	case int2OID, int4OID, int8OID, oidOID:
		return integerInput(s, to)
	case float4OID, float8OID:
		return floatInput(s, to)
	case numericOID:
		return numericInput(s, to)
	case dateOID, timeOID, timestampOID, timestamptzOID:
		return pgfunc.ReadTime(s, typesByOID[to.oid].name, in)
	case intervalOID:
		return intervalInput(s, to, in)
	case byteaOID:
		return bytesInput(s)
	case uuidOID:
		return uuidInput(s, to)
	case jsonOID, jsonbOID:
		return jsonInput(s, to)
	case bitOID, varbitOID:
		return pgfunc.ReadBits(s)
	case timetzOID:
		_, err := pgfunc.ReadTimeTZ(s, 0)
		return s, err
	}
	return s, nil
}

// arrayInput reads the text of an array of one dimension whose subscripts begin at 1.
func arrayInput(s string) ([]*string, *pgerr.Error) {
	bounds, text := arrayBounds(strings.Trim(s, blanks))
	items, ok := parseArray(text)
	switch {
	case !ok && severalText.MatchString(text):
		return nil, pgerr.Unsupported(severalDimensions)
	case !ok || bounds != nil && bounds[1]-bounds[0]+1 != len(items):
		return nil, pgerr.New(pgerr.InvalidTextRepresentation, "malformed array literal: \"%s\"", s).
			WithDetail("%s", arrayFault(text))
	case bounds != nil && bounds[0] != 1:
		return nil, pgerr.Unsupported(otherSubscripts)
	}
	return items, nil
}

// severalText is how an array of several dimensions looks.
var severalText = regexp.MustCompile(`(?s)^(?:(?:\[[0-9:+-]+\]){2,}[ \t\n\v\f\r]*=|\{[ \t\n\v\f\r]*\{).*\}$`)

var boundsText = regexp.MustCompile(`^\[(?:([+-]?[0-9]{1,9}):)?([+-]?[0-9]{1,9})\][ \t\n\v\f\r]*=[ \t\n\v\f\r]*`)

// arrayBounds are the least and the greatest subscript that stand before the elements
// of an array, or nil, and what stands behind them.
func arrayBounds(s string) (bounds []int, elements string) {
	m := boundsText.FindStringSubmatch(s)
	if m == nil {
		return nil, s
	}
	least, err := strconv.Atoi(m[1])
	if err != nil { // there is none
		least = 1
	}
	greatest, _ := strconv.Atoi(m[2])
	return []int{least, greatest}, s[len(m[0]):]
}
