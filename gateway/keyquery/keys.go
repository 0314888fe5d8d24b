package keyquery

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/rewrite/input"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/types"
)

// maxKeys is the number of keys that are looked up one by one.
const maxKeys = 1000

// values are what conditions may name: the arguments, and the columns of a joined row.
type values struct {
	args [][]byte
	from map[scope.KeyQueryColumn]place
	made []*column.Batch // the slots of each table
	rows []int           // the row of each, -1 for none
}

// appendColumn appends the value of a column as it is stored in a key.
func (v *values) appendColumn(to []string, c scope.KeyQueryColumn) []string {
	at := v.from[c]
	of, row := &v.made[at.table].Cols[at.slot], v.rows[at.table]
	if row < 0 || of.IsNull(row) {
		return to
	}
	switch of.Type.Kind {
	case column.Int64:
		return append(to, strconv.FormatInt(of.I64[row], 10))
	case column.UUID:
		return append(to, format.FormatUUID(of.I128[row].Bytes()))
	}
	return append(to, string(of.Str[row]))
}

// Keys are the keys of rows that conditions on all key columns allow.
type Keys struct {
	conditions [][]scope.KeyCondition // on each key column
}

// NewKeys is nil if there is no condition on one of the columns of the key.
func NewKeys(conditions []scope.KeyCondition, columns int) *Keys {
	k := &Keys{make([][]scope.KeyCondition, columns)}
	for _, c := range conditions {
		k.conditions[c.Place] = append(k.conditions[c.Place], c)
	}
	if slices.ContainsFunc(k.conditions, func(of []scope.KeyCondition) bool { return of == nil }) {
		return nil
	}
	return k
}

// Texts are the texts of the keys, each once. args are the parameters as input.Argument has read them. It
// returns false if they are too many to be looked up one by one.
func (k *Keys) Texts(args [][]byte) ([][]string, bool) {
	return beginnings(nil, k.conditions, values{args: args})
}

// beginnings are the texts with which the wanted identities begin, in the order in which they are
// stored: of all key columns or of the first ones. conditions are those on each of these columns.
// It returns false for more than maxKeys. all is empty; its memory is used.
func beginnings(all [][]string, conditions [][]scope.KeyCondition, given values) ([][]string, bool) {
	for i, of := range conditions {
		texts := textsOf(of, given)
		if len(texts) == 0 {
			return nil, true
		}
		if len(all)*len(texts) > maxKeys {
			return nil, false
		}
		if i == 0 {
			all = slices.Grow(all, len(texts))
			for k := range texts {
				all = append(all, texts[k:k+1:k+1])
			}
			continue
		}
		if len(texts) == 1 {
			for i := range all {
				all[i] = append(all[i], texts[0])
			}
			continue
		}
		longer := make([][]string, 0, len(all)*len(texts))
		for _, beginning := range all {
			for _, text := range texts {
				longer = append(longer, append(slices.Clip(beginning), text))
			}
		}
		all = longer
	}
	return all, true
}

// textsOf are the texts that all conditions on a key column allow, each once and in order.
func textsOf(conditions []scope.KeyCondition, given values) (texts []string) {
	for i := range conditions {
		of := conditionTexts(&conditions[i], given)
		if i > 0 {
			of = slices.DeleteFunc(of, func(text string) bool { return !slices.Contains(texts, text) })
		}
		texts = of
	}
	return texts
}

func conditionTexts(k *scope.KeyCondition, given values) []string {
	texts := make([]string, 0, len(k.Values))
	for _, v := range k.Values {
		switch {
		case v.Column != nil:
			texts = given.appendColumn(texts, *v.Column)
		case v.Param == 0:
			texts = append(texts, v.Text)
		case given.args[v.Param-1] == nil:
		case v.Array:
			texts = appendArray(texts, string(given.args[v.Param-1]), k.Type)
		default:
			texts = appendKey(texts, string(given.args[v.Param-1]), k.Type)
		}
	}
	if len(texts) > 1 {
		slices.Sort(texts)
		texts = slices.Compact(texts)
	}
	return texts
}

// appendArray appends the elements of an array, as input.Argument has read it.
func appendArray(to []string, array string, ty uint32) []string {
	items, _, err := input.Array(array)
	if err != nil {
		return to // Argument has read it
	}
	to = slices.Grow(to, len(items))
	for _, item := range items {
		if item != nil {
			to = appendKey(to, *item, ty)
		}
	}
	return to
}

// appendKey appends the text of a value as it is stored in a key.
func appendKey(to []string, value string, ty uint32) []string {
	if ty != types.Int8 {
		return append(to, value)
	}
	n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
	if err != nil {
		return to // no integer is stored so
	}
	return append(to, strconv.FormatInt(n, 10))
}
