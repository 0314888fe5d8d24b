package charset

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/ontosql/ontosql/pgerr"
)

// Check refuses what PostgreSQL refuses of every text from a client in a
// UTF8 database: bytes that are no UTF-8, and NUL.
func Check(b []byte) error {
	if utf8.Valid(b) && bytes.IndexByte(b, 0) < 0 {
		return nil
	}
	bad := ValidLength(b)
	// PostgreSQL prints as many bytes as the lead byte promises.
	return errBadBytes("UTF8", b[bad:min(len(b), bad+promised(b[bad]))])
}

// ValidLength is the length of the valid UTF-8 without NUL at the beginning of b.
func ValidLength(b []byte) int {
	for i := 0; i < len(b); {
		r, size := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && size == 1 || r == 0 {
			return i
		}
		i += size
	}
	return len(b)
}

func errBadBytes(encoding string, b []byte) *pgerr.Error {
	return pgerr.New(pgerr.CharacterNotInRepertoire, `invalid byte sequence for encoding "%s": %s`, encoding, byteList(b))
}

// byteList is how PostgreSQL prints bytes that are no text: 0xe2 0x82.
func byteList(b []byte) string {
	var list []string
	for _, c := range b {
		list = append(list, fmt.Sprintf("0x%02x", c))
	}
	return strings.Join(list, " ")
}

// promised is the length of the UTF-8 sequence that begins with c.
func promised(c byte) int {
	switch {
	case c&0xe0 == 0xc0:
		return 2
	case c&0xf0 == 0xe0:
		return 3
	case c&0xf8 == 0xf0:
		return 4
	}
	return 1
}
