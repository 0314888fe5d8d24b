package rewrite

import (
	"encoding/hex"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/ontosql/ontosql/pgerr"
)

// bytesInput reads the text of a bytea: hexadecimal digits behind \x, or the
// escape format (PostgreSQL manual 8.4).
func bytesInput(s string) (string, *pgerr.Error) {
	data, err := []byte(nil), (*pgerr.Error)(nil)
	if digits, ok := strings.CutPrefix(s, `\x`); ok {
		data, err = hexBytes(digits)
	} else {
		data, err = escapedBytes(s)
	}
	if err != nil {
		return "", err
	}
	return `\x` + hex.EncodeToString(data), nil
}

// hexBytes reads pairs of hexadecimal digits; blanks may stand between pairs.
func hexBytes(s string) (data []byte, err *pgerr.Error) {
	for s != "" {
		if strings.IndexByte(" \n\t\r", s[0]) >= 0 {
			s = s[1:]
			continue
		}
		var b byte
		for range 2 {
			if s == "" {
				return nil, pgerr.New(pgerr.InvalidParameterValue, "invalid hexadecimal data: odd number of digits")
			}
			digit := strings.IndexByte("0123456789abcdef", s[0]|0x20)
			if digit < 0 || s[0] < '0' {
				_, size := utf8.DecodeRuneInString(s)
				return nil, pgerr.New(pgerr.InvalidParameterValue, "invalid hexadecimal digit: \"%s\"", s[:size])
			}
			b, s = b<<4|byte(digit), s[1:]
		}
		data = append(data, b)
	}
	return data, nil
}

// octal is a byte in the escape format.
var octal = regexp.MustCompile(`^\\[0-3][0-7][0-7]`)

func escapedBytes(s string) (data []byte, err *pgerr.Error) {
	for s != "" {
		switch {
		case s[0] != '\\':
			data, s = append(data, s[0]), s[1:]
		case strings.HasPrefix(s, `\\`):
			data, s = append(data, '\\'), s[2:]
		case octal.MatchString(s):
			data, s = append(data, (s[1]-'0')<<6|(s[2]-'0')<<3|(s[3]-'0')), s[4:]
		default:
			return nil, pgerr.New(pgerr.InvalidTextRepresentation, "invalid input syntax for type bytea")
		}
	}
	return data, nil
}

// uuidText is what PostgreSQL takes for a uuid: a hyphen may stand after each
// group of four digits, braces around the whole.
var uuidText = regexp.MustCompile(`^(?:[0-9a-fA-F]{4}-?){7}[0-9a-fA-F]{4}$`)

func uuidInput(s string, to typ) (string, *pgerr.Error) {
	text := s
	if strings.HasPrefix(s, "{") && strings.HasSuffix(s, "}") {
		text = s[1 : len(s)-1]
	}
	if !uuidText.MatchString(text) {
		return "", badText(to, s)
	}
	d := lower(strings.ReplaceAll(text, "-", ""))
	return strings.Join([]string{d[:8], d[8:12], d[12:16], d[16:20], d[20:]}, "-"), nil
}
