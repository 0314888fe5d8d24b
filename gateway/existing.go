package gateway

import (
	"context"
	"math"
	"strings"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/writepath"
)

// refuseExisting ends an INSERT of an identity that the pin has already, with
// the first such row (PostgreSQL manual, 5.4.3). n is the number of rows that
// were staged before it.
func (g *staging) refuseExisting(ctx context.Context, pin *resolver.Pin, n int64) error {
	if g.count() == n {
		return nil
	}
	own := g.session.db.own
	first, last := own.span(pin)
	if first <= last {
		if r := g.firstOwn(own, n, last); r != nil {
			return g.duplicate(r)
		}
	}
	for _, w := range []ontosql.Window{{Upper: first - 1}, {Lower: last, Upper: pin.Head.Commit}} {
		if !pin.View.Wrote(g.typ.Ref, w.Lower, w.Upper) {
			continue
		}
		if err := g.refuseStored(ctx, pin, n, w); err != nil {
			return err
		}
	}
	return nil
}

// firstOwn is the first row after number n whose identity a commit of this
// gateway wrote, up to the commit last; nil for none.
func (g *staging) firstOwn(own *OwnCommits, n int64, last ontosql.CommitID) *format.Row {
	if fresh, ok := g.after(n); ok {
		for i := range fresh {
			if own.has(g.typ.Ref, g.identity(&fresh[i]), last) {
				return &fresh[i]
			}
		}
		return nil
	}
	first, least := "", g.count()+1
	for id, at := range g.rows {
		if at > n && at < least && own.has(g.typ.Ref, id, last) {
			first, least = id, at
		}
	}
	if least > g.count() {
		return nil
	}
	r := writepath.Identified(g.typ.Ref.Kind, first)
	return &r
}

// refuseStored is refuseExisting for the identities in the files of a window.
func (g *staging) refuseStored(ctx context.Context, pin *resolver.Pin, n int64, w ontosql.Window) error {
	keys, err := g.seek(ctx, n)
	if err != nil {
		return err
	}
	first, err := overMirror(ctx, sources{session: g.session}, func(src *sources) (*format.Row, error) {
		first, err := g.firstStored(ctx, src, pin, n, w, keys)
		if err == nil {
			src.release(context.WithoutCancel(ctx))
		}
		return first, err
	})
	if err != nil || first == nil {
		return err
	}
	return g.duplicate(first)
}

// firstStored is the first row after number n whose identity stands in the files
// of a window, nil for none.
func (g *staging) firstStored(ctx context.Context, src *sources, pin *resolver.Pin, n int64, w ontosql.Window, keys sought) (*format.Row, error) {
	report := windowReport{window: w}
	if keys.texts != nil {
		report.keys = keyBounds{keys.equals[0].Column: {texts: keys.texts}}
	}
	request := scan.Request{Type: g.typ, Window: w, KeyEquals: keys.equals}
	gap := w
	if use := src.mirrored(pin, g.typ, w); use != nil {
		request.Mirror, gap.Lower = &use.Source, max(w.Lower, use.Source.Through)
	}
	var err error
	request.Files, err = src.files(ctx, pin, g.typ, gap, request.Mirror != nil, &report)
	if err != nil || len(request.Files) == 0 && request.Mirror == nil {
		return nil, err
	}
	src.once = len(request.Files) > 0 || keys.args == nil
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

// firstIn is the first row after number n whose identity the request finds, nil
// for none.
func (g *staging) firstIn(ctx context.Context, src *sources, request scan.Request, args []any, n int64) (*format.Row, error) {
	query, err := scan.Identities(request)
	if err != nil {
		return nil, err
	}
	rows, st, err := src.start(ctx, query, args)
	if err != nil {
		return nil, err
	}
	if st != nil {
		defer st.Close()
	}
	var first *format.Row
	least := g.count() + 1
	err = rows.Each(ctx, func(b *column.Batch, i int) {
		r := keyed(g.typ.Ref.Kind, b, i)
		if at := g.rows[g.identity(&r)]; at > n && at < least {
			first, least = &r, at
		}
	})
	return first, err
}

// duplicate is PostgreSQL's error of a unique index (_bt_check_unique).
func (g *staging) duplicate(r *format.Row) error {
	var names, texts []string
	for _, k := range g.typ.Key {
		c := g.typ.Columns[k]
		names = append(names, c.Name)
		texts = append(texts, map[catalog.Role]string{
			catalog.FromEntityKey: r.Key, catalog.FromLeftKey: r.Left, catalog.FromRightKey: r.Right, catalog.FromInstanceKey: r.Instance,
		}[c.Role])
	}
	constraint := pgcatalog.PrimaryKeyName(g.typ.Table)
	e := pgerr.New(pgerr.UniqueViolation, "duplicate key value violates unique constraint %q", constraint).
		WithDetail("Key (%s)=(%s) already exists.", strings.Join(names, ", "), strings.Join(texts, ", "))
	e.Schema, e.Table, e.Constraint = schemaPublic, g.typ.Table, constraint
	return e
}
