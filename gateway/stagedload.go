package gateway

import (
	"bytes"
	"context"
	"errors"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/writepath"
)

// load is a run of versions of new identities that one statement inserted. Only
// the table knows their identities, or the draft.
type load struct{ after, through int64 }

// loading reports whether the versions after number n are a load.
func (g *staging) loading(n int64) bool {
	return len(g.loads) > 0 && g.loads[len(g.loads)-1].after == n
}

// mostNamed is how many rows a statement inserts before it is left to the table to
// tell which of them are of one identity.
const mostNamed = 1 << 16

// insert stages a row of the statement whose versions come after number n and are
// all inserts. It reports an identity that is staged already; of a load, existing
// does.
func (g *staging) insert(ctx context.Context, r format.Row, n int64) (twice bool, err error) {
	if fresh := g.last - n; !g.loading(n) && (fresh == mostTold || fresh == mostNamed) {
		if err := g.startLoad(ctx, n); err != nil {
			return false, err
		}
	}
	if g.loading(n) {
		g.loads[len(g.loads)-1].through++
		return false, g.append(ctx, r)
	}
	id := g.identity(&r)
	if g.newest[id] > 0 {
		return true, nil
	}
	return false, g.put(ctx, id, r, nothing)
}

// insertAll stages rows as insert does; err is errTwice behind those that are done.
// The batch is the staging's from now on.
func (g *staging) insertAll(ctx context.Context, b *writepath.Batch, n int64) (done int, err error) {
	if g.draft == nil {
		for i := range b.Rows {
			twice, err := g.insert(ctx, b.Rows[i], n)
			if twice {
				err = errTwice
			}
			if err != nil {
				return i, err
			}
		}
		return len(b.Rows), nil
	}
	if err := g.sendBatch(); err != nil {
		return 0, err
	}
	done = len(b.Rows)
	for i := range b.Rows {
		g.number(&b.Rows[i])
	}
	g.loads[len(g.loads)-1].through = g.last
	return done, g.draft.Add(b)
}

// newBatch is an empty batch for about n rows.
func (g *staging) newBatch(n int) *writepath.Batch {
	if g.draft != nil {
		return g.draft.Batch()
	}
	const ofRow = 128
	return &writepath.Batch{Rows: make([]format.Row, 0, n), Texts: make([]byte, 0, n*ofRow)}
}

// startLoad makes a load of the versions after number n, if they go into a draft or
// are too many.
func (g *staging) startLoad(ctx context.Context, n int64) error {
	if err := g.startDraft(ctx, n); err != nil || g.draft == nil && g.last-n < mostNamed {
		return err
	}
	for id, at := range g.newest {
		if at > n {
			delete(g.newest, id)
		}
	}
	g.loads = append(g.loads, load{n, g.last})
	return nil
}

// startDraft moves the versions after number n into a draft, where they are all
// there is and nobody will read them before they are committed.
func (g *staging) startDraft(ctx context.Context, n int64) error {
	s := g.session
	if n > 0 || !s.alone() && !s.tx.planned || len(s.tx.staged) > 1 {
		return nil
	}
	draft := s.db.committer.Draft(writepath.Data{Type: g.typ.Ref, Fields: g.schema.Fields, SchemaVersion: g.typ.SchemaID})
	if draft == nil {
		return nil
	}
	if err := g.moveInto(ctx, draft); err != nil {
		draft.Close()
		return err
	}
	g.draft = draft
	return nil
}

// moveInto moves all versions into a draft.
func (g *staging) moveInto(ctx context.Context, draft *writepath.Draft) error {
	b, size := draft.Batch(), 0
	for _, r := range g.versions(ctx) {
		if r.err != nil {
			return r.err
		}
		r.Fields = bytes.Clone(r.Fields)
		b.Rows = append(b.Rows, r.Row)
		if size += rowSize(&r.Row); size >= draftSize || len(b.Rows) == draftBatch {
			if err := draft.Add(b); err != nil {
				return err
			}
			b, size = draft.Batch(), 0
		}
	}
	g.tail, g.size = nil, 0
	return errors.Join(draft.Add(b), g.dropTable(ctx))
}

// recall brings the identities of the draft into the table.
func (g *staging) recall(ctx context.Context) error {
	if g.table != "" {
		return nil
	}
	last := g.last
	defer func() { g.last = last }()
	g.last = 0
	for r, err := range g.draft.Identities() {
		if err != nil {
			return err
		}
		g.last++
		g.tail = append(g.tail, r)
		if g.size += rowSize(&r); g.size > tailSize {
			if err := g.flush(ctx); err != nil {
				return err
			}
		}
	}
	return g.flush(ctx)
}

// sendBatch hands the rows that wait to the draft.
func (g *staging) sendBatch() error {
	batch := g.batch
	if batch == nil {
		return nil
	}
	g.batch, g.size = nil, 0
	return g.draft.Add(batch)
}

// forgetDraft ends a draft whose rows will not be committed, or are.
func (g *staging) forgetDraft() {
	if g.draft != nil {
		g.draft.Close()
		g.draft, g.batch, g.size, g.followed = nil, nil, 0, nil
	}
}

// draftBatch is how many rows are handed to a draft at a time, and draftSize how
// many bytes of them.
const (
	draftBatch = 1024
	draftSize  = 1 << 20
)
