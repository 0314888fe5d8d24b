package format

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"strings"
)

// nativeValue returns value i of the current batch of a native column in the form that
// fields_json has.
func (c *columnReader) nativeValue(i int) (Value, error) {
	text, err := "", error(nil)
	switch c.kind {
	case KindDate:
		text, err = FormatDate(c.small[i])
	case KindTimestamp:
		text, err = FormatDatetime(c.ints[i])
	case KindUUID:
		text = FormatUUID([16]byte(c.fixed[i]))
	case KindBytes:
		text = FormatBytes(c.strs[i])
	case KindJSON:
		return ParseJSON(c.strs[i])
	default:
		precision, scale, ok := c.kind.Decimal()
		if !ok {
			return Value{}, fmt.Errorf("a column of kind %s has no values", c.kind)
		}
		text = unscaledText(c.unscaled(i, precision), scale)
	}
	return String(text), err
}

// unscaled returns value i of a decimal column, times ten to its scale.
func (c *columnReader) unscaled(i, precision int) *big.Int {
	switch {
	case precision <= 9:
		return big.NewInt(int64(c.small[i]))
	case precision <= 18:
		return big.NewInt(c.ints[i])
	}
	value := c.fixed[i]
	high := big.NewInt(int64(binary.BigEndian.Uint64(value)))
	return high.Lsh(high, 64).Add(high, new(big.Int).SetUint64(binary.BigEndian.Uint64(value[8:])))
}

// unscaledText is the text of n / 10^scale without superfluous zeros.
func unscaledText(n *big.Int, scale int) string {
	digits, sign := n.String(), ""
	if digits[0] == '-' {
		digits, sign = digits[1:], "-"
	}
	if len(digits) <= scale {
		digits = strings.Repeat("0", scale-len(digits)+1) + digits
	}
	whole, fraction := digits[:len(digits)-scale], strings.TrimRight(digits[len(digits)-scale:], "0")
	if fraction == "" {
		return sign + whole
	}
	return sign + whole + "." + fraction
}

// SameStored reports whether a value that DataFile.Scan returns for a native column of a kind is
// the value that fields_json has.
func SameStored(kind ColumnKind, got, stored Value) bool {
	switch {
	case got.IsNull() || stored.IsNull():
		return got.IsNull() && stored.IsNull()
	case kind == KindJSON:
		return string(got.Append(nil, Canonical)) == string(stored.Append(nil, Canonical))
	case stored.Kind() != JSONString:
		return false
	}
	precision, scale, decimal := kind.Decimal()
	if !decimal {
		return got.Text() == stored.Text()
	}
	high, low, ok := scaledDecimal([]byte(stored.Text()), precision, scale)
	gotHigh, gotLow, _ := scaledDecimal([]byte(got.Text()), precision, scale)
	return ok && high == gotHigh && low == gotLow
}
