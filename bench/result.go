package main

import (
	"context"

	"github.com/ontosql/ontosql/column"
)

// largeResult is every row of a table.
type largeResult struct {
	table string
	rows  int
	cols  []column.Named
	row   func(i int) []any
}

func (q largeResult) sql() string { return "SELECT * FROM " + q.table }

func named(name string, kind column.Kind) column.Named {
	return column.Named{Name: name, Type: column.Type{Kind: kind}}
}

func (s size) allProducts() largeResult {
	return largeResult{"product", s.Products, []column.Named{
		named("id", column.Int64), named("price", column.Float64), named("title", column.Text),
		named("added", column.TimestampTZ), named("active", column.Bool),
	}, func(i int) []any {
		p := productAt(i)
		return []any{p.id, p.price, p.title, p.added, p.active}
	}}
}

func (s size) allCustomers() largeResult {
	return largeResult{"customer", s.Customers, []column.Named{
		named("id", column.Text), named("name", column.Text), named("tier", column.Text),
		named("balance", column.Float64), named("visits", column.Int64),
	}, func(i int) []any {
		c := customerAt(i, s.Rounds-1)
		return []any{c.id, c.name, c.tier, c.balance, c.visits}
	}}
}

// largeResults is P3: every product and every customer, with five columns each.
func largeResults(ctx context.Context, l *lab, r *result) error {
	for _, q := range []largeResult{l.size.allProducts(), l.size.allCustomers()} {
		if err := q.compare(ctx, l, r); err != nil {
			return err
		}
	}
	return nil
}

func (q largeResult) compare(ctx context.Context, l *lab, r *result) error {
	pg, err := l.postgres(ctx)
	if err != nil {
		return err
	}
	ours, err := l.ontosql(ctx)
	if err != nil {
		return err
	}
	alone, stop, err := newEncoder(q.cols, q.rows, q.row).listen(ctx)
	if err != nil {
		return err
	}
	defer stop()
	for _, format := range []struct {
		name string
		code int16
	}{{"text", formatText}, {"binary", formatBinary}} {
		var all []contender
		for _, target := range []struct{ name, dsn string }{{"PostgreSQL", pg.DSN}, {"ontosql", ours.dsn}, {"encoder alone", alone}} {
			c, err := dial(ctx, target.dsn)
			if err != nil {
				return err
			}
			defer c.close()
			st, err := c.prepare(q.sql(), format.code)
			if err != nil {
				return err
			}
			all = append(all, contender{target.name, each(1, func(int) error { return st.expect(q.rows) })})
		}
		found, err := race(l.laps, all...)
		if err != nil {
			return err
		}
		name := q.table + ", " + format.name + ": "
		r.atLeast(name+"PostgreSQL / ontosql", found[0].over(found[1]), "x", 2)
		r.atLeast(name+"encoder alone / ontosql", found[2].over(found[1]), "x", 0.9)
		r.note(name+"ontosql", float64(q.rows)/found[1].median().Seconds()/1e6, "M rows/s")
		r.note(name+"encoder alone", float64(q.rows)/found[2].median().Seconds()/1e6, "M rows/s")
		r.times(name, all, found)
	}
	return nil
}
