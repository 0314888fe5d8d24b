package gateway

import (
	"math"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/rewrite"
)

// narrow applies the bounds of the WHERE clause to a window.
func narrow(need rewrite.Need, upper ontosql.CommitID, args [][]byte) (low, high ontosql.CommitID, err error) {
	high = upper
	for _, b := range need.Lower {
		if v, ok := boundValue(b, args); ok {
			low = max(low, v)
		}
	}
	for _, b := range need.Upper {
		if v, ok := boundValue(b, args); ok {
			high = min(high, v)
		}
	}
	return min(low, high), max(high, 0), nil
}

func boundValue(b rewrite.Bound, args [][]byte) (ontosql.CommitID, bool) {
	if b.Param == 0 {
		return plus(b.Value, b.Delta), true
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(args[b.Param-1])), 10, 64)
	return plus(n, b.Delta), err == nil
}

// plus adds without wrapping around.
func plus(n, delta int64) ontosql.CommitID {
	switch sum := n + delta; {
	case delta > 0 && sum < n:
		return math.MaxInt64
	case delta < 0 && sum > n:
		return math.MinInt64
	default:
		return ontosql.CommitID(sum)
	}
}

// keyBounds are the canonical key texts a statement asks for, by stored column
// (decision A18).
type keyBounds map[string][]string

// keyTexts turns the key equalities of a statement into stored texts. A column
// whose values cannot all be told is left out: nothing is pruned by it.
func keyTexts(t *catalog.Type, need rewrite.Need, args [][]byte) keyBounds {
	bounds := keyBounds{}
	for _, k := range t.Key {
		c := t.Columns[k]
		operands, asked := need.KeyEquals[c.Name]
		if !asked {
			continue
		}
		var texts []string
		known := true
		for _, o := range operands {
			text, ok := keyText(c.Type.Kind, o, args)
			known = known && ok
			texts = append(texts, text)
		}
		if known && len(texts) > 0 {
			bounds[scan.KeyColumn(c.Role)] = texts
		}
	}
	return bounds
}

func keyText(kind column.Kind, o rewrite.Operand, args [][]byte) (string, bool) {
	text := o.Text
	if o.Param > 0 {
		if o.Param > len(args) || args[o.Param-1] == nil {
			return "", false
		}
		text = string(args[o.Param-1])
	}
	switch kind {
	case column.Text:
		return text, true
	case column.Int64:
		n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
		return strconv.FormatInt(n, 10), err == nil
	}
	return "", false
}

// first are the texts of the first identity column, which files know bounds of.
func (b keyBounds) first() []string {
	if texts := b["entity_key"]; texts != nil {
		return texts
	}
	return b["left_key"]
}

// equals are the bounds as the scan writes them.
func (b keyBounds) equals() []scan.KeyEqual {
	var list []scan.KeyEqual
	for _, name := range []string{"entity_key", "left_key", "right_key", "instance_key"} {
		var exprs []string
		for _, text := range b[name] {
			exprs = append(exprs, duckdb.Literal(text))
		}
		if len(exprs) > 0 {
			list = append(list, scan.KeyEqual{Column: name, Texts: exprs})
		}
	}
	return list
}
