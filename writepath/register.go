package writepath

import (
	"context"
	"slices"
	"time"

	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/format"
)

// FirstVersion is the schema version id of a type that was never migrated.
const FirstVersion = migration.FirstVersion

// Register commits the schemas of new types (decision A13): the commit has the complete new
// schema, and the versions, types and registry are then written for the original. at is Tx.At.
// Errors are those of migration.State.Create and of Commit.
func (c *Committer) Register(ctx context.Context, at time.Time, schemas []format.Schema) (Outcome, error) {
	// Entities precede the relations that link them.
	ordered := slices.SortedStableFunc(slices.Values(schemas), func(a, b format.Schema) int { return a.Ref.Compare(b.Ref) })
	return c.Commit(ctx, Tx{At: at, Schema: func(state *migration.State) error {
		for i := range ordered {
			if err := state.Create(&ordered[i], format.Extras{}); err != nil {
				return err
			}
		}
		return nil
	}})
}
