package gateway

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/rewrite"
	"github.com/ontosql/ontosql/rewrite/enginesql"
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

// keyBounds are the values that a statement asks for.
type keyBounds []keyBound

// keyBound are canonical key texts (decision A18) of a stored key column, and what the
// statement says of them.
type keyBound struct {
	column   string
	texts    []string
	kind     column.Kind
	operands []enginesql.Operand
	used     []int // parameters that the engine's SQL may name
}

// keyTexts turns the key equalities of a statement into stored texts. A column
// whose values cannot all be told is left out: nothing is pruned by it. used are
// the parameters that the engine's SQL may name (rewrite.Scoped.Used): the others
// stand there as literals.
func keyTexts(t *catalog.Type, need rewrite.Need, args [][]byte, used []int) keyBounds {
	var bounds keyBounds
	for _, k := range t.Key {
		c := t.Columns[k]
		operands, asked := need.KeyEquals[c.Name]
		if !asked {
			continue
		}
		b := keyBound{column: scan.KeyColumn(c.Role), texts: make([]string, 0, len(operands)), kind: c.Type.Kind, operands: operands, used: used}
		known := true
		for _, o := range operands {
			text, ok := keyText(c.Type.Kind, o, args)
			known = known && ok
			b.texts = append(b.texts, text)
		}
		if known && len(b.texts) > 0 {
			bounds = append(bounds, b)
		}
	}
	return bounds
}

func keyText(kind column.Kind, o enginesql.Operand, args [][]byte) (string, bool) {
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

// keyExpr is the SQL of a key text. A parameter stays one, so that the statement
// has one SQL for all its values, and the engine has it prepared.
func keyExpr(kind column.Kind, o enginesql.Operand, text string, used []int) string {
	i := slices.Index(used, o.Param)
	if i < 0 {
		return duckdb.Literal(text)
	}
	expr := fmt.Sprintf("CAST($%d AS VARCHAR)", i+1)
	if kind == column.Int64 {
		expr = "CAST(CAST(" + expr + " AS BIGINT) AS VARCHAR)"
	}
	return expr
}

// first are the texts of the first identity column, which files know bounds of.
func (b keyBounds) first() []string {
	for _, k := range b {
		if k.column == "entity_key" || k.column == "left_key" {
			return k.texts
		}
	}
	return nil
}

// of reports whether a row has one of the texts in each of the columns.
func (b keyBounds) of(r *format.Row) bool {
	for _, k := range b {
		text := r.Key
		switch k.column {
		case "left_key":
			text = r.Left
		case "right_key":
			text = r.Right
		case "instance_key":
			text = r.Instance
		}
		if !slices.Contains(k.texts, text) {
			return false
		}
	}
	return true
}

// hold reports whether they are all that a statement asks of the keys.
func (b keyBounds) hold(need rewrite.Need) bool { return len(b) > 0 && len(b) == len(need.KeyEquals) }

// equals are the bounds as the scan writes them.
func (b keyBounds) equals() []scan.KeyEqual {
	return b.list(func(k keyBound) []string {
		exprs := make([]string, len(k.operands))
		for i, o := range k.operands {
			exprs[i] = keyExpr(k.kind, o, k.texts[i], k.used)
		}
		return exprs
	})
}

// literals are equals without parameters.
func (b keyBounds) literals() []scan.KeyEqual {
	return b.list(func(k keyBound) []string {
		texts := make([]string, len(k.texts))
		for i, text := range k.texts {
			texts[i] = duckdb.Literal(text)
		}
		return texts
	})
}

func (b keyBounds) list(texts func(keyBound) []string) []scan.KeyEqual {
	var list []scan.KeyEqual
	for _, k := range b {
		list = append(list, scan.KeyEqual{Column: k.column, Texts: texts(k)})
	}
	return list
}
