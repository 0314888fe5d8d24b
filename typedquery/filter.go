package typedquery

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/ontosql/ontosql/format"
)

// Side says whose value a filter tests.
type Side uint8

// The row itself, or one of the entities that a relation links.
const (
	Direct Side = iota
	Left
	Right
)

// Filter is one condition: a path, an operator, and what the value is compared with.
type Filter struct {
	Side     Side
	Path     []string       // the field, and the members below it
	Op       string         // eq, ne, gt, gte, lt, lte, in or is_null
	Operands []format.Value // one; of in any number; of is_null none. Booleans, numbers and texts, of eq, ne and in documents too
}

// filterPath is the grammar of paths: $.a.b, and left.$.a or right.$.a of an endpoint.
var filterPath = regexp.MustCompile(`^(?:(left|right)\.)?\$((?:\.[A-Za-z_][A-Za-z0-9_]*)+)$`)

// ParseFilters reads the words of --filter: each filter is one word "PATH OP JSON", or three
// words. is_null needs no third part in one word, and ignores it otherwise.
func ParseFilters(words []string) ([]Filter, error) {
	var filters []Filter
	for len(words) > 0 {
		word := strings.TrimSpace(words[0])
		path, rest, oneWord := strings.Cut(word, " ")
		op, operand, _ := strings.Cut(strings.TrimSpace(rest), " ")
		used := 1
		if !oneWord {
			if len(words) < 3 {
				return nil, fmt.Errorf("filter %q: want PATH OP JSON, in one word or in three", word)
			}
			op, operand, used = words[1], words[2], 3
		}
		f, err := parseFilter(path, strings.TrimSpace(op), operand)
		if err != nil {
			return nil, fmt.Errorf("filter %q: %w", strings.Join(words[:used], " "), err)
		}
		filters, words = append(filters, f), words[used:]
	}
	return filters, nil
}

func parseFilter(path, op, operand string) (Filter, error) {
	parts := filterPath.FindStringSubmatch(path)
	if parts == nil {
		return Filter{}, fmt.Errorf("path %q: want $.FIELD or $.FIELD.MEMBER, for an endpoint left.$.FIELD or right.$.FIELD", path)
	}
	f := Filter{Path: strings.Split(parts[2][1:], "."), Op: op}
	switch parts[1] {
	case "left":
		f.Side = Left
	case "right":
		f.Side = Right
	}
	switch op {
	case "is_null":
		if strings.TrimSpace(operand) == "false" {
			return f, fmt.Errorf("is_null tests for null whatever stands behind it")
		}
		return f, nil
	case "eq", "ne", "gt", "gte", "lt", "lte", "in":
	default:
		return f, fmt.Errorf("operator %q: want eq, ne, gt, gte, lt, lte, in or is_null", op)
	}
	v, err := format.ParseJSON([]byte(operand))
	if err != nil {
		return f, fmt.Errorf("want JSON behind %s, a text in double quotes: %w", op, err)
	}
	f.Operands = []format.Value{v}
	if op == "in" {
		if v.Kind() != format.JSONArray {
			return f, fmt.Errorf("in wants a list, not %s", v.Kind())
		}
		f.Operands = v.Items()
	}
	for _, v := range f.Operands {
		if err := checkOperand(op, v); err != nil {
			return f, err
		}
	}
	return f, nil
}

// checkOperand refuses what no stored value can be compared with.
func checkOperand(op string, v format.Value) error {
	switch v.Kind() {
	case format.JSONNull:
		if op != "in" { // a null in a list is no match
			return fmt.Errorf("nothing compares with null: is_null tests for it")
		}
	case format.JSONArray, format.JSONObject:
		if op != "eq" && op != "ne" && op != "in" {
			return fmt.Errorf("%s compares numbers and texts, not %s", op, v.Kind())
		}
	case format.JSONFloat:
		if math.IsNaN(v.Float()) || math.IsInf(v.Float(), 0) {
			return fmt.Errorf("want a finite number")
		}
	case format.JSONString:
		if strings.ContainsRune(v.Text(), 0) || !utf8.ValidString(v.Text()) {
			return fmt.Errorf("no text in SQL has U+0000 or half a surrogate pair")
		}
	}
	return nil
}
