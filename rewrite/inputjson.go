package rewrite

import (
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc"
)

// jsonInput reads the text of a json or jsonb value. Only jsonb looks into the
// escapes of strings.
func jsonInput(s string, to typ) (string, *pgerr.Error) {
	if err := pgfunc.JSONFault(s, to.oid == jsonbOID); err != nil {
		return "", err
	}
	if to.oid == jsonbOID {
		s = pgfunc.LastNamed(s)
	}
	return s, nil
}
