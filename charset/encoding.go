// Package charset is the room of the character sets that clients may have: it
// translates their texts to UTF-8, in which the server has all of them, and back, with
// the tables, the names and the errors of PostgreSQL (its manual, 24.3).
package charset

import (
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/ontosql/ontosql/pgerr"
)

// Encoding is a character set of clients in which each byte is a character, those of
// ASCII below 0x80. Inside of the server all text is UTF-8; it is translated on its way
// in and out. A nil *Encoding is UTF8: texts are only checked.
type Encoding struct {
	Name  string // PostgreSQL's: LATIN1
	upper [128]rune
	bytes map[rune]byte
}

// Find finds an encoding by one of PostgreSQL's names, ignoring case and punctuation. canonical
// is the name that PostgreSQL shows, "" for an unknown encoding. translated is false for an
// encoding that this program cannot convert. SQL_ASCII is treated as UTF8, as in a UTF8
// database of PostgreSQL.
func Find(name string) (canonical string, e *Encoding, translated bool) {
	plain := plainName(name)
	if alias, ok := aliases[plain]; ok {
		plain = plainName(alias)
	}
	for _, known := range Names {
		if plain == plainName(known) {
			e := allEncodings()[plain]
			return known, e, e != nil || known == "UTF8" || known == "SQL_ASCII"
		}
	}
	return "", nil, false
}

// plainName is clean_encoding_name of PostgreSQL.
func plainName(name string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c >= 'A' && c <= 'Z':
			return c + 'a' - 'A'
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
			return c
		}
		return -1
	}, name)
}

var allEncodings = sync.OnceValue(func() map[string]*Encoding {
	all := map[string]*Encoding{}
	for _, s := range singleBytes {
		e := &Encoding{Name: s.name, bytes: map[rune]byte{}}
		for i, c := range []rune(s.upper) {
			e.upper[i] = c
			if c != utf8.RuneError {
				e.bytes[c] = byte(0x80 + i)
			}
		}
		all[plainName(s.name)] = e
	}
	return all
})

// Decode is a client's text in UTF-8. It is text itself where that is the same.
func (e *Encoding) Decode(text []byte) ([]byte, error) {
	if e == nil {
		return text, Check(text)
	}
	if IsPlain(text) {
		return text, nil
	}
	out, read := e.AppendUTF8(make([]byte, 0, len(text)+len(text)/2), text)
	if read < len(text) {
		return nil, e.Refuse(text[read])
	}
	return out, nil
}

// DecodeString is read.
func (e *Encoding) DecodeString(text string) (string, error) {
	if e == nil {
		return text, Check([]byte(text))
	}
	out, err := e.Decode([]byte(text))
	return string(out), err
}

// AppendUTF8 appends the UTF-8 of a client's text up to the first invalid byte, and returns the
// number of bytes read.
func (e *Encoding) AppendUTF8(dst, text []byte) (out []byte, read int) {
	for i, c := range text {
		switch {
		case c == 0:
			return dst, i
		case c < utf8.RuneSelf:
			dst = append(dst, c)
		case e.upper[c-0x80] == utf8.RuneError:
			return dst, i
		default:
			dst = utf8.AppendRune(dst, e.upper[c-0x80])
		}
	}
	return dst, len(text)
}

// Refuse is the error of a byte that is no character.
func (e *Encoding) Refuse(c byte) *pgerr.Error {
	if c == 0 {
		return errBadBytes(e.Name, []byte{c})
	}
	return errNoEquivalent([]byte{c}, e.Name, "UTF8")
}

// Encode is a text of the server as the client has it. It is text itself where that is
// the same.
func (e *Encoding) Encode(text []byte) ([]byte, error) {
	if e == nil || IsPlain(text) {
		return text, nil
	}
	out, read := e.Append(make([]byte, 0, len(text)), text)
	if read < len(text) {
		return nil, e.Lacks(text[read:])
	}
	return out, nil
}

// EncodeString is write.
func (e *Encoding) EncodeString(text string) (string, error) {
	if e == nil {
		return text, nil
	}
	out, err := e.Encode([]byte(text))
	return string(out), err
}

// Append appends what a text in UTF-8 is in the encoding, up to a character that it
// lacks, and says how many bytes it has read. It writes no further than it has read, so
// that dst may be the beginning of the text's own memory.
func (e *Encoding) Append(dst, text []byte) (out []byte, read int) {
	for read < len(text) {
		r, size := utf8.DecodeRune(text[read:])
		c, ok := e.bytes[r]
		switch {
		case r < utf8.RuneSelf:
			c = byte(r)
		case !ok:
			return dst, read
		}
		dst = append(dst, c)
		read += size
	}
	return dst, read
}

// Lacks is the error of the character that a text begins with.
func (e *Encoding) Lacks(text []byte) *pgerr.Error {
	_, size := utf8.DecodeRune(text)
	return errNoEquivalent(text[:size], "UTF8", e.Name)
}

// IsPlain tells that a text is ASCII without NUL, the same in all encodings.
func IsPlain(text []byte) bool {
	for _, c := range text {
		if c >= utf8.RuneSelf || c == 0 {
			return false
		}
	}
	return true
}

func errNoEquivalent(character []byte, from, to string) *pgerr.Error {
	return pgerr.New(pgerr.UntranslatableCharacter, `character with byte sequence %s in encoding "%s" has no equivalent in encoding "%s"`,
		byteList(character), from, to)
}
