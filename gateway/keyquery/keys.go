package keyquery

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/rewrite/input"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/types"
)

// maxKeys is the number of keys that are looked up one by one.
const maxKeys = 1000

// beginnings are the texts with which the wanted identities begin, in the order in which they are
// stored: of all key columns or of the first ones. conditions are those on each of these columns.
// It returns false for more than maxKeys.
func beginnings(conditions [][]scope.KeyCondition, args [][]byte) ([][]string, bool) {
	all := [][]string{nil}
	for _, of := range conditions {
		texts := textsOf(of, args)
		if len(texts) == 0 {
			return nil, true
		}
		if len(all)*len(texts) > maxKeys {
			return nil, false
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
func textsOf(conditions []scope.KeyCondition, args [][]byte) (texts []string) {
	for i := range conditions {
		of := conditionTexts(&conditions[i], args)
		if i > 0 {
			of = slices.DeleteFunc(of, func(text string) bool { return !slices.Contains(texts, text) })
		}
		texts = of
	}
	return texts
}

func conditionTexts(k *scope.KeyCondition, args [][]byte) []string {
	texts := make([]string, 0, len(k.Values))
	for _, v := range k.Values {
		switch {
		case v.Param == 0:
			texts = append(texts, v.Text)
		case args[v.Param-1] == nil:
		case v.Array:
			texts = appendArray(texts, string(args[v.Param-1]), k.Type)
		default:
			texts = appendKey(texts, string(args[v.Param-1]), k.Type)
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
