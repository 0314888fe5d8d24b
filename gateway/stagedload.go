package gateway

import (
	"bytes"
	"context"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/writepath"
)

// load is a run of versions of new identities that one statement inserted. Only
// the table knows their identities.
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
	if g.last-n == mostNamed {
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

// startLoad makes a load of the versions after number n. Where nobody will read
// them before they are committed, they go into their file at once.
func (g *staging) startLoad(ctx context.Context, n int64) error {
	for id, at := range g.newest {
		if at > n {
			delete(g.newest, id)
		}
	}
	g.loads = append(g.loads, load{n, g.last})
	s := g.session
	if n > 0 || !s.alone() || len(s.tx.staged) > 1 {
		return nil
	}
	draft := s.db.committer.Draft(writepath.Data{Type: g.typ.Ref, Fields: g.schema.Fields, SchemaVersion: g.typ.SchemaID})
	if draft == nil {
		return nil
	}
	for _, r := range g.versions(ctx) {
		if r.err != nil {
			draft.Close()
			return r.err
		}
		r.Fields = bytes.Clone(r.Fields)
		g.batch = append(g.batch, r.Row)
	}
	g.draft = draft
	return g.sendBatch()
}

// sendBatch hands rows to the draft.
func (g *staging) sendBatch() error {
	batch := g.batch
	g.batch = nil
	return g.draft.Add(batch)
}

// forgetDraft ends a draft whose rows will not be committed, or are.
func (g *staging) forgetDraft() {
	if g.draft != nil {
		g.draft.Close()
		g.draft, g.batch = nil, nil
	}
}

// draftBatch is how many rows are handed to a draft at a time.
const draftBatch = 1024
