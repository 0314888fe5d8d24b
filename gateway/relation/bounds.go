package relation

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
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/scope"
)

// NarrowWindow applies the conditions on commit_id in the WHERE clause to a window that
// ends at upper. args are the parameters of the statement.
func NarrowWindow(need scope.Need, upper ontosql.CommitID, args [][]byte) (low, high ontosql.CommitID, err error) {
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

func boundValue(b scope.Bound, args [][]byte) (ontosql.CommitID, bool) {
	if b.Param == 0 {
		return plus(b.Value, b.Delta), true
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(args[b.Param-1])), 10, 64)
	return plus(n, b.Delta), err == nil
}

// plus adds, and saturates instead of overflowing.
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

// KeyBounds are the values of key columns that a statement asks for, one entry for each
// column that it compares with values.
type KeyBounds []keyBound

// keyBound are canonical key texts (decision A18) of a stored key column, and the
// operands of the statement that they come from.
type keyBound struct {
	Column   string
	Texts    []string
	kind     column.Kind
	operands []enginesql.Operand
	used     []int // parameters that the engine's SQL may name
}

// NewKeyBounds turns the equality conditions on key columns into stored texts. It leaves
// out a column if not all of its values are known, so nothing is pruned by it. used are
// the parameters that the engine's SQL may name (scope.Scoped.Used); the others become
// literals.
func NewKeyBounds(t *catalog.Type, need scope.Need, args [][]byte, used []int) KeyBounds {
	var bounds KeyBounds
	for _, k := range t.Key {
		c := t.Columns[k]
		operands, asked := need.KeyEquals[c.Name]
		if !asked {
			continue
		}
		b := keyBound{Column: scan.KeyColumn(c.Role), Texts: make([]string, 0, len(operands)), kind: c.Type.Kind, operands: operands, used: used}
		known := true
		for _, o := range operands {
			text, ok := keyText(c.Type.Kind, o, args)
			known = known && ok
			b.Texts = append(b.Texts, text)
		}
		if known && len(b.Texts) > 0 {
			bounds = append(bounds, b)
		}
	}
	return bounds
}

// KnownBounds are bounds on the first columns of the key: the texts that each may have.
func KnownBounds(t *catalog.Type, texts [][]string) KeyBounds {
	bounds := make(KeyBounds, len(texts))
	for i := range texts {
		operands := make([]enginesql.Operand, len(texts[i]))
		for k, text := range texts[i] {
			operands[k].Text = text
		}
		bounds[i] = keyBound{Column: scan.KeyColumn(t.Columns[t.Key[i]].Role), Texts: texts[i], operands: operands}
	}
	return bounds
}

// keyText is the stored text of an operand, false if it is not known.
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

// keyExpr is the SQL of a key text. A used parameter stays a parameter, so that the
// statement has the same SQL for all values and the engine has it prepared.
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

// First are the texts of the first key column, by which files are pruned. It is nil if
// the statement does not compare that column.
func (b KeyBounds) First() []string {
	for _, k := range b {
		if k.Column == "entity_key" || k.Column == "left_key" {
			return k.Texts
		}
	}
	return nil
}

// Match reports whether a row has one of the texts in each of the columns.
func (b KeyBounds) Match(r *format.Row) bool {
	for _, k := range b {
		text := r.Key
		switch k.Column {
		case "left_key":
			text = r.Left
		case "right_key":
			text = r.Right
		case "instance_key":
			text = r.Instance
		}
		if !slices.Contains(k.Texts, text) {
			return false
		}
	}
	return true
}

// CoverAll reports whether the bounds are all conditions of the statement on key columns.
func (b KeyBounds) CoverAll(need scope.Need) bool {
	return len(b) > 0 && len(b) == len(need.KeyEquals)
}

// Equals are the bounds as the scan takes them.
func (b KeyBounds) Equals() []scan.KeyEqual {
	return b.list(func(k keyBound) []string {
		exprs := make([]string, len(k.operands))
		for i, o := range k.operands {
			exprs[i] = keyExpr(k.kind, o, k.Texts[i], k.used)
		}
		return exprs
	})
}

// Literals are Equals without parameters.
func (b KeyBounds) Literals() []scan.KeyEqual {
	return b.list(func(k keyBound) []string {
		texts := make([]string, len(k.Texts))
		for i, text := range k.Texts {
			texts[i] = duckdb.Literal(text)
		}
		return texts
	})
}

func (b KeyBounds) list(texts func(keyBound) []string) []scan.KeyEqual {
	var list []scan.KeyEqual
	for _, k := range b {
		list = append(list, scan.KeyEqual{Column: k.Column, Texts: texts(k)})
	}
	return list
}
