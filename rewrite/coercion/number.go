package coercion

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/input"
	"github.com/ontosql/ontosql/rewrite/rowexpr"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/types"
)

// radixPrefix is that of a number in another base than 10.
var radixPrefix = regexp.MustCompile(`^-?0[xXoObB]`)

// NumericLiteral is a literal that is no int4: a bigint if it is whole and fits,
// numeric otherwise.
func (b *Coercer) NumericLiteral(text string, loc int32) scope.Expr {
	text = strings.ReplaceAll(text, "_", "")
	base := 10
	if radixPrefix.MatchString(text) {
		base = 0 // as the prefix says; zeros alone are none
	}
	if i, err := strconv.ParseInt(text, base, 64); err == nil && !strings.ContainsAny(text, ".eE") || err == nil && strings.HasPrefix(strings.ToLower(text), "0x") {
		if i == math.MinInt32 { // its digits alone are no int4
			e := scope.Expr{SQL: "CAST(-2147483648 AS INTEGER)", Type: types.Of(types.Int4), Location: loc, Integer: &i}
			return e.Means(rowexpr.Constant(column.Int32, rowexpr.Value{Int: i}))
		}
		e := scope.Expr{SQL: "CAST(" + strconv.FormatInt(i, 10) + " AS BIGINT)", Type: types.Of(types.Int8), Location: loc, Integer: &i}
		return e.Means(rowexpr.Constant(column.Int64, rowexpr.Value{Int: i}))
	}
	plain, d := plainDecimal(text)
	if d.Whole+d.Frac > types.MaxDigits {
		sql, d := b.wideLiteral(text, loc)
		return scope.Expr{SQL: sql, Type: types.Type{OID: types.WideNumeric, Typmod: -1, Numeric: d}, Location: loc}
	}
	e := scope.Expr{SQL: plain, Type: types.Type{OID: types.Numeric, Typmod: -1, Numeric: d}, Location: loc}
	return e.Means(rowexpr.Decimal(plain))
}

// wideLiteral is a literal with more digits than the engine's decimals.
func (b *Coercer) wideLiteral(text string, loc int32) (string, types.Digits) {
	key, d, ok := input.WideLiteral(text)
	if !ok {
		b.Fail(pgerr.New(pgerr.NumericValueOutOfRange, "value overflows numeric format"), loc)
	}
	return "CAST(" + enginesql.Literal(key) + " AS VARCHAR)", d
}

// WrittenNumber is a constant cast to numeric, with the digits that it is written
// with: a column of the engine has twelve behind the point. One of more than 38 is wide.
func (b *Coercer) WrittenNumber(s string, loc int32) (string, types.Type) {
	ty := types.Of(types.Numeric)
	text := strings.TrimPrefix(strings.Trim(s, input.Whitespace), "+")
	if input.InfinityPattern.MatchString(text) || input.NaNPattern.MatchString(text) {
		ty.Numeric = types.ColumnDigits
		return b.literal(s, types.Of(types.Numeric), loc), ty
	}
	var sql string
	if sql, ty.Numeric = plainDecimal(text); ty.Numeric.Whole+ty.Numeric.Frac > types.MaxDigits {
		ty.OID = types.WideNumeric
		sql, ty.Numeric = b.wideLiteral(text, loc)
	}
	return sql, ty
}

// FinerText reports whether a text is a number with more digits before or behind the point than a
// numeric of no declared precision has.
func FinerText(s string) bool {
	if whole, frac, _ := strings.Cut(s, "."); len(whole) <= types.MaxColumnWhole && len(frac) <= types.MaxColumnFraction && !strings.ContainsAny(s, "eE") {
		return false // most texts, without a look at their form
	}
	text := strings.TrimPrefix(strings.Trim(s, input.Whitespace), "+")
	if !decimalPattern.MatchString(text) {
		return false
	}
	_, d := plainDecimal(text)
	return d.Frac > types.MaxColumnFraction || d.Whole > types.MaxColumnWhole
}

var decimalPattern = regexp.MustCompile(`^-?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$`)

// writtenMost are the digits behind the point that RoundTemplate knows beforehand.
const writtenMost = 20

// RoundTemplate is the template of round and trunc to a number of digits. Where that
// is a literal the result shows so many, and zeros where there were fewer.
func RoundTemplate(template, name string, digits scope.Expr) string {
	if digits.Integer == nil || *digits.Integer < 0 || *digits.Integer > writtenMost {
		return template
	}
	number := "{1}"
	if name == "trunc" {
		number = template
	}
	// With 26 digits before the point it meets other numerics without loss; numeric_out
	// takes off zeros of some types of 38 digits.
	return fmt.Sprintf("CAST(%s AS DECIMAL(%d,%d))", number, min(types.MaxColumnWhole+*digits.Integer, 37), *digits.Integer)
}

// plainDecimal writes a decimal literal without exponent, which the engine would
// take for a double, and counts its digits.
func plainDecimal(text string) (string, types.Digits) {
	mantissa, negative := strings.CutPrefix(strings.ToLower(text), "-")
	exp := 0
	if i := strings.IndexByte(mantissa, 'e'); i >= 0 {
		exp, _ = strconv.Atoi(mantissa[i+1:])
		mantissa = mantissa[:i]
	}
	whole, frac, _ := strings.Cut(mantissa, ".")
	if exp > 60 || exp < -60 {
		return text, types.Digits{Whole: 99}
	}
	for ; exp > 0; exp-- {
		if frac == "" {
			frac = "0"
		}
		whole, frac = whole+frac[:1], frac[1:]
	}
	for ; exp < 0; exp++ {
		if whole == "" {
			whole = "0"
		}
		whole, frac = whole[:len(whole)-1], whole[len(whole)-1:]+frac
	}
	whole = strings.TrimLeft(whole, "0")
	if whole == "" {
		whole = "0"
	}
	d := types.Digits{Whole: len(whole), Frac: len(frac), DisplayScale: len(frac)}
	if whole == "0" && len(frac) == types.MaxDigits {
		whole, d.Whole = "", 0
	}
	if negative {
		whole = "-" + whole
	}
	if frac == "" {
		// A dot makes the engine take a whole literal as a decimal.
		return "CAST(" + whole + " AS DECIMAL(" + strconv.Itoa(min(d.Whole, types.MaxDigits)) + ",0))", d
	}
	return whole + "." + frac, d
}
