package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"time"
)

// upserts is P20: a steady stream of large upserts into one table, each one durable commit. ontosql takes
// each as a COPY with ontosql.on_conflict, PostgreSQL as a COPY to a temporary table and an
// INSERT ... ON CONFLICT from there. Each turn is the whole stream, and waits for nothing but its
// acknowledgements; before the next turn ontosql's mirror catches up, which is timed apart.
func upserts(ctx context.Context, l *lab, r *result) error {
	s := l.size
	pg, err := l.postgres(ctx)
	if err != nil {
		return err
	}
	ours, err := l.serveNew(ctx, cacheSize)
	if err != nil {
		return err
	}
	defer ours.stop()
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
	for _, c := range []*client{theirs, mine} {
		if err := s.makeAccounts(c); err != nil {
			return err
		}
	}
	defer func() { _, _ = theirs.query("DROP TABLE account") }()
	for _, sql := range []string{"CREATE TEMP TABLE staged (LIKE account)", "VACUUM ANALYZE account"} {
		if _, err := theirs.query(sql); err != nil {
			return err
		}
	}
	if _, err := mine.query("SET ontosql.on_conflict = 'update'"); err != nil {
		return err
	}
	if err := ours.mirrored(ctx, "account"); err != nil {
		return err
	}
	base, _, err := ours.memory()
	if err != nil {
		return err
	}
	if err := ours.forgetPeak(); err != nil {
		return err
	}
	turn := func(upsert func(rows io.Reader) error) func(lap int) ([]time.Duration, error) {
		return func(lap int) ([]time.Duration, error) {
			var took time.Duration
			for batch := range s.Upserts {
				var rows bytes.Buffer
				s.upsert(&rows, lap*s.Upserts+batch)
				began := time.Now()
				if err := upsert(&rows); err != nil {
					return nil, err
				}
				took += time.Since(began)
			}
			return []time.Duration{took}, nil
		}
	}
	var behind, worked samples
	stream := turn(func(rows io.Reader) error { return mine.copyIn("COPY account FROM STDIN", rows) })
	all := []contender{{"PostgreSQL", turn(theirs.upsertByTable)}, {"ontosql", func(lap int) ([]time.Duration, error) {
		before := processorTime(ours.cmd.Process.Pid)
		took, err := stream(lap)
		if err != nil {
			return nil, err
		}
		began := time.Now()
		if err := ours.mirrored(ctx, "account"); err != nil {
			return nil, err
		}
		behind, worked = append(behind, time.Since(began)), append(worked, processorTime(ours.cmd.Process.Pid)-before)
		return took, nil
	}}}
	found, err := race(l.laps, all...)
	if err != nil {
		return err
	}
	_, peak, err := ours.memory()
	if err != nil {
		return err
	}
	if err := sameAccounts(theirs, mine); err != nil {
		return err
	}
	rate := func(took time.Duration) float64 { return float64(s.Upserts*s.UpsertRows) / took.Seconds() }
	r.atLeast(fmt.Sprintf("%d upserts of %d rows into %d keys: PostgreSQL / ontosql", s.Upserts, s.UpsertRows, s.UpsertKeys), found[0].over(found[1]), "x", 3)
	r.note("PostgreSQL", rate(found[0].median()), "rows/s")
	r.note("ontosql", rate(found[1].median()), "rows/s")
	r.note("ontosql, until the mirror has caught up, too", rate(found[1].median()+behind[1:].median()), "rows/s")
	r.note("ontosql, processor time with the mirror's", worked[1:].median().Seconds()*1e6/float64(s.Upserts*s.UpsertRows), "µs/row")
	r.note("base, mirror attached", base, "MiB")
	r.atMost("memory over base", peak-base, "MiB", 1024)
	r.times("", all, found)
	return nil
}

// makeAccounts makes a table with a row of each key.
func (s size) makeAccounts(c *client) error {
	if _, err := c.query("CREATE TABLE account (id text PRIMARY KEY, name text, tier text, balance double precision, visits bigint)"); err != nil {
		return err
	}
	lines, w := io.Pipe()
	go func() {
		var rows bytes.Buffer
		for i := range s.UpsertKeys {
			accountLine(&rows, customerAt(i, 0))
			if rows.Len() > 1<<16 {
				if _, err := rows.WriteTo(w); err != nil {
					return
				}
			}
		}
		_, err := rows.WriteTo(w)
		w.CloseWithError(err)
	}()
	defer func() { _ = lines.Close() }() // ends the writer above, if the server stops reading
	return c.copyIn("COPY account FROM STDIN", lines)
}

// upsert writes the lines of a batch: other keys than the batch before, in no order, with new values.
func (s size) upsert(w io.Writer, batch int) {
	const stride = 7919 // prime to the number of keys
	for i := range s.UpsertRows {
		accountLine(w, customerAt((batch*s.UpsertRows+i)*stride%s.UpsertKeys, 1+batch))
	}
}

func accountLine(w io.Writer, c customer) {
	fmt.Fprintf(w, "%s\t%s\t%s\t%v\t%d\n", c.id, c.name, c.tier, c.balance, c.visits)
}

// upsertByTable is an upsert as PostgreSQL's manual has it for many rows.
func (c *client) upsertByTable(rows io.Reader) error {
	if _, err := c.query("BEGIN"); err != nil {
		return err
	}
	if err := c.copyIn("COPY staged FROM STDIN", rows); err != nil {
		return err
	}
	for _, sql := range []string{
		"INSERT INTO account SELECT * FROM staged ON CONFLICT (id) DO UPDATE SET name = excluded.name, tier = excluded.tier, balance = excluded.balance, visits = excluded.visits",
		"TRUNCATE staged", "COMMIT",
	} {
		if _, err := c.query(sql); err != nil {
			return err
		}
	}
	return nil
}

// sameAccounts is an error if the tables differ.
func sameAccounts(a, b *client) error {
	const sums = "SELECT count(*), sum(visits), sum(CAST(balance * 100 AS bigint)), min(id), max(name) FROM account"
	x, err := a.query(sums)
	if err != nil {
		return err
	}
	y, err := b.query(sums)
	if err == nil && fmt.Sprint(x) != fmt.Sprint(y) {
		err = fmt.Errorf("the accounts are %v and %v", x, y)
	}
	return err
}
