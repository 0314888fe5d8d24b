package gateway

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway/storage"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/writepath"
)

// taken is a staged version of an identity that another row has.
type taken struct {
	format.Row       // of which only the identity is known
	number     int64 // of the version
}

// before reports whether t is earlier than first, which is nil while there is none.
func (t *taken) before(first *taken) bool { return first == nil || t.number < first.number }

// existing is the first insert after number n of an identity that is staged
// already, by a load or one of them, or stored at pin (PostgreSQL manual, 5.4.3);
// nil for none. Of other staged versions newest tells at once.
func (g *staging) existing(ctx context.Context, pin *resolver.Pin, n int64) (*taken, error) {
	if g.last == n {
		return nil, nil
	}
	if g.draft != nil {
		if met, err := g.meets(ctx, pin); err != nil || !met {
			return nil, err
		}
		if err := g.recall(ctx); err != nil {
			return nil, err
		}
	}
	stored, err := g.alreadyStored(ctx, pin, n)
	if err != nil || len(g.loads) == 0 {
		return stored, err
	}
	twice, err := g.twice(ctx, n)
	if err == nil && stored != nil && (twice == nil || stored.number < twice.number) {
		return stored, nil
	}
	return twice, err
}

// alreadyStored is the first insert after number n of an identity that is stored at
// pin, nil for none.
func (g *staging) alreadyStored(ctx context.Context, pin *resolver.Pin, n int64) (*taken, error) {
	if g.typ.Floor > pin.Head.Commit { // the transaction itself dropped what is stored
		return nil, nil
	}
	own := g.session.db.own
	first, last := own.Span(pin)
	// To ask one by one would take longer than to look for all of a load. And what another
	// gateway dropped since is gone.
	if g.loading(n) || last < g.typ.Floor {
		first, last = pin.Head.Commit+1, pin.Head.Commit
	}
	if first <= last {
		if t := g.firstOwn(own, n, last); t != nil {
			return t, nil
		}
	}
	for _, w := range []ontosql.Window{{Upper: first - 1}, {Lower: last, Upper: pin.Head.Commit}} {
		if !pin.View.Wrote(g.typ.Ref, w.Lower, w.Upper) {
			continue
		}
		if t, err := g.inStore(ctx, pin, n, w); t != nil || err != nil {
			return t, err
		}
	}
	return nil, nil
}

// inserted reports whether a version after number n is the first of its identity,
// as far as the statement knew.
func (g *staging) inserted(id string) bool { return g.stored[id] == 0 }

// twice is the first insert after number n whose identity an earlier version has,
// as the table tells.
func (g *staging) twice(ctx context.Context, n int64) (first *taken, err error) {
	if err := g.flush(ctx); err != nil {
		return nil, err
	}
	updates := map[int64]bool{}
	for i := len(g.replaced) - 1; i >= 0 && g.replaced[i].number > n; i-- {
		updates[g.replaced[i].number] = true
	}
	keys := strings.Join(scan.KeyColumns(g.typ.Ref.Kind), ", ")
	sql := fmt.Sprintf("WITH several AS (SELECT %s FROM %s GROUP BY ALL HAVING count(*) > 1 AND max(seq) > %d)\n"+
		"SELECT %s, seq FROM %s SEMI JOIN several USING (%s) QUALIFY row_number() OVER (PARTITION BY %s ORDER BY seq) > 1 AND seq > %d",
		keys, g.table, n, keys, g.table, keys, keys, n)
	err = g.conn.Each(ctx, sql, nil, func(b *column.Batch, i int) {
		t := taken{keyed(g.typ.Ref.Kind, b, i), b.Cols[len(b.Cols)-1].I64[i]}
		if !updates[t.number] && t.before(first) {
			first = &t
		}
	})
	return first, err
}

// firstOwn is the first insert after number n whose identity a commit of this
// gateway wrote, up to the commit last; nil for none.
func (g *staging) firstOwn(own *storage.RecentCommits, n int64, last ontosql.CommitID) *taken {
	if fresh, ok := g.after(n); ok {
		for i := range fresh {
			if id := g.identity(&fresh[i]); g.inserted(id) && own.Has(g.typ.Ref, id, last) {
				return &taken{fresh[i], n + 1 + int64(i)}
			}
		}
		return nil
	}
	first, least := "", g.last+1
	for id, at := range g.newest {
		if at > n && at < least && g.inserted(id) && own.Has(g.typ.Ref, id, last) {
			first, least = id, at
		}
	}
	if least > g.last {
		return nil
	}
	return &taken{writepath.Identified(g.typ.Ref.Kind, first), least}
}

