package pgfunc

import (
	"crypto/md5" //nolint:gosec // the function a client asks for
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/ontosql/ontosql/pgerr"
)

// bytesFunctions work on strings of bytes.
var bytesFunctions = []Function{
	digest("ontosql_sha224", func(b []byte) []byte { s := sha256.Sum224(b); return s[:] }),
	digest("ontosql_sha256", func(b []byte) []byte { s := sha256.Sum256(b); return s[:] }),
	digest("ontosql_sha384", func(b []byte) []byte { s := sha512.Sum384(b); return s[:] }),
	digest("ontosql_sha512", func(b []byte) []byte { s := sha512.Sum512(b); return s[:] }),
	{Name: "ontosql_md5", Args: []Kind{Bytes}, Result: Text, New: plain(func(a []Value) (Value, error) {
		s := md5.Sum([]byte(a[0].Text)) //nolint:gosec // the function a client asks for
		return text(hex.EncodeToString(s[:])), nil
	})},
	{Name: "ontosql_encode", Args: []Kind{Bytes, Text}, Result: Text, New: plain(encodeBytes)},
}

func digest(name string, sum func([]byte) []byte) Function {
	return Function{Name: name, Args: []Kind{Bytes}, Result: Bytes, New: plain(func(a []Value) (Value, error) {
		return text(string(sum([]byte(a[0].Text)))), nil
	})}
}

// encodeBytes is encode: base64 in lines of 76 characters, escapes for zero, the
// backslash and bytes of the upper half.
func encodeBytes(a []Value) (Value, error) {
	b := []byte(a[0].Text)
	switch strings.ToLower(a[1].Text) {
	case "hex":
		return text(hex.EncodeToString(b)), nil
	case "base64":
		s := base64.StdEncoding.EncodeToString(b)
		var out strings.Builder
		for ; len(s) >= 76; s = s[76:] {
			out.WriteString(s[:76] + "\n")
		}
		return text(out.String() + s), nil
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
		return text(out.String()), nil
	}
	return null, pgerr.New(pgerr.InvalidParameterValue, "unrecognized encoding: %q", a[1].Text)
}
