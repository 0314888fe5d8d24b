package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// What changes the type of a column and back, in every row.
const (
	toText   = "ALTER TABLE %s ALTER COLUMN price TYPE text USING price::text"
	toNumber = "ALTER TABLE %s ALTER COLUMN price TYPE double precision USING price::double precision"
)

// productByKey leaves out the column whose type changes: with it the prepared
// statement would be refused after the change, as PostgreSQL does.
const productByKey = "SELECT id, title, added, active FROM product WHERE id = $1"

// unblocked bounds the longest look-up during the change, or ten times the p99 without a change
// if that is more. On a busy machine a look-up waits for the processor; one that waits for the
// change takes as long as the change.
const unblocked = 100 * time.Millisecond

// retyping changes the type of a column of all products, on a copy of the store, in turn with
// PostgreSQL. The change back is not timed: meanwhile another session looks up products.
func retyping(ctx context.Context, l *lab, r *result) error {
	pg, err := l.postgres(ctx)
	if err != nil {
		return err
	}
	store, err := l.history(ctx)
	if err != nil {
		return err
	}
	g, err := l.serveCopy(ctx, store)
	if err != nil {
		return err
	}
	defer g.stop()
	ours := &retyper{lab: l, gateway: g}
	if ours.writer, err = dial(ctx, g.dsn); err != nil {
		return err
	}
	defer ours.writer.close()
	reader, err := dial(ctx, g.dsn)
	if err != nil {
		return err
	}
	defer reader.close()
	if ours.lookUp, err = reader.prepare(productByKey, formatBinary); err != nil {
		return err
	}
	theirs, err := dial(ctx, pg.DSN)
	if err != nil {
		return err
	}
	defer theirs.close()
	drop, err := theirs.copyTables("retyped_", "product")
	if err != nil {
		return err
	}
	defer drop()
	all := []contender{
		{"PostgreSQL", func(int) ([]time.Duration, error) {
			took, err := theirs.timed(fmt.Sprintf(toText, "retyped_product"))
			if err == nil {
				_, err = theirs.query(fmt.Sprintf(toNumber, "retyped_product"))
			}
			return []time.Duration{took}, err
		}},
		{"ontosql", func(lap int) ([]time.Duration, error) { return ours.turn(ctx, lap) }},
	}
	found, err := race(l.laps, all...)
	if err != nil {
		return err
	}
	name := fmt.Sprintf("ALTER TYPE of %d rows", l.size.Products)
	r.atLeast(name, float64(l.size.Products)/found[1].median().Seconds()/1e3, "k rows/s", 300)
	r.note(name+": PostgreSQL / ontosql", found[0].over(found[1]), "x")
	r.atMost(name+", memory over base", ours.memory, "MiB", 512)
	usual := ours.quiet.quantile(0.99)
	r.atMost("longest look-up beside it", milliseconds(slices.Max(ours.beside)), "ms", milliseconds(max(10*usual, unblocked)))
	r.times(name+": ", all, found)
	r.timed("look-up, nothing beside it", ours.quiet)
	r.timed("look-up beside ALTER TYPE", ours.beside)
	return nil
}

// retyper changes the type of a column in ontosql.
type retyper struct {
	lab     *lab
	gateway *gateway
	writer  *client
	lookUp  *statement
	looked  int // how often

	memory        float64 // MiB over that before the change, the most of all laps
	quiet, beside samples // look-ups without a change, and during one
}

// turn changes the type, which it times, and then changes it back while look-ups run. Both
// start when the mirror is complete.
func (t *retyper) turn(ctx context.Context, lap int) ([]time.Duration, error) {
	if err := t.gateway.mirrored(ctx, "product"); err != nil {
		return nil, err
	}
	base, _, err := t.gateway.memory()
	if err != nil {
		return nil, err
	}
	if err := t.gateway.forgetPeak(); err != nil {
		return nil, err
	}
	took, err := t.writer.timed(fmt.Sprintf(toText, "product"))
	if err != nil {
		return nil, err
	}
	_, peak, err := t.gateway.memory()
	if err != nil {
		return nil, err
	}
	t.memory = max(t.memory, peak-base)
	if err := t.rewritten(); err != nil {
		return nil, err
	}
	if err := t.gateway.mirrored(ctx, "product"); err != nil {
		return nil, err
	}
	quiet, err := t.look(func(asked int) bool { return asked < t.lab.size.questions(aTurn) })
	if err != nil {
		return nil, err
	}
	done := make(chan error)
	go func() {
		_, err := t.writer.query(fmt.Sprintf(toNumber, "product"))
		done <- err
	}()
	var failed error
	beside, err := t.look(func(int) bool {
		select {
		case failed = <-done:
			return false
		default:
			return true
		}
	})
	if err != nil {
		<-done
		return nil, err
	}
	if failed != nil {
		return nil, failed
	}
	if err := t.rewritten(); err != nil {
		return nil, err
	}
	if lap > 0 {
		t.quiet, t.beside = append(t.quiet, quiet...), append(t.beside, beside...)
	}
	return []time.Duration{took}, nil
}

// rewritten wants the last commit to have written every product again.
func (t *retyper) rewritten() error {
	rows, err := t.writer.query("SELECT row_count FROM ontosql.commits ORDER BY commit_id DESC LIMIT 1")
	if err == nil && rows[0][0] != fmt.Sprint(t.lab.size.Products) {
		err = fmt.Errorf("the last commit has %s rows, want %d", rows[0][0], t.lab.size.Products)
	}
	return err
}

// look times look-ups of products at random while there are more to be asked.
func (t *retyper) look(more func(asked int) bool) (samples, error) {
	var all samples
	for more(len(all)) {
		id := rand.New(random(ofQuestions, t.looked, 1)).IntN(t.lab.size.Products)
		t.looked++
		began := time.Now()
		if err := t.lookUp.expect(1, fmt.Sprint(id)); err != nil {
			return nil, err
		}
		all = append(all, time.Since(began))
	}
	return all, nil
}
