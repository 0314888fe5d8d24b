package writing

import (
	"context"
	"fmt"
	"io"
	"math"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/gateway/reading"
	"github.com/ontosql/ontosql/gateway/relation"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/staging"
	"github.com/ontosql/ontosql/gateway/storage"
	"github.com/ontosql/ontosql/resolver"
)

// storedSearch looks in the store for the identities of staged rows.
type storedSearch struct {
	*staging.Rows
	session *session.Session
}

// SearchStore is the search for the identities of staged rows.
func SearchStore(s *session.Session, g *staging.Rows) *storedSearch { return &storedSearch{g, s} }

// Existing is the first insert after number n whose identity exists: stored at pin, or staged
// twice by a load (PostgreSQL manual, 5.4.3). It is nil for none. Duplicates among other staged
// versions are found when they are staged.
func (g *storedSearch) Existing(ctx context.Context, pin *resolver.Pin, n int64) (*staging.Insert, error) {
	if g.Count() == n {
		return nil, nil
	}
	if g.InDraft() {
		if met, err := g.draftMayExist(ctx, pin); err != nil || !met {
			return nil, err
		}
		if err := g.LoadDraftKeys(ctx); err != nil {
			return nil, err
		}
	}
	stored, err := g.alreadyStored(ctx, pin, n)
	if err != nil || !g.HasLoads() {
		return stored, err
	}
	twice, err := g.FirstDuplicate(ctx, n)
	if err == nil && stored != nil && (twice == nil || stored.Number < twice.Number) {
		return stored, nil
	}
	return twice, err
}

// alreadyStored is the first insert after number n of an identity that is stored at
// pin, nil for none.
func (g *storedSearch) alreadyStored(ctx context.Context, pin *resolver.Pin, n int64) (*staging.Insert, error) {
	if g.Type.Floor > pin.Head.Commit { // the transaction itself dropped what is stored
		return nil, nil
	}
	own := g.session.DB.Recent()
	first, last := own.Span(pin)
	// For the many rows of a load one join is faster than a look-up for each. The recent
	// commits are of no use if the type was dropped since.
	if g.Loading(n) || last < g.Type.Floor {
		first, last = pin.Head.Commit+1, pin.Head.Commit
	}
	if first <= last {
		if t := g.FirstInsert(n, func(id string) bool { return own.Has(g.Type.Ref, id, last) }); t != nil {
			return t, nil
		}
	}
	for _, w := range []ontosql.Window{{Upper: first - 1}, {Lower: last, Upper: pin.Head.Commit}} {
		if !pin.View.HasFiles(g.Type.Ref, w.Lower, w.Upper) {
			continue
		}
		if t, err := g.inStore(ctx, pin, n, w); t != nil || err != nil {
			return t, err
		}
	}
	return nil, nil
}

// inStore is the first insert after number n whose identity stands in the files of
// a window, nil for none.
func (g *storedSearch) inStore(ctx context.Context, pin *resolver.Pin, n int64, w ontosql.Window) (*staging.Insert, error) {
	keys, err := g.Keys(ctx, n)
	if err != nil {
		return nil, err
	}
	if b, ok := g.session.DB.Storage.(*storage.Tables); ok && keys.Texts != nil && !g.Loading(n) && g.Type.Ref.Kind == ontosql.Entity {
		return g.firstInTables(ctx, b, pin, n, w, keys.Texts)
	}
	if first, done, err := g.inRowStore(ctx, pin, n, w); done || err != nil {
		return first, err
	}
	return reading.OverMirror(ctx, reading.Sources{Session: g.session}, func(src *reading.Sources) (*staging.Insert, error) {
		first, err := g.firstStored(ctx, src, pin, n, w, keys)
		if err == nil {
			src.Release(context.WithoutCancel(ctx))
		}
		return first, err
	})
}

// inRowStore is inStore where the row store has the versions of the type. done is false if it does not.
func (g *storedSearch) inRowStore(ctx context.Context, pin *resolver.Pin, n int64, w ontosql.Window) (first *staging.Insert, done bool, err error) {
	fresh, few := g.Few(n)
	if !few {
		return nil, false, nil
	}
	versions, err := reading.FindVersions(ctx, g.session, pin, g.Type, w.Upper, nil)
	if versions == nil {
		return nil, false, err
	}
	defer versions.Release()
	for i := range fresh {
		t := staging.Insert{Row: fresh[i], Number: g.InsertOf(&fresh[i])}
		if t.Number <= n {
			continue // it follows a stored version
		}
		found := versions.Batch()
		if ok, err := versions.Add(ctx, found, fresh[i].KeyTexts(g.Type.Ref.Kind)); !ok || err != nil {
			return nil, false, err
		}
		if found.Len > 0 {
			return &t, true, nil
		}
	}
	return nil, true, nil
}

