package input

import (
	"fmt"
	"strings"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/numeric"
	"github.com/ontosql/ontosql/rewrite/types"
)

// ReadWide reads the text of a numeric with a type modifier, -1 for none, as the key of a wide numeric.
func ReadWide(s string, typmod int32) (string, *pgerr.Error) {
	key, err := numeric.ReadWide(s)
	if err == nil && typmod >= 4 {
		precision, scale := types.NumericTypmod(typmod)
		key, err = numeric.FitWide(key, int(precision), int(scale))
	}
	return key, err
}

// NumberText is what PostgreSQL prints of the text of a number of any size. ok is false for NaN, the
// infinities and a text that is no number.
func NumberText(s string) (text string, ok bool) {
	if _, err := numeric.ReadWide(s); err != nil {
		return "", false
	}
	return numeric.NumericText(strings.Trim(s, Whitespace)), true
}

// FitWide is the call that brings a wide numeric to the modifier of a type, if that has one.
func FitWide(sql string, to types.Type) string {
	if to.Typmod < 4 {
		return sql
	}
	precision, scale := types.NumericTypmod(to.Typmod)
	return fmt.Sprintf("ontosql_wide_fit(%s, %d, %d)", sql, precision, scale)
}

// WideLiteral is the key of a number that a statement has as a literal, and its digits.
func WideLiteral(text string) (key string, d types.Digits, ok bool) {
	k, ok := column.AppendWideKey(nil, []byte(text))
	_, fraction, _ := strings.Cut(numeric.NumericText(text), ".")
	printed := column.AppendWide(nil, k, len(fraction))
	whole, _, _ := strings.Cut(strings.TrimPrefix(string(printed), "-"), ".")
	return string(k), types.Digits{Whole: len(whole), Frac: len(fraction), DisplayScale: len(fraction)}, ok
}
