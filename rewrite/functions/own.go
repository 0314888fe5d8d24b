package functions

import (
	"github.com/ontosql/ontosql/rewrite/types"
)

// Enqueue is the function that sends an event with the transaction. The engine calls it for each row.
const Enqueue = "ontosql.enqueue"

// Own are the functions of the schema ontosql. They are found with
// their schema only, as PostgreSQL finds what search_path does not name, and
// the session answers them.
var Own = map[string][]Signature{
	Enqueue: {
		{Name: Enqueue, Args: []uint32{types.Text, types.JSONB}, Result: types.UUID},
		{Name: Enqueue, Args: []uint32{types.Text, types.JSONB, types.Text}, Result: types.UUID},
		{Name: Enqueue, Args: []uint32{types.Text, types.JSONB, types.Text, types.Int4}, Result: types.UUID},
		{Name: Enqueue, Args: []uint32{types.Text, types.JSONB, types.Text, types.Int4, types.UUID}, Result: types.UUID},
	},
	"ontosql.commit_outcome": {{Name: "ontosql.commit_outcome", Args: []uint32{types.Text}, Result: types.Text}},
}
