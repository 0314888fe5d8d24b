package nameservice

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"

	"github.com/ontosql/ontosql/format"
)

// ErrPayload: a value cannot be written, because its payload is not one that every store can keep, or
// its watermark is not positive. It says nothing about the record.
var ErrPayload = errors.New("not a value of a concern")

// checkValue reports whether a value can be stored. A status must have a payload.
func checkValue(c Concern, v Value) error {
	switch text := bytes.TrimSpace(v.Payload); {
	case v.V <= 0:
		return fmt.Errorf("%w: %s %d is not positive", ErrPayload, c.Watermark(), v.V)
	case isNull(text) && c == Status:
		return fmt.Errorf("%w: status is null", ErrPayload)
	case isNull(text):
		return nil
	case !json.Valid(text) || text[0] != '{':
		return fmt.Errorf("%w: %s is not a JSON object", ErrPayload, c)
	}
	canonical, err := format.Canonicalize(v.Payload)
	if err != nil {
		return fmt.Errorf("%w: %s: %w", ErrPayload, c, err)
	}
	if !format.StrictJSON(canonical) {
		return fmt.Errorf("%w: %s has U+0000 or a lone surrogate", ErrPayload, c)
	}
	return nil
}

func isNull(text json.RawMessage) bool {
	text = bytes.TrimSpace(text)
	return len(text) == 0 || string(text) == "null"
}

// compact returns a payload without blanks between its tokens, nil for null. The text must be valid.
func compact(text json.RawMessage) json.RawMessage {
	if isNull(text) {
		return nil
	}
	var b bytes.Buffer
	_ = json.Compact(&b, text) // the text is valid
	return b.Bytes()
}

// EqualPayloads reports whether two payloads have equal values: the order of members does not count,
// and numbers are compared by their exact value, however they are written. A text that is not JSON
// equals nothing. nil is null.
func EqualPayloads(a, b json.RawMessage) bool {
	if isNull(a) || isNull(b) {
		return isNull(a) && isNull(b)
	}
	x, err := decodeAny(a)
	if err != nil {
		return false
	}
	y, err := decodeAny(b)
	return err == nil && equalAny(x, y)
}

func decodeAny(text json.RawMessage) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}

func equalAny(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for name, x := range a {
			y, present := b[name]
			if !present || !equalAny(x, y) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i, x := range a {
			if !equalAny(x, b[i]) {
				return false
			}
		}
		return true
	case json.Number:
		b, ok := b.(json.Number)
		return ok && (a == b || numeral(a) == numeral(b))
	}
	return a == b
}

// numeral is a number as its digits without zeros at either end, and the power of ten of the last
// digit, so that equal numbers have equal texts. It needs no more room than the number itself,
// however great the exponent is.
func numeral(n json.Number) string {
	text, negative := strings.CutPrefix(string(n), "-")
	mantissa, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	power, ok := new(big.Int).SetString(strings.TrimPrefix(exponent, "+"), 10)
	if !ok {
		power = new(big.Int)
	}
	all := whole + fraction
	digits := strings.TrimRight(all, "0")
	power.Add(power, big.NewInt(int64(len(all)-len(digits)-len(fraction))))
	if digits = strings.TrimLeft(digits, "0"); digits == "" {
		return "0"
	}
	sign := ""
	if negative {
		sign = "-"
	}
	return sign + digits + "e" + power.String()
}
