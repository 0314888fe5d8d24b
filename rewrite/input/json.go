package input

import (
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/jsonb"
	"github.com/ontosql/ontosql/rewrite/types"
)

// jsonInput reads the text of a json or jsonb value. Only jsonb looks into the
// escapes of strings.
func jsonInput(s string, to types.Type) (string, *pgerr.Error) {
	if err := jsonb.SyntaxError(s, to.OID == types.JSONB); err != nil {
		return "", err
	}
	if to.OID == types.JSONB {
		s = jsonb.UniqueKeys(s)
	}
	return s, nil
}
