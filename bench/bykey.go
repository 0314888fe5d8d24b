package main

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// manyKeys is how many keys one statement of P24 asks for.
const manyKeys = 100

// keyQuestion is a question by key that both sides answer. args are those of the i-th time.
type keyQuestion struct {
	name         string
	theirs, ours string
	rows         int
	args         func(i int) []string
}

// byKeys is P24: what programs ask by key besides a single row, small writes by key, look-ups
// beside a large commit of another gateway, and the first fill of the row store.
func byKeys(ctx context.Context, l *lab, r *result) error {
	if err := l.readsByKey(ctx, r); err != nil {
		return err
	}
	if err := l.updatesByKey(ctx, r); err != nil {
		return err
	}
	if err := l.lookUpsBesideACommit(ctx, r); err != nil {
		return err
	}
	return l.firstFills(ctx, r)
}

// readsByKey compares with PostgreSQL, and the past with the latest state.
func (l *lab) readsByKey(ctx context.Context, r *result) error {
	pg, err := l.postgres(ctx)
	if err != nil {
		return err
	}
	ours, err := l.ontosql(ctx)
	if err != nil {
		return err
	}
	if err := l.readAllByKey(ctx, pg.DSN, dial); err != nil {
		return err
	}
	if err := l.readAllByKey(ctx, ours.dsn, l.dialByKey); err != nil {
		return err
	}
	const columns = "id, name, tier, balance, visits"
	some := max(1, l.size.Subscriptions/l.size.Customers) // of a customer that has any
	subscriber := func(i int) []string {
		return []string{customerID(i * 7919 % min(l.size.Customers, l.size.Subscriptions))}
	}
	key := func(i int) []string { return []string{l.someKey(i)} }
	const subscriptions = "SELECT left_key, right_key, plan, seats FROM subscription WHERE left_key = $1"
	const three = "SELECT s.plan, s.seats, c.name, c.tier, p.title, p.price FROM subscription s JOIN customer c ON c.id = s.left_key JOIN product p ON p.id = s.right_key WHERE s.left_key = $1"
	for _, q := range []struct {
		keyQuestion
		goal   float64
		latest bool // compared with the latest look-up of ontosql, else with PostgreSQL
	}{
		{keyQuestion{"= ANY of 100 keys", "SELECT " + columns + " FROM customer WHERE id = ANY($1)", "SELECT " + columns + " FROM customer WHERE id = ANY($1)", manyKeys, l.someKeys}, 1.2, false},
		{keyQuestion{"relations of a left key", subscriptions, subscriptions, some, subscriber}, 1.2, false},
		{keyQuestion{"join of three by key", three, three, some, subscriber}, 1.2, false},
		{keyQuestion{
			"as of a commit", "SELECT " + columns + " FROM customer_versions WHERE id = $2 AND commit_id <= $1::bigint ORDER BY commit_id DESC LIMIT 1", keyOurs, 1,
			func(i int) []string { return []string{l.somePoint(i), l.someKey(i)} },
		}, 1.5, true},
		{keyQuestion{"history", "SELECT " + columns + " FROM customer_versions WHERE id = $1", "SELECT " + columns + " FROM history.customer WHERE id = $1", l.size.Rounds, key}, 1.5, true},
	} {
		latest := keyQuestion{"latest", byKey, byKey, 1, key}
		var all []contender
		for _, side := range []struct {
			name, dsn, sql string
			of             *keyQuestion
		}{
			{"PostgreSQL", pg.DSN, q.theirs, &q.keyQuestion},
			{"ontosql", ours.dsn, q.ours, &q.keyQuestion},
			{"ontosql, latest look-up", ours.dsn, latest.ours, &latest},
		} {
			c, err := dial(ctx, side.dsn)
			if err != nil {
				return err
			}
			defer c.close()
			if side.dsn == ours.dsn {
				if err := c.inRowStore(side.sql, side.of.args(0)); err != nil {
					l.tell("%s: %v", q.name, err)
				}
			}
			st, err := c.prepare(side.sql, formatBinary)
			if err != nil {
				return err
			}
			all = append(all, contender{side.name, each(l.size.questions(aTurn), func(i int) error { return st.expect(side.of.rows, side.of.args(i)...) })})
		}
		found, err := race(l.laps, all...)
		if err != nil {
			return fmt.Errorf("%s: %w", q.name, err)
		}
		if q.latest {
			r.atMost(q.name+" / latest look-up", found[1].over(found[2]), "x", q.goal)
			r.note(q.name+": ontosql / PostgreSQL", found[1].over(found[0]), "x")
		} else {
			r.atMost(q.name+": ontosql / PostgreSQL", found[1].over(found[0]), "x", q.goal)
		}
		r.times(q.name+": ", all, found)
	}
	return nil
}

// warmKeys is how many keys a statement of readAllByKey asks for.
const warmKeys = 500

// readAllByKey asks for each customer once, so that what is measured afterwards finds the rows in memory on both
// sides: PostgreSQL's have just been loaded, and a row store reads a block when it is first asked for.
func (l *lab) readAllByKey(ctx context.Context, dsn string, dial func(context.Context, string) (*client, error)) error {
	c, err := dial(ctx, dsn)
	if err != nil {
		return err
	}
	defer c.close()
	st, err := c.prepare("SELECT id FROM customer WHERE id = ANY($1)", formatBinary)
	if err != nil {
		return err
	}
	for first := 0; first < l.size.Customers; first += warmKeys {
		n := min(warmKeys, l.size.Customers-first)
		keys := make([]string, n)
		for k := range keys {
			keys[k] = customerID(first + k)
		}
		if err := st.expect(n, "{"+strings.Join(keys, ",")+"}"); err != nil {
			return err
		}
	}
	return nil
}

