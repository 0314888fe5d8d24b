package main

import (
	"context"
	"fmt"
	"strconv"
)

// neighbours is how many commits of one customer each are compared in pairs.
const neighbours = 20

// timeMachine is P23: what changed between two neighbouring commits of a large type, between the
// ends of the long history, and last, all from native copies and without the result cache.
func timeMachine(ctx context.Context, l *lab, r *result) error {
	kept, err := l.history(ctx)
	if err != nil {
		return err
	}
	large, done, err := l.askedWarm(ctx, kept)
	if err != nil {
		return err
	}
	defer done()
	insert, err := large.prepare(insertOne, formatBinary)
	if err != nil {
		return err
	}
	for i := range neighbours {
		if err := insert.expect(0, newCustomer("n", i)...); err != nil {
			return err
		}
	}
	diff, err := large.prepare("SELECT * FROM diff.customer($1::bigint, $2::bigint)", formatText)
	if err != nil {
		return err
	}
	before := 1 + l.size.commits() // the first registers the types
	all := []contender{{"diff of neighbouring commits", each(l.size.questions(50), func(i int) error {
		at := before + i%neighbours
		return diff.expect(1, strconv.Itoa(at), strconv.Itoa(at+1))
	})}}
	for _, store := range []struct {
		name string
		make func(context.Context) (string, error)
	}{{"short history", l.short}, {"long history", l.long}} {
		kept, err := store.make(ctx)
		if err != nil {
			return err
		}
		c, done, err := l.askedWarm(ctx, kept)
		if err != nil {
			return err
		}
		defer done()
		for _, q := range []struct {
			name, sql string
			rows      int
		}{{"diff_stat", "SELECT * FROM ontosql.diff_stat(1, 'HEAD')", 1}, {"last_change", "SELECT * FROM ontosql.last_change WHERE commit_id IS NOT NULL", 1}} {
			st, err := c.prepare(q.sql, formatText)
			if err != nil {
				return err
			}
			all = append(all, contender{q.name + ", " + store.name, each(l.size.questions(20), func(int) error { return st.expect(q.rows) })})
		}
	}
	found, err := race(l.laps, all...)
	if err != nil {
		return err
	}
	r.atMost(fmt.Sprintf("diff of neighbouring commits, %d rows", l.size.Customers), milliseconds(found[0].median()), "ms", 5)
	r.atMost(fmt.Sprintf("diff_stat over %d commits", l.size.Long), milliseconds(found[3].median()), "ms", 50)
	r.note("diff_stat: long history / short", found[3].over(found[1]), "x")
	r.atMost(fmt.Sprintf("last_change: %d commits / %d", l.size.Long, shortHistory), found[4].over(found[2]), "x", 1.2)
	r.times("", all, found)
	return nil
}

// askedWarm serves a copy of a store whose customers have a native copy, to a client without the
// result cache.
func (l *lab) askedWarm(ctx context.Context, kept string) (c *client, done func(), err error) {
	g, err := l.serveCopy(ctx, kept)
	if err != nil {
		return nil, nil, err
	}
	if err = g.mirrored(ctx, "customer"); err == nil {
		c, err = dial(ctx, g.dsn)
	}
	if err == nil {
		if _, err = c.query("SET ontosql.result_cache = off"); err != nil {
			c.close()
		}
	}
	if err != nil {
		g.stop()
		return nil, nil, err
	}
	return c, func() { c.close(); g.stop() }, nil
}
