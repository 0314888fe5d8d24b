package writing

import (
	"context"
	"slices"
	"strconv"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/gateway/reading"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/staging"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rewrite/rowexpr"
)

// maxPlainRows is the number of listed rows that are looked up one by one. For more the engine's
// join is faster.
const maxPlainRows = 256

// plainRows computes the rows of a write without the engine (planner.PlainWrite), with the columns
// that the engine's query has.
type plainRows struct {
	*planner.Write
	staging  *staging.Rows
	versions *reading.Versions // nil where no stored rows are read
	row      rowexpr.Row       // the stored, the proposed and the new row
	out      *column.Batch
}

// computePlain is the batch of the rows that a write changes, nil where the engine has to compute
// them. Nothing is staged.
func computePlain(ctx context.Context, s *session.Session, pin *resolver.Pin, p *planner.Plan, g *staging.Rows, args [][]byte) (*column.Batch, error) {
	w := p.Write
	keys, few := keysToUpdate(w, args)
	if !few || !showsStaged(s, g) {
		return nil, nil
	}
	c := plainRows{Write: w, staging: g, row: rowexpr.Row{Cols: make([]column.Vector, 3*len(w.Type.Columns)), Args: args}, out: emptyRows(w)}
	if w.Scoped.Matches {
		var err error
		if c.versions, err = reading.FindVersions(ctx, s, pin, w.Type, pin.Head.Commit, w.Plain.Columns); c.versions == nil {
			return nil, err
		}
		defer c.versions.Release()
	}
	ok, err := c.compute(ctx, keys)
	if err != nil || !ok {
		return nil, err
	}
	if w.Scoped.Matches {
		c.versions.Tell()
		for i := range w.Rows.Relations {
			s.RecordRead(&w.Rows.Relations[i])
		}
	}
	return c.out, nil
}

// ByKey reports whether a write finds the rows that it changes in the row store, for EXPLAIN.
func ByKey(ctx context.Context, s *session.Session, pin *resolver.Pin, p *planner.Plan, args [][]byte) (bool, error) {
	w := p.Write
	if w == nil || !w.Scoped.Matches {
		return false, nil
	}
	if _, few := keysToUpdate(w, args); !few || !showsStaged(s, s.Tx.StagingOf(w.Type.Ref)) {
		return false, nil
	}
	v, err := reading.FindVersions(ctx, s, pin, w.Type, pin.Head.Commit, w.Plain.Columns)
	if v == nil {
		return false, err
	}
	v.Release()
	return true, nil
}

// showsStaged reports whether staging, which may be nil, tells of each identity the newest version that the
// statement sees.
func showsStaged(s *session.Session, g *staging.Rows) bool {
	return g == nil || !g.InDraft() && !g.HasLoads() && s.Seen(g) == g.Count()
}

// keysToUpdate are the texts of the keys of the rows that an UPDATE changes, none of an INSERT. few is false
// if the engine has to compute the rows: because only it can, or because they are many.
func keysToUpdate(w *planner.Write, args [][]byte) (keys [][]string, few bool) {
	if w.Plain == nil || w.FromCopy {
		return nil, false
	}
	if few = true; w.Plain.Keys != nil {
		keys, few = w.Plain.Keys.Texts(args)
	}
	return keys, few && len(keys)+len(w.Plain.Proposed) <= maxPlainRows
}

// emptyRows is a batch with the columns of the query of a write.
func emptyRows(w *planner.Write) *column.Batch {
	text, number := column.Type{Kind: column.Text}, column.Type{Kind: column.Int64}
	var types []column.Type
	if w.Scoped.Matches {
		types = append(types, number) // the action
		for range w.StoredColumns - 2 {
			types = append(types, text) // the identity
		}
		types = append(types, number, text) // the commit and fields_json
	}
	for _, c := range w.Type.Columns {
		types = append(types, c.Type)
	}
	out := &column.Batch{}
	for _, t := range append(types, w.Plain.Types...) {
		out.Cols = append(out.Cols, column.Vector{Type: t})
	}
	return out
}

