package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

const (
	byKey    = "SELECT id, name, tier, balance, visits FROM customer WHERE id = $1"
	nothing  = "SELECT 1"
	aTurn    = 200 // questions of one connection in one turn
	together = 16  // connections at once
)

// pointLookups is P1: a customer by the key, prepared, over one connection and
// over many, and what SELECT 1 takes of that. Keys are at random.
func pointLookups(ctx context.Context, l *lab, r *result) error {
	pg, ours, duck, err := l.rivals(ctx)
	if err != nil {
		return err
	}
	inProcess, err := duck.prepared(ctx, strings.Replace(byKey, "customer", "cur", 1), 1)
	if err != nil {
		return err
	}
	mine, err := l.dialByKey(ctx, ours.dsn)
	if err != nil {
		return err
	}
	defer mine.close()
	for _, connections := range []int{1, together} {
		all := []contender{}
		for _, target := range []struct{ name, dsn string }{{"PostgreSQL", pg.DSN}, {"ontosql", ours.dsn}} {
			for _, sql := range []string{byKey, nothing} {
				name := target.name + ", look-up"
				if sql == nothing {
					name = target.name + ", SELECT 1"
				}
				c, closeAll, err := l.crowd(ctx, target.dsn, sql, connections)
				if err != nil {
					return fmt.Errorf("%s: %w", name, err)
				}
				defer closeAll()
				all = append(all, contender{name, c})
			}
		}
		if connections == 1 {
			all = append(all, contender{"raw DuckDB in-process, look-up", each(l.size.questions(aTurn), func(i int) error { return inProcess(l.someKey(i)) })})
		}
		found, err := race(l.laps, all...)
		if err != nil {
			return err
		}
		conns := fmt.Sprintf("%d connections: ", connections)
		if connections == 1 {
			conns = "1 connection: "
		}
		r.atMost(conns+"ontosql / PostgreSQL", found[2].over(found[0]), "x", 1)
		r.note(conns+"ontosql / PostgreSQL, SELECT 1", found[3].over(found[1]), "x")
		if len(found) > 4 {
			r.note(conns+"raw DuckDB in-process / PostgreSQL", found[4].over(found[0]), "x")
		}
		r.times(conns, all, found)
	}
	return nil
}

// someKey is the key of the i-th question.
func (l *lab) someKey(i int) string {
	return customerID(rand.New(random(ofQuestions, i, 0)).IntN(l.size.Customers))
}

// crowd is a turn of several connections at once, each of which looks up keys, or asks nothing.
func (l *lab) crowd(ctx context.Context, dsn, sql string, connections int) (turn func(lap int) ([]time.Duration, error), closeAll func(), err error) {
	return l.crowdOf(ctx, dsn, sql, connections, l.size.questions(aTurn), func(st *statement, n int) error {
		if sql == nothing {
			return st.expect(1)
		}
		return st.expect(1, l.someKey(n))
	})
}

// crowdOf is a turn of several connections at once, each of which executes one statement so many
// times. n is another number for each time, over all connections and laps.
func (l *lab) crowdOf(ctx context.Context, dsn, sql string, connections, questions int, ask func(st *statement, n int) error) (turn func(lap int) ([]time.Duration, error), closeAll func(), err error) {
	var clients []*client
	closeAll = func() {
		for _, c := range clients {
			c.close()
		}
	}
	asks := make([]func(lap int) ([]time.Duration, error), connections)
	for i := range asks {
		c, err := dial(ctx, dsn)
		if err != nil {
			closeAll()
			return nil, nil, err
		}
		clients = append(clients, c)
		st, err := c.prepare(sql, formatBinary)
		if err != nil {
			closeAll()
			return nil, nil, err
		}
		asks[i] = each(questions, func(n int) error { return ask(st, n*connections+i) })
	}
	return func(lap int) ([]time.Duration, error) {
		var all []time.Duration
		var mu sync.Mutex
		var g errgroup.Group
		for _, ask := range asks {
			g.Go(func() error {
				took, err := ask(lap)
				mu.Lock()
				defer mu.Unlock()
				all = append(all, took...)
				return err
			})
		}
		return all, g.Wait()
	}, closeAll, nil
}
