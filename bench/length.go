package main

import (
	"context"
	"fmt"
)

const insertOne = "INSERT INTO customer (id, name, tier, balance, visits) VALUES ($1, $2, $3, $4, $5)"

// lengthOfHistory is P6: the same customers in a long and in a short history,
// each in a directory and mirrored. What a query and a commit take must not
// depend on it.
func lengthOfHistory(ctx context.Context, l *lab, r *result) error {
	var latest, commit, after []contender
	for _, store := range []struct {
		name string
		make func(context.Context) (string, error)
	}{{"short history", l.short}, {"long history", l.long}} {
		kept, err := store.make(ctx)
		if err != nil {
			return err
		}
		g, err := l.serveCopy(ctx, kept)
		if err != nil {
			return err
		}
		defer g.stop()
		if err := g.mirrored(ctx, "customer"); err != nil {
			return err
		}
		c, err := dial(ctx, g.dsn)
		if err != nil {
			return err
		}
		defer c.close()
		average, err := c.prepare(aggregates[0].of("customer"), formatBinary)
		if err != nil {
			return err
		}
		insert, err := c.prepare(insertOne, formatBinary)
		if err != nil {
			return err
		}
		serial := 0
		one := func(prefix string) error {
			serial++
			return insert.expect(0, newCustomer(prefix, serial)...)
		}
		questions := l.size.questions(20)
		latest = append(latest, contender{store.name, each(questions, func(int) error { return average.expect(1) })})
		commit = append(commit, contender{store.name, each(questions, func(int) error { return one("p") })})
		after = append(after, contender{store.name, each(questions, func(int) error {
			if err := one("q"); err != nil {
				return err
			}
			return average.expect(1)
		})})
	}
	for _, m := range []struct {
		name string
		all  []contender
		goal bool
	}{{"latest query", latest, true}, {"commit", commit, true}, {"commit, and a query that sees it", after, false}} {
		found, err := race(2*l.laps, m.all...)
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		name := fmt.Sprintf("%s: %d commits / %d", m.name, l.size.Long, shortHistory)
		if m.goal {
			r.atMost(name, found[1].over(found[0]), "x", 1.2)
		} else {
			r.note(name, found[1].over(found[0]), "x")
		}
		r.times(m.name+": ", m.all, found)
	}
	return nil
}

// newCustomer is what insertOne writes; another prefix or number is another
// customer.
func newCustomer(prefix string, i int) []string {
	c := customerAt(i, 0)
	return []string{prefix + c.id, c.name, c.tier, fmt.Sprint(c.balance), fmt.Sprint(c.visits)}
}

// serveCopy serves a store that may be written to, with a new cache.
func (l *lab) serveCopy(ctx context.Context, kept string) (*gateway, error) {
	store, err := l.newDir("store")
	if err != nil {
		return nil, err
	}
	if err := clone(kept, store); err != nil {
		return nil, err
	}
	cache, err := l.newDir("cache")
	if err != nil {
		return nil, err
	}
	return l.serve(ctx, "--storage-uri", store, "--cache-dir", cache)
}
