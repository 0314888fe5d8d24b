package histories

import (
	"context"
	"fmt"
	"slices"
)

// alone sends a statement that is a transaction of its own.
func (c *wireClient) alone(o *op, do func(ctx context.Context) error) {
	ctx, cancel := context.WithTimeout(context.Background(), queryPatience)
	defer cancel()
	err := do(ctx)
	c.decided(ctx, o, err, true)
}

func (c *wireClient) exec(ctx context.Context, sql string, args ...any) error {
	_, err := c.conn.Exec(ctx, sql, args...)
	return err
}

// returning runs a write with RETURNING id, n, op, and notes what it told of the
// operation's rows.
func (c *wireClient) returning(ctx context.Context, o *op, sql string, args ...any) error {
	r, err := c.conn.Query(ctx, sql, args...)
	if err != nil {
		return err
	}
	defer r.Close()
	told := int64(0)
	for r.Next() {
		var id, tag string
		var n int64
		if err := r.Scan(&id, &n, &tag); err != nil {
			return err
		}
		told++
		i := slices.IndexFunc(o.Rows, func(r row) bool { return r.Key == id })
		if i < 0 {
			o.Odd = true
			return fmt.Errorf("RETURNING names %q, which is not written", id)
		}
		if tag == o.Tag {
			o.Rows[i].Told = &n
		}
	}
	if err := r.Err(); err != nil {
		return err
	}
	if n := r.CommandTag().RowsAffected(); n != told {
		o.Odd = true
		return fmt.Errorf("%d rows were returned with %q", told, r.CommandTag())
	}
	return nil
}

// idle reports whether RETURNING told that nothing was to be written.
func (o *op) idle() bool {
	return o.Returned && !slices.ContainsFunc(o.Rows, func(r row) bool { return r.Told != nil || !r.optional() })
}

// insertEvent is one INSERT.
func (c *wireClient) insertEvent(key string) {
	n := c.random.Int64N(1000)
	o := c.begin("insert", []row{{identity: identity{events, key}, N: n}})
	c.alone(o, func(ctx context.Context) error {
		return c.exec(ctx, `INSERT INTO event (id, n, op) VALUES ($1, $2, $3)`, key, n, o.Tag)
	})
}

// increment is one UPDATE, which the gateway runs again after a conflict.
func (c *wireClient) increment() {
	o := c.begin("update", []row{{identity: counterOf(c.random.IntN(counters)), N: 1, How: adding}})
	c.alone(o, func(ctx context.Context) error { return c.incrementing(ctx, o) })
}

// flag is one UPDATE of two rows, of which one or both may be so already.
func (c *wireClient) flag() {
	two, n := c.random.Perm(flags)[:2], c.random.Int64N(2)
	a, b := flagOf(two[0]), flagOf(two[1])
	o := c.begin("update to the same", []row{{identity: a, N: n, How: ifOther}, {identity: b, N: n, How: ifOther}})
	o.Returned = true
	c.alone(o, func(ctx context.Context) error {
		return c.returning(ctx, o, `UPDATE account SET n = $1::bigint, op = CASE WHEN n = $1::bigint THEN op ELSE $2::text END
			WHERE id IN ($3, $4) RETURNING id, n, op`, n, o.Tag, a.Key, b.Key)
	})
}

// upsert is INSERT with ON CONFLICT DO UPDATE, or with the setting that means it.
func (c *wireClient) upsert() {
	key, other := c.shared("tally", 8), c.shared("tally", 11)
	rows := []row{{identity: identity{accounts, key}, N: 1 + c.random.Int64N(9), How: adding}}
	if other != key {
		rows = append(rows, row{identity: identity{accounts, other}, N: 3, How: adding})
	}
	conflict := ` ON CONFLICT (id) DO UPDATE SET n = account.n + excluded.n, op = excluded.op`
	if c.random.IntN(3) == 0 {
		conflict = ""
		for i := range rows {
			rows[i].How = putting
		}
	}
	o := c.begin("upsert", rows)
	o.Returned = true
	c.setting(conflict == "", "update", func() {
		c.alone(o, func(ctx context.Context) error {
			return c.returning(ctx, o, `INSERT INTO account (id, n, op) VALUES `+tuples(o)+conflict+` RETURNING id, n, op`)
		})
	})
}