// firstInTables is inStore where a database has an index of the few entities.
func (g *storedSearch) firstInTables(ctx context.Context, b *storage.Tables, pin *resolver.Pin, n int64, w ontosql.Window, keys []string) (first *staging.Insert, err error) {
	cursor, err := b.Versions(ctx, pin, g.Type, w, keys)
	if err != nil {
		return nil, fmt.Errorf("look for rows of %s: %w", g.Type.Ref, err)
	}
	defer cursor.Close()
	for {
		batch, err := cursor.Next(ctx)
		switch {
		case err == io.EOF:
			return first, nil
		case err != nil:
			return nil, fmt.Errorf("look for rows of %s: %w", g.Type.Ref, err)
		}
		for i := range batch.Len {
			t := staging.Insert{Row: staging.Identity(g.Type.Ref.Kind, batch, i)}
			t.Number = g.InsertOf(&t.Row)
			if t.Number > n && t.Before(first) {
				first = &t
			}
		}
	}
}

func (g *storedSearch) firstStored(ctx context.Context, src *reading.Sources, pin *resolver.Pin, n int64, w ontosql.Window, keys staging.Keys) (*staging.Insert, error) {
	request, ok, err := g.request(ctx, src, pin, w, keys)
	if err != nil || !ok {
		return nil, err
	}
	if !src.Once {
		// Most new rows have no version in the mirror at all, which its index finds first.
		ever := request
		ever.Window.Upper = math.MaxInt64
		if first, err := g.firstIn(ctx, src, ever, keys.Args, n); err != nil || first == nil {
			return nil, err
		}
	}
	return g.firstIn(ctx, src, request, keys.Args, n)
}

// request is the scan of some identities in a window. ok is false if the store has no rows
// there. Unless src.once is set, later requests have the same SQL, which is kept prepared.
func (g *storedSearch) request(ctx context.Context, src *reading.Sources, pin *resolver.Pin, w ontosql.Window, keys staging.Keys) (r scan.Request, ok bool, err error) {
	report := reading.WindowReport{Window: w}
	if keys.Texts != nil {
		report.Keys = relation.KeyBounds{{Column: keys.Equals[0].Column, Texts: keys.Texts}}
	}
	r = scan.Request{Type: g.Type, Window: w, KeyEquals: keys.Equals}
	gap := w
	if use := src.Mirrored(pin, g.Type, w, report.Keys.First()); use != nil {
		r.Mirror, gap.Lower = &use.Source, max(w.Lower, use.Source.Through)
	}
	found, err := src.Files(ctx, pin, g.Type, gap, r.Mirror != nil, 0, nil, &report)
	r.Files = found.Files
	src.Once = len(r.Files) > 0 || keys.Args == nil
	return r, len(r.Files) > 0 || r.Mirror != nil, err
}

// firstIn is the first insert after number n whose identity the request finds, nil
// for none.
func (g *storedSearch) firstIn(ctx context.Context, src *reading.Sources, request scan.Request, args []any, n int64) (*staging.Insert, error) {
	query, err := scan.Identities(request)
	if err != nil {
		return nil, err
	}
	loading := g.Loading(n)
	if loading {
		query = g.FirstOfSQL(query, n)
	}
	rows, st, err := src.Start(ctx, query, args)
	if err != nil {
		return nil, err
	}
	if st != nil {
		defer st.Close()
	}
	var first *staging.Insert
	err = rows.Each(ctx, func(b *column.Batch, i int) {
		t := staging.Insert{Row: staging.Identity(g.Type.Ref.Kind, b, i)}
		if loading {
			t.Number = b.Cols[len(b.Cols)-1].I64[i]
		} else {
			t.Number = g.InsertOf(&t.Row)
		}
		if t.Number > n && t.Before(first) {
			first = &t
		}
	})
	return first, err
}
