package format

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// admitsScalar checks a scalar against a rule, with pydantic's conversions of what json.loads
// returns. Texts of dates and datetimes are checked roughly, because SQL has types for them.
func (r *Rule) admitsScalar(v Value) bool {
	number := v.kind == JSONInt || v.kind == JSONFloat && isFinite(v.num)
	switch r.shape {
	case shapeNone:
		return v.kind == JSONNull
	case shapeStr, shapeBytes:
		return v.kind == JSONString
	case shapeBool:
		return admitsBool(v)
	case shapeInt:
		return admitsInt(v)
	case shapeFloat:
		return admitsFloat(v)
	case shapeDecimal:
		return number || v.kind == JSONString && decimalLike(v.text)
	case shapeDatetime, shapeDate:
		return number || v.kind == JSONString && datetimeLike(v.text)
	case shapeUUID:
		return v.kind == JSONString && uuidLike(v.text)
	case shapeLiteral:
		return slices.ContainsFunc(r.values, func(of Value) bool { return of.Equal(v) })
	}
	return true
}

func isFinite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }

func admitsBool(v Value) bool {
	switch v.kind {
	case JSONBool:
		return true
	case JSONInt:
		return v.text == "0" || v.text == "1"
	case JSONFloat:
		return v.num == 0 || v.num == 1
	case JSONString:
		switch strings.ToLower(v.text) {
		case "0", "off", "f", "false", "n", "no", "1", "on", "t", "true", "y", "yes":
			return true
		}
	}
	return false
}

func admitsInt(v Value) bool {
	switch v.kind {
	case JSONBool, JSONInt:
		return true
	case JSONFloat:
		return v.num == math.Trunc(v.num) && math.Abs(v.num) < 1<<63
	case JSONString:
		return integerLike(v.text)
	}
	return false
}

func admitsFloat(v Value) bool {
	switch v.kind {
	case JSONBool, JSONFloat:
		return true
	case JSONInt:
		const safe = 300 // every integer of fewer digits is in the range of a double
		if len(v.text) < safe {
			return true
		}
		_, err := strconv.ParseFloat(v.text, 64)
		return err == nil
	case JSONString:
		return floatLike(v.text)
	}
	return false
}

// integerLike reports whether s is an integer for pydantic: an optional sign, digits with single
// underscores between them, and an optional fraction of zeros, surrounded by optional space.
func integerLike(s string) bool {
	s = strings.TrimSpace(s)
	whole, fraction, hasFraction := strings.Cut(unsigned(s), ".")
	if hasFraction && (fraction == "" || strings.Trim(fraction, "0") != "") {
		return false
	}
	return singleUnderscores(whole) && strings.Trim(whole, "0123456789_") == ""
}

// unsigned returns s without its first sign.
func unsigned(s string) string {
	if s != "" && (s[0] == '+' || s[0] == '-') {
		return s[1:]
	}
	return s
}

// singleUnderscores reports whether s is not empty and has single underscores only between
// other characters.
func singleUnderscores(s string) bool {
	return s != "" && s[0] != '_' && s[len(s)-1] != '_' && !strings.Contains(s, "__")
}

// floatLike reports whether Python's float accepts s.
func floatLike(s string) bool {
	s = strings.TrimSpace(s)
	if !singleUnderscores(s) {
		return false
	}
	return floatNumeral(s) || slices.Contains([]string{"nan", "inf", "infinity"}, strings.ToLower(unsigned(s)))
}

func floatNumeral(s string) bool {
	s = unsigned(strings.ReplaceAll(s, "_", ""))
	if s == "" || s[0] == '+' || s[0] == '-' || strings.Trim(s, "0123456789.eE+-") != "" {
		return false
	}
	f, err := strconv.ParseFloat(s, 64)
	return err == nil || math.IsInf(f, 0) // a number that is too large becomes infinity
}

// decimalLike reports whether Python's Decimal accepts s. NaN and the infinities are excluded,
// because pydantic rejects them. Text that is not ASCII is accepted, because Decimal accepts the
// digits of all scripts.
func decimalLike(s string) bool {
	return !isASCII(s) && strings.TrimSpace(s) != "" && !isASCII(strings.TrimSpace(s)) || floatNumeral(strings.TrimSpace(s))
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// datetimeLike reports whether s has only digits and the separators of dates, times and numbers.
func datetimeLike(s string) bool {
	return strings.ContainsAny(s, "0123456789") && strings.Trim(s, "0123456789+-.,:_ TtZz\u2212") == ""
}

func uuidLike(s string) bool {
	if rest, ok := strings.CutPrefix(s, "urn:uuid:"); ok {
		s = rest
	} else if strings.HasPrefix(s, "{") && strings.HasSuffix(s, "}") {
		s = s[1 : len(s)-1]
	}
	_, err := ParseUUID(s)
	return err == nil
}
