package str

import (
	"crypto/md5" //nolint:gosec // the function a client asks for
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/fmgr"
)

// bytesFunctions work on strings of bytes.
var bytesFunctions = []fmgr.Function{
	digest("ontosql_sha224", func(b []byte) []byte { s := sha256.Sum224(b); return s[:] }),
	digest("ontosql_sha256", func(b []byte) []byte { s := sha256.Sum256(b); return s[:] }),
	digest("ontosql_sha384", func(b []byte) []byte { s := sha512.Sum384(b); return s[:] }),
	digest("ontosql_sha512", func(b []byte) []byte { s := sha512.Sum512(b); return s[:] }),
	{Name: "ontosql_md5", Args: []fmgr.Kind{fmgr.Bytes}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		s := md5.Sum([]byte(a[0].Text)) //nolint:gosec // the function a client asks for
		return fmgr.TextValue(hex.EncodeToString(s[:])), nil
	})},
	{Name: "ontosql_encode", Args: []fmgr.Kind{fmgr.Bytes, fmgr.Text}, Result: fmgr.Text, New: fmgr.Stateless(encodeBytes)},
	{Name: "ontosql_decode", Args: []fmgr.Kind{fmgr.Text, fmgr.Text}, Result: fmgr.Bytes, New: fmgr.Stateless(decodeText)},
}

func digest(name string, sum func([]byte) []byte) fmgr.Function {
	return fmgr.Function{Name: name, Args: []fmgr.Kind{fmgr.Bytes}, Result: fmgr.Bytes, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		return fmgr.TextValue(string(sum([]byte(a[0].Text)))), nil
	})}
}

// encodeBytes is encode: base64 in lines of 76 characters, escapes for zero, the
// backslash and bytes of the upper half.
func encodeBytes(a []fmgr.Value) (fmgr.Value, error) {
	b := []byte(a[0].Text)
	switch strings.ToLower(a[1].Text) {
	case "hex":
		return fmgr.TextValue(hex.EncodeToString(b)), nil
	case "base64":
		s := base64.StdEncoding.EncodeToString(b)
		var out strings.Builder
		for ; len(s) >= 76; s = s[76:] {
			out.WriteString(s[:76] + "\n")
		}
		return fmgr.TextValue(out.String() + s), nil
	case "escape":
		var out strings.Builder
		for _, c := range b {
			switch {
			case c == 0 || c >= 0x80:
				fmt.Fprintf(&out, `\%03o`, c)
			case c == '\\':
				out.WriteString(`\\`)
			default:
				out.WriteByte(c)
			}
		}
		return fmgr.TextValue(out.String()), nil
	}
	return fmgr.Null, unknownEncoding(a[1].Text)
}

func unknownEncoding(name string) error {
	return fmgr.InvalidParameter("unrecognized encoding: %q", name)
}

// decodeText is decode.
func decodeText(a []fmgr.Value) (fmgr.Value, error) {
	var b []byte
	var err error
	switch strings.ToLower(a[1].Text) {
	case "hex":
		b, err = DecodeHex(a[0].Text)
	case "base64":
		b, err = decodeBase64(a[0].Text)
	case "escape":
		b, err = DecodeEscaped(a[0].Text)
	default:
		err = unknownEncoding(a[1].Text)
	}
	return fmgr.TextValue(string(b)), err
}

// DecodeHex reads pairs of hexadecimal digits, between which blanks may stand; 22023
// for anything else.
func DecodeHex(s string) (data []byte, err error) {
	for s != "" {
		if isBlank(s[0]) {
			s = s[1:]
			continue
		}
		var b byte
		for range 2 {
			if s == "" {
				return nil, fmgr.InvalidParameter("invalid hexadecimal data: odd number of digits")
			}
			digit := strings.IndexByte("0123456789abcdef", s[0]|0x20)
			if digit < 0 || s[0] < '0' {
				return nil, fmgr.InvalidParameter("invalid hexadecimal digit: \"%s\"", firstCharacter(s))
			}
			b, s = b<<4|byte(digit), s[1:]
		}
		data = append(data, b)
	}
	return data, nil
}

func isBlank(c byte) bool { return strings.IndexByte(" \n\t\r", c) >= 0 }

func firstCharacter(s string) string {
	_, size := utf8.DecodeRuneInString(s)
	return s[:size]
}

// octal is a byte in the escape format.
var octal = regexp.MustCompile(`^\\[0-3][0-7][0-7]`)

// DecodeEscaped reads the escape format of bytes (PostgreSQL manual 8.4.2); 22P02 for a
// backslash that escapes nothing.
func DecodeEscaped(s string) (data []byte, err error) {
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

// decodeBase64 reads digits of base64, with blanks anywhere (pg_base64_decode in PostgreSQL's
// encode.c). Characters after a "=" count as digits.
func decodeBase64(s string) (data []byte, err error) {
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	group, held, bytes := 0, 0, 3 // six bits each, how many of them, and how many bytes a group has
	for i := range len(s) {
		digit := strings.IndexByte(digits, s[i])
		switch {
		case isBlank(s[i]):
			continue
		case s[i] == '=' && bytes < 3:
			digit = 0
		case s[i] == '=' && held >= 2:
			digit, bytes = 0, held-1
		case s[i] == '=':
			return nil, fmgr.InvalidParameter(`unexpected "=" while decoding base64 sequence`)
		case digit < 0:
			return nil, fmgr.InvalidParameter("invalid symbol \"%s\" found while decoding base64 sequence", firstCharacter(s[i:]))
		}
		if group, held = group<<6|digit, held+1; held == 4 {
			data = append(data, []byte{byte(group >> 16), byte(group >> 8), byte(group)}[:bytes]...)
			group, held = 0, 0
		}
	}
	if held > 0 {
		return nil, pgerr.New(pgerr.InvalidParameterValue, "invalid base64 end sequence").
			WithHint("Input data is missing padding, is truncated, or is otherwise corrupted.")
	}
	return data, nil
}
