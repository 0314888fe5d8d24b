package gateway

import (
	"context"
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
func (g *staging) firstOwn(own *OwnKeys, n int64, last ontosql.CommitID) *format.Row {
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
	src := &sources{session: g.session, repeated: true}
	defer func() { src.release(context.WithoutCancel(ctx)) }()
	literals, sql, err := g.keyTexts(ctx, n)
	if err != nil {
		return err
	}
	keys := scan.KeyColumns(g.typ.Ref.Kind)
	report := windowReport{window: w}
	if literals != nil {
		report.keys = keyBounds{keys[0]: literals}
	}
	request := scan.Request{Type: g.typ, Window: w, KeyEquals: []scan.KeyEqual{{Column: keys[0], Texts: sql}}}
	gap := w
	if use := src.mirrored(pin, g.typ, w); use != nil {
		request.Mirror, gap.Lower = &use.Source, max(w.Lower, use.Source.Through)
	}
	request.Files, err = src.files(ctx, pin, g.typ, gap, request.Mirror != nil, &report)
	if err != nil || len(request.Files) == 0 && request.Mirror == nil {
		return err
	}
	query, err := scan.Identities(request)
	if err != nil {
		return err
	}
	first, err := g.firstOf(ctx, src, query, n)
	if err != nil || first == nil {
		return err
	}
	return g.duplicate(first)
}

// firstOf is the first row after number n whose identity the query gives, nil
// for none.
func (g *staging) firstOf(ctx context.Context, src *sources, query string, n int64) (*format.Row, error) {
	st, rows, err := src.start(ctx, query)
	if err != nil {
		return nil, err
	}
	defer st.Close()
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
