package main

import "context"

// revenue joins the three types.
const revenue = `SELECT c.tier, sum(s.seats * p.price) FROM subscription AS s JOIN customer AS c ON c.id = s.left_key
	JOIN product AS p ON p.id = s.right_key GROUP BY c.tier ORDER BY c.tier`

// joinOfTypes has no goal; it shows that P2 is no special case.
func joinOfTypes(ctx context.Context, l *lab, r *result) error {
	pg, ours, duck, err := l.rivals(ctx)
	if err != nil {
		return err
	}
	inProcess, err := duck.prepared(ctx, revenue, 3)
	if err != nil {
		return err
	}
	var all []contender
	for _, target := range []struct{ name, dsn string }{{"PostgreSQL", pg.DSN}, {"ontosql", ours.dsn}} {
		c, err := dial(ctx, target.dsn)
		if err != nil {
			return err
		}
		defer c.close()
		st, err := c.prepare(revenue, formatBinary)
		if err != nil {
			return err
		}
		all = append(all, contender{target.name, each(1, func(int) error { return st.expect(3) })})
	}
	all = append(all, contender{"raw DuckDB, native tables", each(1, func(int) error { return inProcess() })})
	found, err := race(l.laps, all...)
	if err != nil {
		return err
	}
	r.note("PostgreSQL / ontosql", found[0].over(found[1]), "x")
	r.note("ontosql / raw DuckDB", found[1].over(found[2]), "x")
	r.times("", all, found)
	return nil
}
