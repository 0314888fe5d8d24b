package main

import (
	"context"
	"fmt"
)

const (
	sessions = 1000
	larger   = 10 // times the small result
)

// memory is P8: what idle sessions cost, and whether a large result costs more
// than a small one. Both read the same rows of the same mirror, so that what the
// engine keeps of its file is the same.
func memory(ctx context.Context, l *lab, r *result) error {
	if _, err := l.ontosql(ctx); err != nil {
		return err
	}
	l.stopServer() // what it took to build the mirror is not to be seen
	g, err := l.ontosql(ctx)
	if err != nil {
		return err
	}
	c, err := dial(ctx, g.dsn)
	if err != nil {
		return err
	}
	defer c.close()
	// The blocks that the sessions will read are the mirror's, and not theirs.
	warm, err := c.prepare(byKey, formatBinary)
	if err != nil {
		return err
	}
	for i := range sessions {
		if err := warm.expect(1, l.someKey(i)); err != nil {
			return err
		}
	}
	base, err := g.memoryAtRest(ctx)
	if err != nil {
		return err
	}
	for i := range sessions {
		idle, err := dial(ctx, g.dsn)
		if err != nil {
			return err
		}
		defer idle.close()
		st, err := idle.prepare(byKey, formatBinary)
		if err != nil {
			return err
		}
		if err := st.expect(1, l.someKey(i)); err != nil {
			return err
		}
	}
	full, err := g.memoryAtRest(ctx)
	if err != nil {
		return err
	}
	r.note("base, mirror attached", base, "MiB")
	r.atMost(fmt.Sprintf("%d idle sessions over base", sessions), full-base, "MiB", 60)

	small := l.size.allProducts().sql()
	large := fmt.Sprintf("SELECT product.* FROM product CROSS JOIN generate_series(1, %d)", larger)
	var peaks [2][]float64
	for lap := range l.laps + 1 {
		for i, q := range []struct {
			sql  string
			rows int
		}{{small, l.size.Products}, {large, larger * l.size.Products}} {
			if lap > 0 {
				if err := g.forgetPeak(); err != nil {
					return err
				}
			}
			st, err := c.prepare(q.sql, formatText)
			if err != nil {
				return err
			}
			if err := st.expect(q.rows); err != nil {
				return fmt.Errorf("%s: %w", q.sql, err)
			}
			_, peak, err := g.memory()
			if err != nil {
				return err
			}
			if lap > 0 {
				peaks[i] = append(peaks[i], peak)
			}
		}
	}
	a, b := median(peaks[0]), median(peaks[1])
	r.note(fmt.Sprintf("peak, %d rows", l.size.Products), a, "MiB")
	r.note(fmt.Sprintf("peak, %d rows", larger*l.size.Products), b, "MiB")
	r.atMost("large result / small result", b/a, "x", 1.1)
	return nil
}
