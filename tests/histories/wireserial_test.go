package histories

import (
	"context"
	"errors"
	"strings"
	"sync"
)

// errTooLittle ends a withdrawal that the vaults do not allow.
var errTooLittle = errors.New("there is too little")

// deposit puts something into a vault, or makes one that no transaction has seen.
func (c *wireClient) deposit() {
	vault := vaultOf(c.random.IntN(2 * pairs))
	if c.random.IntN(3) == 0 {
		vault.Key = c.shared("vault-new", 32)
	}
	o := c.begin("deposit", []row{{identity: vault, N: 1 + c.random.Int64N(9), How: adding}})
	o.Returned = true
	c.alone(o, func(ctx context.Context) error {
		return c.returning(ctx, o, `INSERT INTO vault (id, n, op) VALUES `+tuples(o)+` ON CONFLICT (id) DO UPDATE
			SET n = vault.n + excluded.n, op = excluded.op RETURNING id, n, op`)
	})
}

// serializable is a transaction that begins with a look at all vaults.
func (c *wireClient) serializable(what string, r row, do func(ctx context.Context, o *op) error) *op {
	o := c.begin(what, []row{r})
	begin := "BEGIN ISOLATION LEVEL SERIALIZABLE"
	if c.random.IntN(2) == 0 {
		begin = "START TRANSACTION READ WRITE, ISOLATION LEVEL SERIALIZABLE"
	}
	c.within(o, begin, func(ctx context.Context) error {
		if err := c.lookAtVaults(ctx, o); err != nil {
			return err
		}
		c.pause()
		return do(ctx, o)
	})
	return o
}

func (c *wireClient) lookAtVaults(ctx context.Context, o *op) error {
	r, err := c.conn.Query(ctx, `SELECT id, n, op, commit_id FROM vault`)
	if err != nil {
		return err
	}
	defer r.Close()
	o.Reads = []string{vaults}
	for r.Next() {
		s := sight{identity: identity{Type: vaults}}
		if err := r.Scan(&s.Key, &s.N, &s.Op, &s.Commit); err != nil {
			return err
		}
		o.Seen = append(o.Seen, s)
	}
	return r.Err()
}

// inVaults is what the two vaults of a pair hold, or all vaults where it is -1.
func inVaults(seen []sight, pair int) (sum int64) {
	for _, s := range seen {
		if pair < 0 && s.Type == vaults || s.identity == vaultOf(2*pair) || s.identity == vaultOf(2*pair+1) {
			sum += s.N
		}
	}
	return sum
}

// withdraw takes something from a vault.
func (c *wireClient) withdraw() {
	pair, amount := c.random.IntN(pairs), 1+c.random.Int64N(treasure)
	half := c.random.IntN(2)
	c.intend(func(string) *op { return c.withdrawal("withdraw", pair, half, amount, func() {}) })
}

// withdrawal takes from one vault of a pair what both together have: two that do
// so at once would take it twice, and write no common row. It calls meet before
// COMMIT.
func (c *wireClient) withdrawal(what string, pair, half int, amount int64, meet func()) *op {
	vault := vaultOf(2*pair + half)
	return c.serializable(what, row{identity: vault, N: -amount, How: adding}, func(ctx context.Context, o *op) error {
		if inVaults(o.Seen, pair) < amount {
			return errTooLittle
		}
		o.Returned = true
		defer meet()
		return c.returning(ctx, o, `UPDATE vault SET n = n - $1, op = $2 WHERE id = $3 RETURNING id, n, op`, amount, o.Tag, vault.Key)
	})
}

// withdrawAtOnce lets two sessions withdraw from one pair and commit at once.
func (c *wireClient) withdrawAtOnce() {
	pair, amount := c.random.IntN(pairs), 1+c.random.Int64N(treasure)
	c.atOnce(func(c *wireClient, half int, meet func()) { c.withdrawal("withdraw at once", pair, half, amount, meet) })
}

// expectHeadAtOnce lets two sessions commit on one head at once.
func (c *wireClient) expectHeadAtOnce() {
	c.atOnce(func(c *wireClient, half int, meet func()) { c.onHead("insert at a head", event(c.name("event")), meet) })
}

// atOnce lets the client and its rival do something and meet in the middle. half
// is 0 for one of them and 1 for the other.
func (c *wireClient) atOnce(do func(c *wireClient, half int, meet func())) {
	if !c.rival.ready() {
		return
	}
	var middle, end sync.WaitGroup
	middle.Add(2)
	run := func(c *wireClient, half int) {
		arrive := sync.OnceFunc(middle.Done)
		defer arrive() // also where it does not come that far
		do(c, half, func() {
			arrive()
			middle.Wait()
		})
	}
	end.Go(func() { run(c.rival, 1) })
	run(c, 0)
	end.Wait()
}

// audit writes what all vaults hold into an event: it reads one type and writes
// another.
func (c *wireClient) audit() {
	c.intend(func(intent string) *op {
		return c.serializable("audit", row{identity: identity{events, intent}, How: totalling}, func(ctx context.Context, o *op) error {
			o.Rows[0].N = inVaults(o.Seen, -1)
			return c.insert(ctx, o, &o.Rows[0])
		})
	})
}

// auditAlone is an audit in one statement, which the gateway runs again when a
// vault changed meanwhile.
func (c *wireClient) auditAlone() {
	o := c.begin("audit in a statement", []row{{identity: identity{events, c.name("audit")}, How: totalling}})
	o.Returned = true
	c.alone(o, func(ctx context.Context) error {
		if err := c.exec(ctx, `SET default_transaction_isolation = 'serializable'`); err != nil {
			return err
		}
		return c.returning(ctx, o, `INSERT INTO event (id, n, op) SELECT $1, sum(n)::bigint, $2 FROM vault RETURNING id, n, op`, o.Rows[0].Key, o.Tag)
	})
	c.reset("default_transaction_isolation")
}

// tableOf is the table of a type.
func tableOf(name string) string { return strings.ToLower(name) }
