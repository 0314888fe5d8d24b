package histories

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// everything is a statement that reads all types, so at one head, from
// relations that are made of the names by from and filtered by where. Its last
// column is the head, where asked.
func everything(from func(table string) string, where string, head bool) string {
	newest := "0::bigint"
	if head {
		newest = "(SELECT max(commit_id) FROM ontosql.commits)"
	}
	return fmt.Sprintf(`SELECT 'Account', id, '', n, op, commit_id, %[4]s FROM %[1]s %[5]s
		UNION ALL SELECT 'Event', id, '', n, op, commit_id, 0::bigint FROM %[2]s %[5]s
		UNION ALL SELECT 'Posting', left_key, right_key, n, op, commit_id, 0::bigint FROM %[3]s %[5]s
		UNION ALL SELECT 'Vault', id, '', n, op, commit_id, 0::bigint FROM %[6]s %[5]s`,
		from("account"), from("event"), from("posting"), newest, where, from("vault"))
}

func plain(table string) string { return table }

// asker is a connection or a transaction.
type asker interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// rows runs everything and returns what it saw, and the head if it was asked.
func rows(ctx context.Context, c asker, sql string) (seen []sight, head int64, err error) {
	r, err := c.Query(ctx, sql, pgx.QueryExecModeExec)
	if err != nil {
		return nil, 0, err
	}
	defer r.Close()
	for r.Next() {
		var s sight
		var right string
		var newest *int64
		if err := r.Scan(&s.Type, &s.Key, &right, &s.N, &s.Op, &s.Commit, &newest); err != nil {
			return nil, 0, err
		}
		if s.Type == postings {
			s.Key = postingKey(s.Key, right)
		}
		if newest != nil {
			head = max(head, *newest)
		}
		seen = append(seen, s)
	}
	return seen, head, r.Err()
}

// ask is one read: begin and end, and what its errors mean.
func (c *wireClient) ask(what string, read func(ctx context.Context, o *op) error) {
	ctx, cancel := context.WithTimeout(context.Background(), queryPatience)
	defer cancel()
	o := c.begin(what, nil)
	err := read(ctx, o)
	if err == nil {
		c.end(o, answered, nil)
		c.told(o.Head)
		return
	}
	var said *pgconn.PgError
	if errors.As(err, &said) { // the store may be out of reach, and a gateway may be told to end; nothing else
		o.Odd = said.Code != "58030" && said.Code != "57P01" && said.Code != "57P03"
		err = fmt.Errorf("%s %s (%s)", said.Code, said.Message, said.Detail)
	}
	c.end(o, failed, err)
}

func (c *wireClient) readHead() {
	c.ask("read head", func(ctx context.Context, o *op) error {
		return c.conn.QueryRow(ctx, `SELECT max(commit_id) FROM ontosql.commits`).Scan(&o.Head)
	})
}

// readAll is one statement over all types and the head.
func (c *wireClient) readAll() {
	c.ask("read all", func(ctx context.Context, o *op) (err error) {
		o.Whole = true
		o.Seen, o.Head, err = rows(ctx, c.conn, everything(plain, "", true))
		return err
	})
}

// readTwice is a transaction: what it reads later is of the head that it read
// first.
func (c *wireClient) readTwice() {
	c.ask("read in a transaction", func(ctx context.Context, o *op) error {
		tx, err := c.conn.Begin(ctx)
		if err != nil {
			return err
		}
		defer tx.Rollback(ctx)
		if err := tx.QueryRow(ctx, `SELECT max(commit_id) FROM ontosql.commits`).Scan(&o.Head); err != nil {
			return err
		}
		time.Sleep(time.Duration(c.random.IntN(30)) * time.Millisecond)
		o.Whole = true
		o.Seen, _, err = rows(ctx, tx, everything(plain, "", false))
		return err
	})
}

// readPast reads a point that an earlier answer named, which every session must see by now, in
// one of the possible ways.
func (c *wireClient) readPast() {
	newest := c.newest.Load()
	point := 1 + c.random.Int64N(newest)
	if c.to.maxAge > 0 && !c.catchUp(point) {
		return
	}
	switch c.random.IntN(4) {
	case 0:
		c.past("read as_of", point, everything(func(t string) string { return fmt.Sprintf("as_of.%s(%d)", t, point) }, "", false))
	case 1:
		c.past("read for system_time", point, everything(func(t string) string { return fmt.Sprintf("%s FOR SYSTEM_TIME AS OF %d", t, point) }, "", false))
	case 2:
		c.ask("read in a session of the past", func(ctx context.Context, o *op) error {
			o.Point, o.Whole = point, true
			if _, err := c.conn.Exec(ctx, fmt.Sprintf(`SET ontosql.as_of = '%d'`, point)); err != nil {
				return err
			}
			var err error
			o.Seen, _, err = rows(ctx, c.conn, everything(plain, "", false))
			return err
		})
		c.reset("ontosql.as_of") // a session that kept its point would read the past for ever
	default:
		c.ask("read history", func(ctx context.Context, o *op) (err error) {
			o.Point, o.Whole, o.All = point, true, true
			from := func(t string) string { return "history." + t }
			o.Seen, _, err = rows(ctx, c.conn, everything(from, fmt.Sprintf("WHERE commit_id <= %d", point), false))
			return err
		})
	}
}

func (c *wireClient) past(what string, point int64, sql string) {
	c.ask(what, func(ctx context.Context, o *op) (err error) {
		o.Point, o.Whole = point, true
		o.Seen, _, err = rows(ctx, c.conn, sql)
		return err
	})
}

// catchUp lets a gateway whose head may be old see a commit.
func (c *wireClient) catchUp(commit int64) bool {
	ctx, cancel := context.WithTimeout(context.Background(), queryPatience)
	defer cancel()
	_, err := c.conn.Exec(ctx, fmt.Sprintf(`SET ontosql.read_after = '%d'`, commit))
	return err == nil
}

// readAfter reads at the newest commit that any answer has named.
func (c *wireClient) readAfter() {
	c.ask("read after", func(ctx context.Context, o *op) error {
		o.After = c.newest.Load()
		if _, err := c.conn.Exec(ctx, fmt.Sprintf(`SET ontosql.read_after = '%d'`, o.After)); err != nil {
			return err
		}
		return c.conn.QueryRow(ctx, `SELECT max(commit_id) FROM ontosql.commits`).Scan(&o.Head)
	})
}
