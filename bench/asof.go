package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
)

// The past of the two tables at the point $1, and for one key $2.
const (
	pastRaw = `SELECT count(*), avg(balance) FROM (SELECT balance FROM cur WHERE c <= %[1]s UNION ALL SELECT balance FROM hist WHERE c <= %[1]s AND v > %[1]s)`
	keyRaw  = `SELECT * FROM (SELECT id, name, tier, balance, visits FROM cur WHERE id = %[2]s AND c <= %[1]s
		UNION ALL SELECT id, name, tier, balance, visits FROM hist WHERE id = %[2]s AND c <= %[1]s AND v > %[1]s)`
	pastOurs = "SELECT count(*), avg(balance) FROM as_of.customer($1::bigint)"
	keyOurs  = "SELECT id, name, tier, balance, visits FROM as_of.customer($1::bigint) WHERE id = $2"
)

// pastPoints is P7: the customers as they were at random commits. DuckDB is
// asked both with a prepared statement and with the commit in the text, which it
// can compare with what it knows of the tables' blocks; the faster one counts.
func pastPoints(ctx context.Context, l *lab, r *result) error {
	ours, err := l.ontosql(ctx)
	if err != nil {
		return err
	}
	duck, err := l.duckdb(ctx)
	if err != nil {
		return err
	}
	c, err := dial(ctx, ours.dsn)
	if err != nil {
		return err
	}
	defer c.close()
	questions := l.size.questions(10)
	for _, q := range []struct {
		name, latest, past, raw string
		args                    func(point, key string) []string
	}{
		{
			"average", aggregates[0].of("customer"), pastOurs, pastRaw,
			func(point, _ string) []string { return []string{point} },
		},
		{
			"one key", byKey, keyOurs, keyRaw,
			func(point, key string) []string { return []string{point, key} },
		},
	} {
		past, err := c.prepare(q.past, formatBinary)
		if err != nil {
			return err
		}
		latest, err := c.prepare(q.latest, formatBinary)
		if err != nil {
			return err
		}
		prepared, err := duck.prepared(ctx, fmt.Sprintf(q.raw, "CAST($1 AS BIGINT)", "$2"), 1)
		if err != nil {
			return err
		}
		args := func(i int) []string { return q.args(l.somePoint(i), l.someKey(i)) }
		all := []contender{
			{"ontosql, past", each(questions, func(i int) error { return past.expect(1, args(i)...) })},
			{"ontosql, latest", each(questions, func(i int) error { return latest.expect(1, args(i)[1:]...) })},
			{"raw DuckDB, prepared", each(questions, func(i int) error {
				var values []any
				for _, a := range args(i) {
					values = append(values, a)
				}
				return prepared(values...)
			})},
			{"raw DuckDB, text", each(questions, func(i int) error {
				return duck.text(ctx, fmt.Sprintf(q.raw, l.somePoint(i), "'"+l.someKey(i)+"'"), 1)
			})},
		}
		found, err := race(2*l.laps, all...)
		if err != nil {
			return err
		}
		raw := found[2]
		if found[3].median() < raw.median() {
			raw = found[3]
		}
		r.atMost(q.name+": past / latest", found[0].over(found[1]), "x", 5)
		r.atMost(q.name+": ontosql / raw DuckDB on the same two tables", found[0].over(raw), "x", 1.1)
		r.times(q.name+": ", all, found)
	}
	return nil
}

// somePoint is the commit of the i-th question: one at which every customer was
// there.
func (l *lab) somePoint(i int) string {
	first := 1 + l.size.Slices // after the one that registers the types
	return strconv.Itoa(first + rand.New(random(ofQuestions, i, 1)).IntN(1+l.size.commits()-first+1))
}
