package rewrite

import (
	"github.com/ontosql/ontosql/rewrite/types"
)

// ownFunctions are the functions of the schema ontosql. They are found with
// their schema only, as PostgreSQL finds what search_path does not name, and
// the session answers them.
var ownFunctions = map[string][]signature{
	"ontosql.commit_outcome": {{name: "ontosql.commit_outcome", args: []uint32{types.Text}, ret: types.Text}},
}
