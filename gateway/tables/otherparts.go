package tables

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ontosql/ontosql/rewrite/dml"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// settleParts decides about the rows that another part of the same statement has written
// before, which the query of the rows did not see. Of several changes of a row the first
// counts, as in PostgreSQL; ON CONFLICT and MERGE refuse the second.
func (c *Changes) settleParts(ctx context.Context) error {
	w := c.Write
	if ended := w.Table.Heap.Ended(c.Session.Tables.IDs()); w.Scoped.Matches && ended != "" {
		changed := fmt.Sprintf("FROM %s WHERE %s IN (%s)", c.Name, item(1), ended)
		if w.Kind == syntax.Update || w.Kind == syntax.Delete {
			if err := c.Conn.Exec(ctx, "DELETE "+changed); err != nil {
				return err
			}
		} else if again, err := c.exists(ctx, "SELECT 1 "+changed); err != nil || again {
			return c.orAgain(err)
		}
	}
	if w.Kind != syntax.Insert || !w.Scoped.Matches {
		return nil
	}
	for _, u := range w.Table.Keys() {
		if !slices.Contains(w.Scoped.Arbiters, u.Name) {
			continue
		}
		conflicts := fmt.Sprintf("SELECT new.rowid FROM %s AS new JOIN (%s) AS old ON %s WHERE %s",
			c.Name, w.Table.Heap.Made(c.Session.Tables.IDs()), strings.Join(c.sameKey(u), " AND "), c.is(dml.Inserts))
		if !w.Updates() {
			if err := c.Conn.Exec(ctx, "DELETE FROM "+c.Name+" WHERE rowid IN ("+conflicts+")"); err != nil {
				return err
			}
		} else if again, err := c.exists(ctx, conflicts); err != nil || again {
			return c.orAgain(err)
		}
	}
	return nil
}

// orAgain is an error, or that of a row that is changed twice.
func (c *Changes) orAgain(err error) error {
	if err == nil {
		err = c.again()
	}
	return err
}