// inStore is the first insert after number n whose identity stands in the files of
// a window, nil for none.
func (g *staging) inStore(ctx context.Context, pin *resolver.Pin, n int64, w ontosql.Window) (*taken, error) {
	keys, err := g.seek(ctx, n)
	if err != nil {
		return nil, err
	}
	if b, ok := g.session.db.storage.(*storage.Tables); ok && keys.texts != nil && !g.loading(n) && g.typ.Ref.Kind == ontosql.Entity {
		return g.firstInTables(ctx, b, pin, n, w, keys.texts)
	}
	return overMirror(ctx, sources{session: g.session}, func(src *sources) (*taken, error) {
		first, err := g.firstStored(ctx, src, pin, n, w, keys)
		if err == nil {
			src.release(context.WithoutCancel(ctx))
		}
		return first, err
	})
}

// firstInTables is inStore where a database has an index of the few entities.
func (g *staging) firstInTables(ctx context.Context, b *storage.Tables, pin *resolver.Pin, n int64, w ontosql.Window, keys []string) (first *taken, err error) {
	cursor, err := b.Versions(ctx, pin, g.typ, w, keys)
	if err != nil {
		return nil, fmt.Errorf("look for rows of %s: %w", g.typ.Ref, err)
	}
	defer cursor.Close()
	for {
		batch, err := cursor.Next(ctx)
		switch {
		case err == io.EOF:
			return first, nil
		case err != nil:
			return nil, fmt.Errorf("look for rows of %s: %w", g.typ.Ref, err)
		}
		for i := range batch.Len {
			t := taken{Row: keyed(g.typ.Ref.Kind, batch, i)}
			t.number = g.numberOf(&t.Row)
			if t.number > n && t.before(first) {
				first = &t
			}
		}
	}
}

// numberOf is the number of the version that inserts the identity of a row, 0 for
// none.
func (g *staging) numberOf(row *format.Row) int64 {
	if id := g.identity(row); g.inserted(id) {
		return g.newest[id]
	}
	return 0
}

func (g *staging) firstStored(ctx context.Context, src *sources, pin *resolver.Pin, n int64, w ontosql.Window, keys sought) (*taken, error) {
	request, ok, err := g.request(ctx, src, pin, w, keys)
	if err != nil || !ok {
		return nil, err
	}
	if !src.once {
		// Of nearly every new row the mirror knows no version at all, which its
		// index tells at once.
		ever := request
		ever.Window.Upper = math.MaxInt64
		if first, err := g.firstIn(ctx, src, ever, keys.args, n); err != nil || first == nil {
			return nil, err
		}
	}
	return g.firstIn(ctx, src, request, keys.args, n)
}

// request is for what the store has of some identities in a window; ok is false
// for nothing. Its SQL is that of the next such request, and worth keeping, where
// the sources are not for once.
func (g *staging) request(ctx context.Context, src *sources, pin *resolver.Pin, w ontosql.Window, keys sought) (r scan.Request, ok bool, err error) {
	report := windowReport{window: w}
	if keys.texts != nil {
		report.keys = keyBounds{{column: keys.equals[0].Column, texts: keys.texts}}
	}
	r = scan.Request{Type: g.typ, Window: w, KeyEquals: keys.equals}
	gap := w
	if use := src.mirrored(pin, g.typ, w, report.keys.first()); use != nil {
		r.Mirror, gap.Lower = &use.Source, max(w.Lower, use.Source.Through)
	}
	found, err := src.files(ctx, pin, g.typ, gap, r.Mirror != nil, 0, nil, &report)
	r.Files = found.Files
	src.once = len(r.Files) > 0 || keys.args == nil
	return r, len(r.Files) > 0 || r.Mirror != nil, err
}

// firstIn is the first insert after number n whose identity the request finds, nil
// for none.
func (g *staging) firstIn(ctx context.Context, src *sources, request scan.Request, args []any, n int64) (*taken, error) {
	query, err := scan.Identities(request)
	if err != nil {
		return nil, err
	}
	loading := g.loading(n)
	if loading {
		query = g.firstOf(query, n)
	}
	rows, st, err := src.start(ctx, query, args)
	if err != nil {
		return nil, err
	}
	if st != nil {
		defer st.Close()
	}
	var first *taken
	err = rows.Each(ctx, func(b *column.Batch, i int) {
		t := taken{Row: keyed(g.typ.Ref.Kind, b, i)}
		if loading {
			t.number = b.Cols[len(b.Cols)-1].I64[i]
		} else {
			t.number = g.numberOf(&t.Row)
		}
		if t.number > n && t.before(first) {
			first = &t
		}
	})
	return first, err
}

// firstOf is the first version after number n of the identities that a query
// gives.
func (g *staging) firstOf(identities string, n int64) string {
	var same []string
	keys := scan.KeyColumns(g.typ.Ref.Kind)
	for i, key := range keys {
		same = append(same, fmt.Sprintf("s.%s = f.k%d", key, i))
	}
	return fmt.Sprintf("SELECT s.%s, s.seq FROM (%s) AS f JOIN %s AS s ON %s WHERE s.seq > %d ORDER BY s.seq LIMIT 1",
		strings.Join(keys, ", s."), identities, g.table, strings.Join(same, " AND "), n)
}
