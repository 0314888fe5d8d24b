package rewrite

import (
	"encoding/json"
	"regexp"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc"
)

// escapedNUL is the escape of the character that no text of PostgreSQL has,
// behind an even number of backslashes.
var escapedNUL = regexp.MustCompile(`(?:^|[^\\])(?:\\\\)*\\u0000`)

// jsonInput reads the text of a json or jsonb value. Only jsonb looks into the
// escapes of strings.
func jsonInput(s string, to typ) (string, *pgerr.Error) {
	if !json.Valid([]byte(s)) {
		return "", pgerr.New(pgerr.InvalidTextRepresentation, "invalid input syntax for type json")
	}
	if to.oid == jsonbOID && escapedNUL.MatchString(s) {
		return "", pgerr.New(pgerr.UntranslatableCharacter, "unsupported Unicode escape sequence").
			WithDetail(`\u0000 cannot be converted to text.`)
	}
	if to.oid == jsonbOID {
		s = pgfunc.LastNamed(s)
	}
	return s, nil
}
