package modify

import (
	"context"
	"fmt"

	"github.com/ontosql/ontosql/rewrite/syntax"
)

// settleParts decides about the rows that another part of the same statement has written
// before, which the query of the rows did not see. Of several changes of a row the first
// counts, as in PostgreSQL; ON CONFLICT and MERGE refuse the second. It returns how many of the n
// changes are left.
func (c *Changes) settleParts(ctx context.Context, n int64) (int64, error) {
	w := c.Write
	if !w.Scoped.Matches {
		return n, nil
	}
	others := w.Table.Heap.Ended(c.Session.Tables.IDs())
	if w.Kind == syntax.Insert {
		others = w.Table.Heap.Unseen(c.Snapshot) // relation.Relation.Newest
	}
	if others == "" {
		return n, nil
	}
	changed := fmt.Sprintf("FROM %s WHERE %s IN (%s)", c.Name, Item(1), others)
	if w.Kind == syntax.Update || w.Kind == syntax.Delete {
		return c.remove(ctx, changed)
	}
	again, err := c.exists(ctx, "SELECT 1 "+changed)
	if err == nil && again {
		err = c.again()
	}
	return n, err
}
