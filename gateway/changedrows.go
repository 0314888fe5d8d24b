package gateway

import (
	"context"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/gateway/staging"
	"github.com/ontosql/ontosql/gateway/temptable"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/dml"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// changes stages the rows of one write as the engine computes them.
type changes struct {
	*planner.Write
	staging  *staging.Rows
	mark     int64           // the number of the newest version before the statement
	had      map[string]bool // identities that it had and that staging does not tell
	second   *format.Row     // that errTwice is of
	count    int64           // rows that it inserted or updated
	returned *temptable.Spool
	kept     []int    // rows of the batch at hand that are returned,
	images   [][]byte // and their fields, where RETURNING asks for them
}

// newChanges begins a write whose versions come after number mark.
func newChanges(w *planner.Write, s *Session, g *staging.Rows, mark int64) *changes {
	w.Encoder.Rows = 0
	return &changes{Write: w, staging: g, mark: mark, had: map[string]bool{}, returned: &temptable.Spool{Tables: s.temp}}
}

// take stages the rows of a batch.
func (c *changes) take(ctx context.Context, b *column.Batch) error {
	c.kept, c.images = c.kept[:0], c.images[:0]
	first, end := c.KeyColumns(), c.KeyColumns()+len(c.Type.Columns)
	rows := computed{row: &column.Batch{Len: b.Len, Cols: b.Cols[first:end]}}
	if c.Scoped.Matches {
		rows.action, rows.stored = b.Cols[0].I64, &column.Batch{Len: b.Len, Cols: b.Cols[1:first]}
	}
	for i := range b.Len {
		done, err := c.takeRow(ctx, &rows, i)
		if err != nil {
			return err
		}
		if done {
			c.kept = append(c.kept, i)
		}
	}
	c.count += int64(len(c.kept))
	if c.Scoped.Returned == nil || len(c.kept) == 0 {
		return nil
	}
	shown := b.Pick(end, c.kept)
	for k, o := range c.Scoped.Returned {
		if c.IsFields(o) {
			shown.Cols[k] = column.Vector{Type: shown.Cols[k].Type, Str: append([][]byte(nil), c.images...)}
		}
	}
	return c.returned.Add(ctx, shown)
}

// computed are the rows of a batch by what their columns are for.
type computed struct {
	action []int64       // nil where there is one for all
	stored *column.Batch // the stored version: its identity, its commit and its fields
	row    *column.Batch // the new row
}

// takeRow stages row i of a batch. done is false where nothing is to be done after
// all.
func (c *changes) takeRow(ctx context.Context, rows *computed, i int) (done bool, err error) {
	action := &c.Scoped.Actions[0]
	if rows.action != nil {
		action = &c.Scoped.Actions[rows.action[i]]
	}
	if action.Kind == dml.Updates {
		return c.update(ctx, rows, i, action)
	}
	r, err := c.Encoder.Row(rows.row, i)
	if err != nil {
		return false, err
	}
	return c.insert(ctx, r)
}

// insert stages a new row. done is false for one that DO NOTHING skips.
func (c *changes) insert(ctx context.Context, r format.Row) (done bool, err error) {
	if !c.Scoped.Matches {
		twice, err := c.staging.Insert(ctx, r, c.mark)
		if twice {
			c.second = &r
			return false, staging.ErrDuplicate
		}
		c.show(r.Fields)
		return true, err
	}
	id := c.staging.Identity(&r)
	switch touched := c.touched(id); {
	case c.Kind == syntax.Insert && touched && c.Updates():
		return false, c.again()
	case c.Kind == syntax.Insert && touched:
		return false, nil // DO NOTHING
	case touched || c.staging.NewestOf(id) > 0:
		c.second = &r
		return false, staging.ErrDuplicate
	}
	c.show(r.Fields)
	return true, c.put(ctx, id, r, staging.NoVersion)
}

// touched reports whether the statement had an identity before.
func (c *changes) touched(id string) bool { return c.staging.NewestOf(id) > c.mark || c.had[id] }

// put stages a version of an identity, which was not touched, and what it follows.
func (c *changes) put(ctx context.Context, id string, r format.Row, follows ontosql.CommitID) error {
	g := c.staging
	if g.Count()-c.mark == staging.DraftAfter && c.Kind != syntax.Merge { // whose rows existing may have to find
		if err := g.StartUpdateDraft(ctx, c.mark, func(id string) { c.had[id] = true }); err != nil {
			return err
		}
	}
	if !g.InDraft() {
		return g.Put(ctx, id, r, follows)
	}
	if !c.Scoped.Once {
		c.had[id] = true
	}
	return g.PutInDraft(ctx, r, follows)
}

// update stages the next version of a stored one, unless nothing differs.
func (c *changes) update(ctx context.Context, rows *computed, i int, action *dml.Action) (done bool, err error) {
	r := staging.Identity(c.Type.Ref.Kind, rows.stored, i)
	id := ""
	if !c.Scoped.Once || !c.staging.InDraft() {
		if id = c.staging.Identity(&r); c.touched(id) {
			if c.Kind == syntax.Update {
				return false, nil // of several rows of a join the first counts
			}
			return false, c.again()
		}
	}
	commit, before := &rows.stored.Cols[c.StoredColumns-2], rows.stored.Cols[c.StoredColumns-1].Str[i]
	r.SchemaVersionID = c.Type.SchemaID
	if r.Fields, err = c.Encoder.Update(rows.row, i, action.Assigned, &r, before); err != nil {
		return false, err
	}
	if r.Fields == nil {
		if !c.Scoped.Once {
			c.had[id] = true
		}
		c.show(before)
		return true, nil
	}
	follows := staging.Staged
	if !commit.IsNull(i) {
		follows = ontosql.CommitID(commit.I64[i])
	}
	c.show(r.Fields)
	return true, c.put(ctx, id, r, follows)
}

// show keeps the fields of a row where RETURNING asks for them.
func (c *changes) show(fields []byte) {
	if c.ReturnsFields {
		c.images = append(c.images, append([]byte(nil), fields...))
	}
}

// again is PostgreSQL's error of a row that one statement would change twice.
func (c *changes) again() error {
	if c.Kind == syntax.Merge {
		return pgerr.New(pgerr.CardinalityViolation, "MERGE command cannot affect row a second time").
			WithHint("Ensure that not more than one source row matches any one target row.")
	}
	return pgerr.New(pgerr.CardinalityViolation, "ON CONFLICT DO UPDATE command cannot affect row a second time").
		WithHint("Ensure that no rows proposed for insertion within the same command have duplicate constrained values.")
}
