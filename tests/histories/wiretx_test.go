package histories

import (
	"context"
	"fmt"
	"time"
)

// within sends a transaction.
func (c *wireClient) within(o *op, begin string, do func(ctx context.Context) error) {
	ctx, cancel := context.WithTimeout(context.Background(), queryPatience)
	defer cancel()
	err := c.exec(ctx, begin)
	if err == nil {
		err = do(ctx)
	}
	if err != nil {
		c.decided(ctx, o, err, false)
		_ = c.exec(ctx, "ROLLBACK") // err is what counts; without a transaction it is a warning
		return
	}
	tag, err := c.conn.Exec(ctx, "COMMIT")
	if err == nil && tag.String() != "COMMIT" {
		o.Odd = true
		err = fmt.Errorf("COMMIT answers %q", tag)
	}
	c.decided(ctx, o, err, true)
}

// intend tries until it is not refused any more: each try is an operation, and
// what they write has the same keys.
func (c *wireClient) intend(try func(intent string) *op) {
	intent := c.name("intent")
	for range 6 {
		o := try(intent)
		o.Intent = intent
		if o.Outcome != conflict || c.conn.IsClosed() {
			return
		}
		c.rest()
	}
}

// openAccount writes three types in one transaction, which sees its own rows.
func (c *wireClient) openAccount() {
	account := c.name("account")
	event := "opening-" + account
	o := c.begin("open account", []row{{identity: identity{accounts, account}}, {identity: identity{events, event}, N: 1}, posting(account, event, 2)})
	c.within(o, "BEGIN", func(ctx context.Context) error {
		for i := range o.Rows {
			if err := c.insert(ctx, o, &o.Rows[i]); err != nil {
				return err
			}
		}
		var n int64
		if err := c.conn.QueryRow(ctx, `SELECT e.n + p.n FROM event e JOIN posting p ON p.right_key = e.id WHERE p.left_key = $1`, account).Scan(&n); err != nil {
			return err
		}
		if n != 3 {
			o.Odd = true
			return fmt.Errorf("a transaction sees %d of its own rows, want 3", n)
		}
		return nil
	})
}

// insert inserts one row.
func (c *wireClient) insert(ctx context.Context, o *op, r *row) error {
	if r.Type == postings {
		return c.exec(ctx, `INSERT INTO posting (left_key, right_key, n, op) VALUES ($1, $2, $3, $4)`, r.Left, r.Right, r.N, o.Tag)
	}
	return c.exec(ctx, `INSERT INTO `+tableOf(r.Type)+` (id, n, op) VALUES ($1, $2, $3)`, r.Key, r.N, o.Tag)
}

func (c *wireClient) pause() { time.Sleep(time.Duration(c.random.IntN(20)) * time.Millisecond) }

// compareAndSet reads a counter and writes one more, in one transaction.
func (c *wireClient) compareAndSet() {
	counter := counterOf(c.random.IntN(counters))
	c.intend(func(string) *op {
		o := c.begin("read and update", []row{{identity: counter, N: 1, How: adding}})
		o.Returned = true
		c.within(o, "BEGIN", func(ctx context.Context) error {
			var n, commit int64
			if err := c.conn.QueryRow(ctx, `SELECT n, commit_id FROM account WHERE id = $1`, counter.Key).Scan(&n, &commit); err != nil {
				return err
			}
			c.plan(o, []row{{identity: counter, N: n + 1, Expected: commit}})
			c.pause()
			return c.returning(ctx, o, `UPDATE account SET n = $1, op = $2 WHERE id = $3 RETURNING id, n, op`, n+1, o.Tag, counter.Key)
		})
		return o
	})
}

// transfer moves money between two purses and says so.
func (c *wireClient) transfer() {
	two, amount := c.random.Perm(purses)[:2], 1+c.random.Int64N(30)
	from, to := purseOf(two[0]), purseOf(two[1])
	c.intend(func(intent string) *op {
		o := c.begin("transfer by updates", []row{
			{identity: from, N: -amount, How: adding},
			{identity: to, N: amount, How: adding},
			{identity: identity{events, intent}, N: amount},
			posting(from.Key, intent, -amount),
			posting(to.Key, intent, amount),
		})
		c.within(o, "BEGIN", func(ctx context.Context) error {
			for i := range o.Rows {
				r, err := &o.Rows[i], error(nil)
				if r.How == adding {
					err = c.returning(ctx, o, `UPDATE account SET n = n + $1, op = $2 WHERE id = $3 RETURNING id, n, op`, r.N, o.Tag, r.Key)
				} else {
					err = c.insert(ctx, o, r)
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
		return o
	})
}

// thereAndBack changes a flag and then makes it what it was, in one transaction,
// which may have something else to commit.
func (c *wireClient) thereAndBack() {
	flag := flagOf(c.random.IntN(flags))
	o := c.begin("there and back", []row{{identity: flag, How: ifOther}})
	o.Returned = true
	c.within(o, "BEGIN", func(ctx context.Context) error {
		var before version
		if err := c.conn.QueryRow(ctx, `SELECT n, op FROM account WHERE id = $1`, flag.Key).Scan(&before.N, &before.Op); err != nil {
			return err
		}
		rows := []row{{identity: flag, N: before.N, How: ifOther}}
		for _, v := range []version{{N: before.N + 7, Op: o.Tag}, before} {
			if err := c.exec(ctx, `UPDATE account SET n = $1, op = $2 WHERE id = $3`, v.N, v.Op, flag.Key); err != nil {
				return err
			}
		}
		if c.random.IntN(2) == 0 {
			r := event(c.name("event"))
			if err := c.insert(ctx, o, &r); err != nil {
				return err
			}
			r.Told = &r.N
			rows = append(rows, r)
		}
		c.plan(o, rows)
		return nil
	})
}

// onHead increments a counter or inserts an event in a transaction, and calls meet
// before COMMIT.
func (c *wireClient) onHead(what string, r row, meet func()) {
	o := c.begin(what, []row{r})
	c.within(o, "BEGIN", func(ctx context.Context) error {
		if err := c.expect(ctx, o, "SET LOCAL"); err != nil {
			return err
		}
		defer meet()
		if r.How == adding {
			return c.incrementing(ctx, o)
		}
		return c.insert(ctx, o, &r)
	})
}
