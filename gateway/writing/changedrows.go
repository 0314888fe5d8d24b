package writing

import (
	"context"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/staging"
	"github.com/ontosql/ontosql/gateway/temptable"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/dml"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// Changes stages the rows of one INSERT, UPDATE or MERGE as the engine computes them.
type Changes struct {
	*planner.Write
	staging  *staging.Rows
	mark     int64           // the number of the newest version before the statement
	had      map[string]bool // identities that it had and that staging does not tell
	Second   *format.Row     // that errTwice is of
	Count    int64           // rows that it inserted or updated
	Returned *temptable.Spool
	kept     []int    // rows of the batch at hand that are returned,
	images   [][]byte // and their fields, where RETURNING asks for them
}

// NewChanges starts a write. Versions with a number above mark are its own.
func NewChanges(w *planner.Write, s *session.Session, g *staging.Rows, mark int64) *Changes {
	w.Encoder.Rows = 0
	return &Changes{Write: w, staging: g, mark: mark, had: map[string]bool{}, Returned: &temptable.Spool{Tables: s.Temp}}
}

// Take stages the rows of a batch.
func (c *Changes) Take(ctx context.Context, b *column.Batch) error {
	c.kept, c.images = c.kept[:0], c.images[:0]
	first, end := c.KeyColumns(), c.KeyColumns()+len(c.Type.Columns)
	rows := computed{row: &column.Batch{Len: b.Len, Cols: b.Cols[first:end]}}
	if at := c.CheckColumn(); at >= 0 {
		rows.check, rows.checked = &b.Cols[at], &b.Cols[at+1]
	}
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
	c.Count += int64(len(c.kept))
	if c.Scoped.Returned == nil || len(c.kept) == 0 {
		return nil
	}
	shown := b.Pick(c.FirstReturned(), c.kept)
	for k, o := range c.Scoped.Returned {
		if c.IsFields(o) {
			shown.Cols[k] = column.Vector{Type: shown.Cols[k].Type, Str: append([][]byte(nil), c.images...)}
		}
	}
	return c.Returned.Add(ctx, shown)
}

// computed are the rows of a batch by what their columns are for.
type computed struct {
	action []int64       // nil where there is one for all
	stored *column.Batch // the stored version: its identity, its commit and its fields
	row    *column.Batch // the new row
	// check is the check option that the row fails and checked its text, nil without check
	// options.
	check, checked *column.Vector
}

// takeRow stages row i of a batch. done is false for a row that is skipped.
func (c *Changes) takeRow(ctx context.Context, rows *computed, i int) (done bool, err error) {
	if rows.check != nil && !rows.check.IsNull(i) {
		return false, c.CheckFailed(int(rows.check.I64[i]), string(rows.checked.Str[i]))
	}
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
func (c *Changes) insert(ctx context.Context, r format.Row) (done bool, err error) {
	if !c.Scoped.Matches {
		twice, err := c.staging.Insert(ctx, r, c.mark)
		if twice {
			c.Second = &r
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
		c.Second = &r
		return false, staging.ErrDuplicate
	}
	c.show(r.Fields)
	return true, c.put(ctx, id, r, staging.NoVersion)
}

// touched reports whether the statement has already changed an identity.
func (c *Changes) touched(id string) bool { return c.staging.NewestOf(id) > c.mark || c.had[id] }

// put stages a version of an identity that the statement has not changed yet. follows is the
// commit of the version before it.
func (c *Changes) put(ctx context.Context, id string, r format.Row, follows ontosql.CommitID) error {
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
func (c *Changes) update(ctx context.Context, rows *computed, i int, action *dml.Action) (done bool, err error) {
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

// show keeps the fields of a row if RETURNING has fields_json.
func (c *Changes) show(fields []byte) {
	if c.ReturnsFields {
		c.images = append(c.images, append([]byte(nil), fields...))
	}
}

// again is PostgreSQL's error of a row that one statement would change twice.
func (c *Changes) again() error {
	if c.Kind == syntax.Merge {
		return pgerr.New(pgerr.CardinalityViolation, "MERGE command cannot affect row a second time").
			WithHint("Ensure that not more than one source row matches any one target row.")
	}
	return pgerr.New(pgerr.CardinalityViolation, "ON CONFLICT DO UPDATE command cannot affect row a second time").
		WithHint("Ensure that no rows proposed for insertion within the same command have duplicate constrained values.")
}
