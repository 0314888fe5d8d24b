package input

import (
	"encoding/hex"
	"errors"
	"regexp"
	"strings"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/str"
	"github.com/ontosql/ontosql/rewrite/types"
)

// bytesInput reads the text of a bytea: hexadecimal digits behind \x, or the
// escape format (PostgreSQL manual 8.4).
func bytesInput(s string) (string, *pgerr.Error) {
	decode := str.DecodeEscaped
	if digits, ok := strings.CutPrefix(s, `\x`); ok {
		decode, s = str.DecodeHex, digits
	}
	data, err := decode(s)
	if err != nil {
		return "", asInputError(err)
	}
	return `\x` + hex.EncodeToString(data), nil
}

// asInputError is an error of a function that reads a value.
func asInputError(err error) *pgerr.Error {
	var e *pgerr.Error
	errors.As(err, &e) // they return no other
	return e
}

// uuidText is what PostgreSQL takes for a uuid: a hyphen may stand after each
// group of four digits, braces around the whole.
var uuidText = regexp.MustCompile(`^(?:[0-9a-fA-F]{4}-?){7}[0-9a-fA-F]{4}$`)

func uuidInput(s string, to types.Type) (string, *pgerr.Error) {
	text := s
	if strings.HasPrefix(s, "{") && strings.HasSuffix(s, "}") {
		text = s[1 : len(s)-1]
	}
	if !uuidText.MatchString(text) {
		return "", badText(to, s)
	}
	d := strings.ToLower(strings.ReplaceAll(text, "-", ""))
	return strings.Join([]string{d[:8], d[8:12], d[12:16], d[16:20], d[20:]}, "-"), nil
}