// compute adds all rows. ok is false where the engine has to compute them.
func (c *plainRows) compute(ctx context.Context, keys [][]string) (ok bool, err error) {
	for _, key := range keys {
		if ok, err := c.update(ctx, key, nil, 0); !ok || err != nil {
			return false, err
		}
	}
	for _, cells := range c.Plain.Proposed {
		for i, f := range cells {
			v, err := f(&c.row)
			if err != nil {
				return false, nil //nolint:nilerr // the engine reports the error
			}
			c.set(c.proposed()+i, c.Type.Columns[i].Type, v)
		}
		if ok, err := c.propose(ctx); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}

func (c *plainRows) proposed() int { return len(c.Type.Columns) }
func (c *plainRows) fresh() int    { return 2 * len(c.Type.Columns) }

// set sets one of the columns of the row at hand.
func (c *plainRows) set(at int, t column.Type, v rowexpr.Value) {
	cell := column.Vector{Type: t}
	v.Append(&cell, 0)
	c.row.Cols[at] = cell
}

// propose adds the proposed row of an INSERT, or the update of the stored row with its key.
func (c *plainRows) propose(ctx context.Context) (ok bool, err error) {
	lacking := slices.ContainsFunc(c.Plain.Required, func(i int) bool { return c.row.Cols[c.proposed()+i].IsNull(0) })
	if !c.Scoped.Matches || lacking {
		return c.add(nil, 0, c.row.Cols[c.proposed():c.fresh()])
	}
	texts := make([]string, len(c.Type.Key))
	for i, k := range c.Type.Key {
		v := &c.row.Cols[c.proposed()+k]
		switch {
		case v.IsNull(0):
			return false, nil
		case v.Type.Kind == column.Int64:
			texts[i] = strconv.FormatInt(v.I64[0], 10)
		case v.Type.Kind == column.UUID:
			texts[i] = format.FormatUUID(v.I128[0].Bytes())
		default:
			texts[i] = string(v.Str[0])
		}
	}
	return c.update(ctx, texts, c.row.Cols[c.proposed():c.fresh()], 1)
}

// newest is the newest version with a key: one that the transaction has staged, or the stored one; without one the
// batch is empty. ok is false if the engine has to read it.
func (c *plainRows) newest(ctx context.Context, texts []string) (found *column.Batch, ok bool, err error) {
	id := staging.Identity(c.Type.Ref.Kind, identityOf(c.Type.Ref.Kind, texts), 0)
	if n := c.staging.NewestOf(c.staging.Identity(&id)); n > 0 {
		r, ok := c.staging.Version(n)
		if !ok {
			return nil, false, nil
		}
		found, ok = c.versions.Staged(r)
		return found, ok, nil
	}
	found = c.versions.Batch()
	ok, err = c.versions.Add(ctx, found, texts)
	return found, ok, err
}

// update adds the update of the newest row with a key; without one, the row to be inserted, if that
// is not nil. action is the number of the update.
func (c *plainRows) update(ctx context.Context, texts []string, insert []column.Vector, action int) (ok bool, err error) {
	found, ok, err := c.newest(ctx, texts)
	if !ok || err != nil {
		return false, err
	}
	switch {
	case found.Len == 0 && insert == nil:
		return true, nil
	case found.Len == 0:
		return c.add(nil, 0, insert)
	case action == len(c.Scoped.Actions): // DO NOTHING
		return true, nil
	}
	stored, now := found.Cols[:c.StoredColumns], found.Cols[c.StoredColumns:]
	copy(c.row.Cols, now)
	holds := true
	for _, condition := range c.Plain.Where { // all, because each may be one that the engine has to decide
		v, err := condition(&c.row)
		if err != nil {
			return false, nil //nolint:nilerr // the engine reports the error
		}
		holds = holds && v.True()
	}
	if !holds {
		return true, nil
	}
	next := slices.Clone(now)
	for i, f := range c.Plain.Set {
		if f == nil {
			continue
		}
		v, err := f(&c.row)
		if err != nil {
			return false, nil //nolint:nilerr // the engine reports the error
		}
		next[i] = column.Vector{Type: c.Type.Columns[i].Type}
		v.Append(&next[i], 0)
	}
	return c.add(stored, action, next)
}

// identityOf is a batch of one identity.
func identityOf(kind ontosql.Kind, texts []string) *column.Batch {
	cols := make([]column.Vector, len(scan.KeyColumns(kind)))
	for i := range cols {
		text := []byte(nil) // a relation without an instance key
		if i < len(texts) {
			text = []byte(texts[i])
		}
		cols[i].Str = [][]byte{text}
	}
	return &column.Batch{Len: 1, Cols: cols}
}

// add adds a row to the batch. stored is nil for a new row.
func (c *plainRows) add(stored []column.Vector, action int, next []column.Vector) (ok bool, err error) {
	copy(c.row.Cols[c.fresh():], next)
	at := 0
	put := func(v rowexpr.Value) {
		v.Append(&c.out.Cols[at], c.out.Len)
		at++
	}
	if c.Scoped.Matches {
		put(rowexpr.Value{Int: int64(action)})
		for i := range c.StoredColumns {
			v := rowexpr.Value{Null: true}
			if stored != nil {
				v = rowexpr.Of(&stored[i], 0)
			}
			put(v)
		}
	}
	for i := range next {
		put(rowexpr.Of(&next[i], 0))
	}
	for _, f := range c.Plain.Returned {
		v := rowexpr.Value{Null: true}
		if f != nil {
			if v, err = f(&c.row); err != nil {
				return false, nil //nolint:nilerr // the engine reports the error
			}
		}
		put(v)
	}
	c.out.Len++
	return true, nil
}