// someKeys is an array of manyKeys keys that differ.
func (l *lab) someKeys(i int) []string {
	var all strings.Builder
	first := i * 7919
	for k := range manyKeys {
		fmt.Fprintf(&all, ",%s", customerID((first+k*31)%l.size.Customers))
	}
	return []string{"{" + all.String()[1:] + "}"}
}

// dialByKey connects to ontosql when its row store has the customers.
func (l *lab) dialByKey(ctx context.Context, dsn string) (*client, error) {
	c, err := dial(ctx, dsn)
	if err != nil {
		return nil, err
	}
	if err := c.inRowStore(byKey, []string{l.someKey(0)}); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

// inRowStore asks until EXPLAIN says that the row store answers; it is filled in the background.
func (c *client) inRowStore(sql string, args []string) error {
	for i, a := range args {
		sql = strings.ReplaceAll(sql, "$"+strconv.Itoa(i+1), "'"+a+"'")
	}
	var plan [][]string
	for limit := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		if _, err := c.query(sql); err != nil {
			return err
		}
		var err error
		if plan, err = c.query("EXPLAIN " + sql); err != nil {
			return err
		}
		if strings.Contains(fmt.Sprint(plan), "row store") {
			return nil
		}
		if time.Now().After(limit) {
			return fmt.Errorf("the row store does not answer %s: %s", sql, plan)
		}
	}
}

// updatesByKey changes customers at random, by one client and by many, where both sides wait for
// the disk.
func (l *lab) updatesByKey(ctx context.Context, r *result) error {
	pg, err := l.postgres(ctx)
	if err != nil {
		return err
	}
	theirs, err := dial(ctx, pg.DSN)
	if err != nil {
		return err
	}
	defer theirs.close()
	drop, err := theirs.copyTables("keyed_", "customer")
	if err != nil {
		return err
	}
	defer drop()
	store, err := l.history(ctx)
	if err != nil {
		return err
	}
	ours, err := l.serveCopy(ctx, store)
	if err != nil {
		return err
	}
	defer ours.stop()
	mine, err := l.dialByKey(ctx, ours.dsn)
	if err != nil {
		return err
	}
	defer mine.close()
	const update = "UPDATE %scustomer SET balance = balance + $2 WHERE id = $1"
	for _, connections := range []int{1, crowdClients} {
		var all []contender
		for _, side := range []struct{ name, dsn, sql string }{
			{"PostgreSQL", pg.DSN, fmt.Sprintf(update, "keyed_")}, {"ontosql", ours.dsn, fmt.Sprintf(update, "")},
		} {
			turn, closeAll, err := l.crowdOf(ctx, side.dsn, side.sql, connections, max(20, aTurn/connections), func(st *statement, n int) error {
				return st.expect(0, l.someKey(n), "1.5")
			})
			if err != nil {
				return err
			}
			defer closeAll()
			all = append(all, contender{side.name, turn})
		}
		found, err := race(l.laps, all...)
		if err != nil {
			return err
		}
		name := fmt.Sprintf("UPDATE by key, %d clients: ", connections)
		r.atMost(name+"ontosql / PostgreSQL", found[1].over(found[0]), "x", 1.5)
		r.times(name, all, found)
	}
	return nil
}

// foreignRows is how many customers another gateway commits at once.
const foreignRows = 100_000

// lookUpsBesideACommit asks by key while another gateway commits many rows, and until this one has
// them in its native copies.
func (l *lab) lookUpsBesideACommit(ctx context.Context, r *result) error {
	kept, err := l.history(ctx)
	if err != nil {
		return err
	}
	store, err := l.cloned(kept)
	if err != nil {
		return err
	}
	var sides [2]*gateway // the reader and the writer
	for i := range sides {
		cache, err := l.newDir("cache")
		if err != nil {
			return err
		}
		if sides[i], err = l.serve(ctx, "--storage-uri", store, "--cache-dir", cache, "--cache-size", cacheSize); err != nil {
			return err
		}
		defer sides[i].stop()
	}
	reader, err := l.dialByKey(ctx, sides[0].dsn)
	if err != nil {
		return err
	}
	defer reader.close()
	st, err := reader.prepare(byKey, formatBinary)
	if err != nil {
		return err
	}
	writer, err := dial(ctx, sides[1].dsn)
	if err != nil {
		return err
	}
	defer writer.close()
	var done atomic.Int64 // when the commit was acknowledged
	failed := make(chan error, 1)
	go func() {
		var lines bytes.Buffer
		for i := range foreignRows {
			c := customerAt(i%l.size.Customers, l.size.Rounds)
			fmt.Fprintf(&lines, "new%d\t%s\t%s\t%v\t%d\n", i, c.name, c.tier, c.balance, c.visits)
		}
		err := writer.copyIn("COPY customer (id, name, tier, balance, visits) FROM STDIN", &lines)
		done.Store(time.Now().UnixNano())
		failed <- err
	}()
	const after = 3 * time.Second
	var took samples
	for i := 0; done.Load() == 0 || time.Now().UnixNano() < done.Load()+int64(after); i++ {
		began := time.Now()
		if err := st.expect(1, l.someKey(i)); err != nil {
			return err
		}
		took = append(took, time.Since(began))
	}
	if err := <-failed; err != nil {
		return err
	}
	r.atMost(fmt.Sprintf("look-ups beside a commit of %d rows, the longest", foreignRows), milliseconds(took.quantile(1)), "ms", 5)
	r.timed(fmt.Sprintf("look-up beside a commit of %d rows", foreignRows), took)
	return nil
}
