package staging

import (
	"bytes"
	"context"
	"errors"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/writepath"
)

// ErrDuplicate is the error of an identity that is inserted although it is staged already.
var ErrDuplicate = errors.New("an identity comes twice")

// DraftAfter is the number of versions that a statement makes before they go into a draft, if
// they may.
const DraftAfter = 1 << 12

// load is a run of versions of new identities that one statement inserted. Their identities
// are in the table or in the draft only.
type load struct{ after, through int64 }

// Loading reports whether the versions after number n are a load.
func (g *Rows) Loading(n int64) bool {
	return len(g.loads) > 0 && g.loads[len(g.loads)-1].after == n
}

// maxNamed is the number of rows that a statement inserts before they become a load. The table
// then finds identities that come twice.
const maxNamed = 1 << 16

// Insert stages a row of a statement that only inserts and whose versions come after number n.
// twice reports an identity that is staged already; FirstDuplicate finds those of a load.
func (g *Rows) Insert(ctx context.Context, r format.Row, n int64) (twice bool, err error) {
	if fresh := g.last - n; !g.Loading(n) && !g.Named && (fresh == DraftAfter || fresh == maxNamed) {
		if err := g.startLoad(ctx, n); err != nil {
			return false, err
		}
	}
	if g.Loading(n) {
		g.loads[len(g.loads)-1].through++
		return false, g.add(ctx, r)
	}
	id := g.Identity(&r)
	if g.newest[id] > 0 {
		return true, nil
	}
	return false, g.Put(ctx, id, r, NoVersion)
}

// InsertAll stages rows as Insert does. err is ErrDuplicate for a row that is staged already;
// done is the number of rows before it. Rows owns the batch from now on.
func (g *Rows) InsertAll(ctx context.Context, b *writepath.Batch, n int64) (done int, err error) {
	if g.draft == nil {
		for i := range b.Rows {
			twice, err := g.Insert(ctx, b.Rows[i], n)
			if twice {
				err = ErrDuplicate
			}
			if err != nil {
				return i, err
			}
		}
		return len(b.Rows), nil
	}
	if err := g.FlushDraft(); err != nil {
		return 0, err
	}
	done = len(b.Rows)
	err = g.AddToDraft(b)
	g.loads[len(g.loads)-1].through = g.last
	return done, err
}

// NewBatch is an empty batch for about n rows, for InsertAll or AddToDraft.
func (g *Rows) NewBatch(n int) *writepath.Batch {
	if g.draft != nil {
		return g.draft.Batch()
	}
	const ofRow = 128
	return &writepath.Batch{Rows: make([]format.Row, 0, n), Texts: make([]byte, 0, n*ofRow)}
}

// startLoad makes a load of the versions after number n, if they go into a draft or are
// too many.
func (g *Rows) startLoad(ctx context.Context, n int64) error {
	if err := g.StartDraft(ctx, n); err != nil || g.draft == nil && g.last-n < maxNamed {
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

// StartDraft moves the versions after number n into a draft, if there are no others and nobody
// reads them before they are committed. InDraft tells whether it did.
func (g *Rows) StartDraft(ctx context.Context, n int64) error {
	if n > 0 {
		return nil
	}
	draft := g.Draft(writepath.Data{Type: g.Type.Ref, Fields: g.fields(), SchemaVersion: g.Type.SchemaID})
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
func (g *Rows) moveInto(ctx context.Context, draft *writepath.Draft) error {
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

// LoadDraftKeys writes the identities of the draft to the table.
func (g *Rows) LoadDraftKeys(ctx context.Context) error {
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

// FlushDraft adds the rows of the current batch to the draft.
func (g *Rows) FlushDraft() error {
	batch := g.batch
	if batch == nil {
		return nil
	}
	g.batch, g.size = nil, 0
	return g.draft.Add(batch)
}

// forgetDraft closes the draft. Its rows are committed, or will not be.
func (g *Rows) forgetDraft() {
	if g.draft != nil {
		g.draft.Close()
		g.draft, g.batch, g.size, g.followed = nil, nil, 0, nil
	}
}

// draftBatch and draftSize limit the rows and the bytes of a batch for the draft.
const (
	draftBatch = 1024
	draftSize  = 1 << 20
)

// InDraft reports whether the versions are in a draft of their commit.
func (g *Rows) InDraft() bool { return g.draft != nil }

// HasLoads reports whether some versions are of loads.
func (g *Rows) HasLoads() bool { return len(g.loads) > 0 }

// Distinct reports whether every identity of the draft comes once. It may be false for a
// draft of which that is true.
func (g *Rows) Distinct() (bool, error) {
	if err := g.FlushDraft(); err != nil {
		return false, err
	}
	return g.draft.Distinct(), nil
}

// StartUpdateDraft is startDraft for a statement that may change stored rows: the draft
// knows which commit each version follows. It calls had with each identity, which the
// staging forgets.
func (g *Rows) StartUpdateDraft(ctx context.Context, n int64, had func(identity string)) error {
	if err := g.StartDraft(ctx, n); err != nil || g.draft == nil {
		return err
	}
	g.followed = make([]ontosql.CommitID, g.last)
	for id, number := range g.newest {
		g.followed[number-1] = g.stored[id]
		had(id)
	}
	g.ForgetIdentities()
	return nil
}

// ForgetIdentities forgets the identities of a draft in which each comes once.
func (g *Rows) ForgetIdentities() {
	clear(g.newest)
	clear(g.stored)
}

// PutInDraft adds a version that follows a commit to a draft of startFollowing.
func (g *Rows) PutInDraft(ctx context.Context, r format.Row, follows ontosql.CommitID) error {
	g.followed = append(g.followed, follows)
	return g.add(ctx, r)
}

// AddToDraft adds a batch of rows, of other identities than those before, to the draft. Rows
// owns the batch from now on.
func (g *Rows) AddToDraft(b *writepath.Batch) error {
	for i := range b.Rows {
		g.number(&b.Rows[i])
	}
	return g.draft.Add(b)
}
