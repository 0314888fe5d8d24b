package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"time"
)

// writes is P4: large writes as one durable commit each, next to PostgreSQL's on the same disk.
// Before each turn of ontosql its mirror contains the commit of the turn before. PostgreSQL's
// checkpoints are not forced.
func writes(ctx context.Context, l *lab, r *result) error {
	pg, err := l.postgres(ctx)
	if err != nil {
		return err
	}
	store, err := l.history(ctx)
	if err != nil {
		return err
	}
	ours, err := l.serveCopy(ctx, store)
	if err != nil {
		return err
	}
	defer ours.stop()
	if err := ours.mirrored(ctx, "customer", "product"); err != nil {
		return err
	}
	theirs, err := dial(ctx, pg.DSN)
	if err != nil {
		return err
	}
	defer theirs.close()
	mine, err := dial(ctx, ours.dsn)
	if err != nil {
		return err
	}
	defer mine.close()
	drop, err := theirs.copyTables("written_", "customer", "product")
	if err != nil {
		return err
	}
	defer drop()
	for _, w := range []struct {
		name string
		goal float64 // of PostgreSQL's time / ontosql's
		do   func(c *client, prefix string, lap int) (time.Duration, error)
	}{
		{"COPY", 1.5, l.size.copyProducts},
		{"UPDATE of a twentieth", 1, func(c *client, prefix string, _ int) (time.Duration, error) {
			return c.timed("UPDATE " + prefix + "customer SET balance = balance + 1 WHERE visits < 50")
		}},
		{"ON CONFLICT of a twentieth", 1, func(c *client, prefix string, lap int) (time.Duration, error) {
			return c.timed(fmt.Sprintf("INSERT INTO %scustomer (id, name, tier, balance, visits) SELECT 'c' || lpad((g * 19 %% %d)::text, 7, '0'), 'Customer number ' || g, 'Gold', g * 0.5, %d FROM generate_series(1, %d) AS g "+
				"ON CONFLICT (id) DO UPDATE SET balance = excluded.balance, visits = excluded.visits", prefix, l.size.Customers, 1000+lap, l.size.Customers/20))
		}},
	} {
		turn := func(c *client, prefix string) func(lap int) ([]time.Duration, error) {
			return func(lap int) ([]time.Duration, error) {
				if c == mine {
					if err := ours.mirrored(ctx, "customer", "product"); err != nil {
						return nil, err
					}
				}
				took, err := w.do(c, prefix, lap)
				return []time.Duration{took}, err
			}
		}
		all := []contender{{"PostgreSQL", turn(theirs, "written_")}, {"ontosql", turn(mine, "")}}
		found, err := race(l.laps, all...)
		if err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
		r.atLeast(w.name+": PostgreSQL / ontosql", found[0].over(found[1]), "x", w.goal)
		r.times(w.name+": ", all, found)
	}
	return l.size.memoryOfCopy(ctx, l, ours, mine, r)
}

// productColumns are the columns in the order of newProducts.
const productColumns = "product (id, price, title, added, active)"

// copyProducts copies as many new products as there were at the beginning.
func (s size) copyProducts(c *client, prefix string, lap int) (time.Duration, error) {
	var data bytes.Buffer
	s.newProducts(&data, 1+lap, 1)
	began := time.Now()
	err := c.copyIn("COPY "+prefix+productColumns+" FROM STDIN", &data)
	return time.Since(began), err
}

// newProducts writes the lines of products that come after so many times the
// products of the history.
func (s size) newProducts(w io.Writer, after, times int) {
	for i := after * s.Products; i < (after+times)*s.Products; i++ {
		p := productAt(i)
		fmt.Fprintf(w, "%d\t%v\t%s\t%s\t%t\n", p.id, p.price, p.title, p.added.Format(time.RFC3339), p.active)
	}
}

// memoryOfCopy copies ten times as many rows and looks at the gateway's memory.
func (s size) memoryOfCopy(ctx context.Context, l *lab, g *gateway, c *client, r *result) error {
	if err := g.mirrored(ctx, "customer", "product"); err != nil {
		return err
	}
	base, _, err := g.memory()
	if err != nil {
		return err
	}
	if err := g.forgetPeak(); err != nil {
		return err
	}
	lines, w := io.Pipe()
	go func() {
		b := bufio.NewWriterSize(w, 1<<16)
		s.newProducts(b, l.laps+2, larger)
		w.CloseWithError(b.Flush())
	}()
	began := time.Now()
	if err := c.copyIn("COPY "+productColumns+" FROM STDIN", lines); err != nil {
		return fmt.Errorf("COPY of %d rows: %w", larger*s.Products, err)
	}
	took := time.Since(began)
	_, peak, err := g.memory()
	if err != nil {
		return err
	}
	r.note("base before the large COPY", base, "MiB")
	r.atMost(fmt.Sprintf("COPY of %d rows, memory over base", larger*s.Products), peak-base, "MiB", 512)
	r.note("COPY of as many rows", float64(larger*s.Products)/took.Seconds()/1e6, "M rows/s")
	return nil
}