// insertMissing is INSERT with ON CONFLICT DO NOTHING, or with the setting that
// means it, of keys that others want too.
func (c *wireClient) insertMissing() {
	o := c.begin("insert missing", []row{
		{identity: identity{events, c.shared("race", 4)}, N: c.random.Int64N(1000), How: ifNew},
		{identity: identity{events, c.shared("contest", 6)}, N: c.random.Int64N(1000), How: ifNew},
	})
	o.Returned = true
	conflict := ` ON CONFLICT DO NOTHING`
	if c.random.IntN(3) == 0 {
		conflict = ""
	}
	c.setting(conflict == "", "nothing", func() {
		c.alone(o, func(ctx context.Context) error {
			return c.returning(ctx, o, `INSERT INTO event (id, n, op) VALUES `+tuples(o)+conflict+` RETURNING id, n, op`)
		})
	})
}

// setting runs do with ontosql.on_conflict, where it is used.
func (c *wireClient) setting(used bool, value string, do func()) {
	if used {
		ctx, cancel := context.WithTimeout(context.Background(), queryPatience)
		defer cancel()
		if c.exec(ctx, `SET ontosql.on_conflict = '`+value+`'`) != nil {
			_ = c.conn.Close(ctx) // so that what follows fails
		}
		defer c.reset("ontosql.on_conflict")
	}
	do()
}

// tuples are the rows of an operation as VALUES lists them.
func tuples(o *op) string {
	text := ""
	for i, r := range o.Rows {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprintf("('%s', %d, '%s')", r.Key, r.N, o.Tag)
	}
	return text
}

// merge is one MERGE that inserts some rows, updates others and leaves a counter
// alone.
func (c *wireClient) merge() {
	var rows []row
	for _, key := range slices.Compact([]string{c.shared("tally", 8), c.shared("tally", 11), c.name("tally")}) {
		rows = append(rows, row{identity: identity{accounts, key}, N: 1 + c.random.Int64N(9), How: adding})
	}
	o := c.begin("merge", rows)
	c.alone(o, func(ctx context.Context) error {
		tag, err := c.conn.Exec(ctx, `MERGE INTO account AS t USING (VALUES `+tuples(o)+`, ('counter-0', 0, '')) AS v(id, n, op) ON t.id = v.id
			WHEN MATCHED AND v.n = 0 THEN DO NOTHING
			WHEN MATCHED THEN UPDATE SET n = t.n + v.n, op = v.op
			WHEN NOT MATCHED THEN INSERT (id, n, op) VALUES (v.id, v.n, v.op)`)
		if err == nil && tag.RowsAffected() != int64(len(rows)) {
			o.Odd = true
			err = fmt.Errorf("MERGE of %d rows answers %q", len(rows), tag)
		}
		return err
	})
}

// expectHead writes on one head only, alone or in a transaction.
func (c *wireClient) expectHead() {
	counter := row{identity: counterOf(c.random.IntN(counters)), N: 1, How: adding}
	if c.random.IntN(2) == 0 {
		c.onHead("update at a head", counter, func() {})
		return
	}
	o := c.begin("update at a head", []row{counter})
	o.Returned = true
	c.alone(o, func(ctx context.Context) error {
		if err := c.expect(ctx, o, "SET"); err != nil {
			return err
		}
		return c.incrementing(ctx, o)
	})
	c.reset("ontosql.expect_head")
}

// expect reads the head and expects it.
func (c *wireClient) expect(ctx context.Context, o *op, set string) error {
	if err := c.conn.QueryRow(ctx, `SELECT max(commit_id) FROM ontosql.commits`).Scan(&o.Expect); err != nil {
		return err
	}
	return c.exec(ctx, fmt.Sprintf(`%s ontosql.expect_head = '%d'`, set, o.Expect))
}

// incrementing is the UPDATE of a counter, the only row of an operation.
func (c *wireClient) incrementing(ctx context.Context, o *op) error {
	o.Returned = true
	return c.returning(ctx, o, `UPDATE account SET n = n + 1, op = $1 WHERE id = $2 RETURNING id, n, op`, o.Tag, o.Rows[0].Key)
}

func event(key string) row { return row{identity: identity{events, key}} }

// reset ends what a setting meant, if need be by the end of the session.
func (c *wireClient) reset(setting string) {
	ctx, cancel := context.WithTimeout(context.Background(), queryPatience)
	defer cancel()
	if c.exec(ctx, "RESET "+setting) != nil {
		_ = c.conn.Close(ctx)
	}
}
