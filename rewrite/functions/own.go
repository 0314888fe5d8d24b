package functions

import (
	"github.com/ontosql/ontosql/rewrite/types"
)

// Own are the functions of the schema ontosql. They are found with
// their schema only, as PostgreSQL finds what search_path does not name, and
// the session answers them.
var Own = map[string][]Signature{
	"ontosql.commit_outcome": {{Name: "ontosql.commit_outcome", Args: []uint32{types.Text}, Result: types.Text}},
}
