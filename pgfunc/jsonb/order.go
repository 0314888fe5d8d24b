package jsonb

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/pgfunc/fmgr"
)

// ontosql_json_order is a text whose bytes order as PostgreSQL orders jsonb
// (compareJsonbContainers in jsonb_util.c), equal for equal documents: 1 is 1.0, and
// the order of the members does not count.
var orderFunctions = []fmgr.Function{
	{Name: "ontosql_json_order", Args: []fmgr.Kind{fmgr.Text}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		key, err := jsonOrder(a[0].Text)
		return fmgr.TextValue(key), err
	})},
	// Documents and how they are sorted, as ORDER BY says it: one of those that are equal,
	// and one NULL.
	{Name: "ontosql_jsonb_distinct", Args: []fmgr.Kind{fmgr.Texts, fmgr.Text}, Result: fmgr.Texts, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		return distinctDocuments(a[0].List, a[1].Text)
	})},
}

func distinctDocuments(list []fmgr.Value, direction string) (fmgr.Value, error) {
	type keyed struct {
		key string
		v   fmgr.Value
	}
	var all, nulls []keyed
	for _, v := range list {
		if v.Null {
			nulls = []keyed{{v: v}}
			continue
		}
		key, err := jsonOrder(v.Text)
		if err != nil {
			return fmgr.Null, err
		}
		all = append(all, keyed{key, v})
	}
	sign := 1
	if strings.Contains(direction, "DESC") {
		sign = -1
	}
	slices.SortStableFunc(all, func(x, y keyed) int { return sign * strings.Compare(x.key, y.key) })
	all = slices.CompactFunc(all, func(x, y keyed) bool { return x.key == y.key })
	if strings.Contains(direction, "NULLS FIRST") {
		all = append(nulls, all...)
	} else {
		all = append(all, nulls...)
	}
	out := make([]fmgr.Value, len(all))
	for i, k := range all {
		out[i] = k.v
	}
	return fmgr.Value{List: out}, nil
}

// jsonOrder is ontosql_json_order of a document.
func jsonOrder(document string) (string, error) {
	v, err := Parse(document)
	switch {
	case errors.Is(err, errTooDeep):
		return "", err
	case err != nil:
		return "9" + document, nil
	}
	v.SortMembers()
	var b strings.Builder
	if v.Kind != "array" && v.Kind != "object" { // an array of one element, before any that is written as one
		b.WriteString("80000000010")
	}
	orderJSON(&b, v)
	return b.String(), nil
}

// endOfText sorts below every byte of a text, in which this byte and the next larger one are
// each written as two.
const endOfText = "\x01"

var orderedText = strings.NewReplacer("\x01", "\x02\x01", "\x02", "\x02\x02")

// orderJSON writes a value whose members are sorted.
func orderJSON(b *strings.Builder, v *Value) {
	switch v.Kind {
	case "null":
		b.WriteString("0")
	case "string":
		b.WriteString("1" + orderedText.Replace(v.Text) + endOfText)
	case "number":
		b.WriteString("2" + orderedNumber(v.Text))
	case "boolean":
		b.WriteString("3" + strconv.FormatBool(v.Truth))
	case "array":
		fmt.Fprintf(b, "8%08x1", len(v.Items))
		for _, item := range v.Items {
			orderJSON(b, item)
		}
	case "object":
		fmt.Fprintf(b, "9%08x", len(v.Keys))
		for i, k := range v.Keys {
			b.WriteString(orderedText.Replace(k) + endOfText)
			orderJSON(b, v.Items[i])
		}
	}
}

// farthest is the exponent of all larger ones.
const farthest = 1 << 40

// orderedNumber writes a number as its sign, its exponent and its digits; those of
// a negative one are turned round.
func orderedNumber(s string) string {
	s, negative := strings.CutPrefix(s, "-")
	mantissa, e, _ := strings.Cut(strings.ToLower(s), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	if digits == "" {
		return "1"
	}
	exponent, _ := strconv.ParseInt(e, 10, 64) // the nearest one of what is out of range
	exponent = min(max(exponent, -farthest), farthest)
	point := exponent + int64(len(whole)) - int64(len(whole+fraction)-len(digits))
	out := fmt.Sprintf("%020d", point+2*farthest) + strings.TrimRight(digits, "0")
	if !negative {
		return "2" + out + endOfText
	}
	turned := []byte(out)
	for i, c := range turned {
		turned[i] = '0' + '9' - c
	}
	return "0" + string(turned) + "~"
}
