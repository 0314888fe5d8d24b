package format

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Values of Python types without a JSON form, which the original cannot store, are JSON strings in
// fields_json (decision A17). The functions in this file format and parse these strings.

// ErrOutOfRange means that the value has no stored form, such as a year after 9999.
var ErrOutOfRange = errors.New("value out of range")

// Bounds of a datetime and of a date: the years 1 to 9999, as in Python.
var (
	minDatetime = time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()
	maxDatetime = time.Date(9999, 12, 31, 23, 59, 59, 999_999_000, time.UTC).UnixMicro()
)

const (
	microsPerDay  = 86_400_000_000
	secondsPerDay = 86_400
)

// FormatDatetime formats a timestamp, given in microseconds since 1970-01-01 00:00:00 UTC, as Time
// does. The error is ErrOutOfRange.
func FormatDatetime(micros int64) (string, error) {
	text, err := AppendDatetime(nil, micros)
	return string(text), err
}

// AppendDatetime appends the result of FormatDatetime.
func AppendDatetime(dst []byte, micros int64) ([]byte, error) {
	if micros < minDatetime || micros > maxDatetime {
		return dst, fmt.Errorf("datetime: %w", ErrOutOfRange)
	}
	return appendTimestamp(dst, micros), nil
}

// ParseDatetime accepts the texts that ParseTime accepts.
func ParseDatetime(s string) (micros int64, err error) {
	t, err := ParseTime(s)
	if err != nil {
		return 0, err
	}
	return t.UnixMicro(), nil
}

// FormatDate formats a date, given in days since 1970-01-01: "2026-02-10". The error is
// ErrOutOfRange.
func FormatDate(days int32) (string, error) {
	if micros := int64(days) * microsPerDay; micros < minDatetime || micros > maxDatetime {
		return "", fmt.Errorf("date: %w", ErrOutOfRange)
	}
	return time.Unix(int64(days)*secondsPerDay, 0).UTC().Format(time.DateOnly), nil
}

// ParseDate accepts only the form of FormatDate.
func ParseDate(s string) (days int32, err error) {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		return 0, fmt.Errorf("%q is not a date of the form 2006-01-02", s)
	}
	return int32(t.Unix() / secondsPerDay), nil
}

// FormatUUID formats a UUID in lower case with dashes.
func FormatUUID(id [16]byte) string {
	var b [36]byte
	hex.Encode(b[0:8], id[0:4])
	hex.Encode(b[9:13], id[4:6])
	hex.Encode(b[14:18], id[6:8])
	hex.Encode(b[19:23], id[8:10])
	hex.Encode(b[24:36], id[10:16])
	b[8], b[13], b[18], b[23] = '-', '-', '-', '-'
	return string(b[:])
}

// ParseUUID accepts 32 hexadecimal digits with or without dashes.
func ParseUUID(s string) (id [16]byte, err error) {
	digits := strings.ReplaceAll(s, "-", "")
	if n, err := hex.Decode(id[:], []byte(digits[:min(len(digits), 32)])); err != nil || n != 16 || len(digits) != 32 {
		return [16]byte{}, fmt.Errorf("%q is not a UUID", s)
	}
	return id, nil
}

// The maximum number of digits after and before the decimal point: DECIMAL(38,12).
const (
	DecimalScale       = 12
	decimalWholeDigits = 38 - DecimalScale
)

// FormatDecimal returns the stored text of a number, which may have an exponent: plain digits
// without leading or trailing zeros, no point without a digit after it, "0" without a sign. A number
// that DECIMAL(38,12) cannot represent exactly is ErrOutOfRange, because stored numbers are never
// rounded.
func FormatDecimal(s string) (string, error) {
	n, err := parseDecimal(s)
	if err != nil {
		return "", err
	}
	if n.digits == "" {
		return "0", nil
	}
	whole, fraction := "0", ""
	switch point := len(n.digits) + n.exponent; {
	case point > decimalWholeDigits || -n.exponent > DecimalScale:
		return "", fmt.Errorf("decimal %q: %w", s, ErrOutOfRange)
	case n.exponent >= 0:
		whole = n.digits + strings.Repeat("0", n.exponent)
	case point > 0:
		whole, fraction = n.digits[:point], n.digits[point:]
	default:
		fraction = strings.Repeat("0", -point) + n.digits
	}
	text := n.sign + whole
	if fraction != "" {
		text += "." + fraction
	}
	return text, nil
}

// decimal is a sign, digits without leading or trailing zeros, and a power of ten.
type decimal struct {
	sign     string
	digits   string
	exponent int
}

func parseDecimal(s string) (decimal, error) {
	bad := fmt.Errorf("%q is not a decimal number", s)
	var n decimal
	rest := s
	if r, ok := strings.CutPrefix(rest, "-"); ok {
		n.sign, rest = "-", r
	} else {
		rest = strings.TrimPrefix(rest, "+")
	}
	mantissa, exponent, hasExponent := strings.Cut(strings.ToLower(rest), "e")
	if hasExponent {
		if _, err := fmt.Sscanf(exponent, "%d", &n.exponent); err != nil || n.exponent > 1000 || n.exponent < -1000 {
			return decimal{}, bad
		}
		if strings.Trim(exponent[1:], "0123456789") != "" {
			return decimal{}, bad
		}
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	n.digits = whole + fraction
	if n.digits == "" || strings.Trim(n.digits, "0123456789") != "" {
		return decimal{}, bad
	}
	n.exponent -= len(fraction)
	n.digits = strings.TrimLeft(n.digits, "0")
	trimmed := strings.TrimRight(n.digits, "0")
	n.exponent += len(n.digits) - len(trimmed)
	n.digits = trimmed
	return n, nil
}

// FormatBytes encodes bytes as base64 with padding.
func FormatBytes(b []byte) string { return base64.StdEncoding.EncodeToString(b) }

// ParseBytes decodes the form of FormatBytes.
func ParseBytes(s string) ([]byte, error) {
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		return nil, fmt.Errorf("bytes: %w", err)
	}
	return b, nil
}
