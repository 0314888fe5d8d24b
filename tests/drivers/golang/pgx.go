package main

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// prepared is the mode that pgx has by itself.
const prepared = pgx.QueryExecModeCacheStatement

// modes are the ways in which pgx sends a query, by the names of the page.
var modes = []struct {
	name string
	mode pgx.QueryExecMode
}{
	{"prepared", prepared},
	{"described", pgx.QueryExecModeCacheDescribe},
	{"described each time", pgx.QueryExecModeDescribeExec},
	{"extended, text", pgx.QueryExecModeExec},
	{"simple", pgx.QueryExecModeSimpleProtocol},
}

func pgxCases(ctx context.Context) {
	about("pgx", "github.com/jackc/pgx/v5")
	c, err := pgxConnect(ctx, "", prepared)
	if err != nil {
		panic(err)
	}
	try("connect", func() error {
		user, err := one[string](ctx, c, `SELECT current_user`)
		if err != nil {
			return err
		}
		_, wrong := pgxConnect(ctx, "password=wrong", prepared)
		return errors.Join(equal(user, "ada"), fails(wrong, "28P01"))
	})
	try("channel_binding=require", func() error {
		bound, err := pgxConnect(ctx, "channel_binding=require", prepared)
		if err != nil {
			return err
		}
		return bound.Close(ctx)
	})
	try("tables", func() error {
		rows, _ := c.Query(ctx, `SELECT table_name FROM information_schema.tables WHERE table_schema = $1 ORDER BY 1`, "public")
		got, err := pgx.CollectRows(rows, pgx.RowTo[string])
		return errors.Join(err, equal(got, publicTables))
	})
	for _, m := range modes {
		c, err := pgxConnect(ctx, "", m.mode)
		if err != nil {
			panic(err)
		}
		try("types, "+m.name, func() error { return pgxTypes(ctx, c) })
		try("parameters, "+m.name, func() error { return pgxParameters(ctx, c) })
		try("batch, "+m.name, func() error { return pgxBatch(ctx, c) })
	}
	try("insert", func() error {
		_, err := c.Exec(ctx, `INSERT INTO sample (id, i, ts, u, bt, j) VALUES ($1, $2, $3, $4, $5, $6)`,
			"new", 5, time.Now(), [16]byte{1}, []byte{0}, map[string]int{"a": 1})
		got, err2 := one[int64](ctx, c, `SELECT i FROM sample WHERE id = 'new'`)
		return errors.Join(err, err2, equal(got, int64(5)))
	})
	try("rollback", func() error { return pgxRollback(ctx, c) })
	try("savepoint", func() error { return pgxSavepoint(ctx, c) })
	for _, m := range modes {
		try("temporary table, "+m.name, func() error {
			c, err := pgxConnect(ctx, "", m.mode)
			if err != nil {
				return err
			}
			return errors.Join(pgxTemporary(ctx, c), c.Close(ctx))
		})
	}
	for _, m := range modes {
		try("views and with, "+m.name, func() error {
			c, err := pgxConnect(ctx, "", m.mode)
			if err != nil {
				return err
			}
			return errors.Join(pgxViews(ctx, c), pgxWith(ctx, c), c.Close(ctx))
		})
	}
	try("error and recovery", func() error {
		tx, err := c.Begin(ctx)
		if err != nil {
			return err
		}
		_, zero := tx.Exec(ctx, `SELECT 1 / 0`)
		_, aborted := tx.Exec(ctx, `SELECT 1`)
		err = tx.Rollback(ctx)
		_, after := one[int32](ctx, c, `SELECT 1`)
		return errors.Join(fails(zero, "22012"), fails(aborted, "25P02"), err, after)
	})
	try("metadata", func() error {
		d, err := c.Prepare(ctx, "described", `SELECT id, n, ts FROM sample WHERE i = $1`)
		if err != nil {
			return err
		}
		got := []uint32{d.ParamOIDs[0], d.Fields[0].DataTypeOID, d.Fields[1].DataTypeOID, d.Fields[2].DataTypeOID}
		return equal(got, []uint32{pgtype.Int8OID, pgtype.TextOID, pgtype.NumericOID, pgtype.TimestamptzOID})
	})
	try("LoadType", func() error {
		typ, err := c.LoadType(ctx, "customer")
		if err != nil {
			return err
		}
		return equal(typ.Name, "customer")
	})
	try("cancel", func() error {
		c, err := pgxConnect(ctx, "", prepared)
		if err != nil {
			return err
		}
		short, cancel := context.WithTimeout(ctx, 500*time.Millisecond)
		defer cancel()
		_, err = c.Exec(short, endless)
		return equal(errors.Is(err, context.DeadlineExceeded), true)
	})
	try("cancel request", func() error { return pgxCancel(ctx) })
	pgxPast(ctx, c)
	try("cursor", func() error { return pgxCursor(ctx, c) })
	try("LISTEN and NOTIFY", func() error {
		for _, sql := range []string{`LISTEN news`, `SELECT pg_notify('news', 'hello')`} {
			if _, err := c.Exec(ctx, sql); err != nil {
				return err
			}
		}
		n, err := c.WaitForNotification(ctx)
		if err != nil {
			return err
		}
		return equal(n.Payload, "hello")
	})
	try("CopyFrom", func() error {
		n, err := c.CopyFrom(ctx, pgx.Identifier{"product"}, []string{"sku", "title"},
			pgx.CopyFromSlice(500, func(i int) ([]any, error) { return []any{5000 + i, fmt.Sprint("copied ", i)}, nil }))
		stored, err2 := one[int64](ctx, c, `SELECT count(*) FROM product WHERE sku >= 5000`)
		return errors.Join(err, err2, equal([]int64{n, stored}, []int64{500, 500}))
	})
}

// pgxConnect connects as the environment says; more is keywords and values of libpq.
func pgxConnect(ctx context.Context, more string, mode pgx.QueryExecMode) (*pgx.Conn, error) {
	config, err := pgx.ParseConfig(more)
	if err != nil {
		return nil, err
	}
	config.DefaultQueryExecMode = mode
	return pgx.ConnectConfig(ctx, config)
}

func one[T any](ctx context.Context, c *pgx.Conn, sql string, args ...any) (v T, err error) {
	err = c.QueryRow(ctx, sql, args...).Scan(&v)
	return v, err
}

func pgxTypes(ctx context.Context, c *pgx.Conn) error {
	rows, err := c.Query(ctx, selectSample)
	if err != nil {
		return err
	}
	got, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (s sample, err error) {
		return s, row.Scan(s.fields()...)
	})
	if err != nil {
		return err
	}
	// The columns that are read as text above, in their own types.
	var n pgtype.Numeric
	var u pgtype.UUID
	var j map[string]any
	if err := c.QueryRow(ctx, `SELECT n, u, j FROM sample WHERE id = 'full'`).Scan(&n, &u, &j); err != nil {
		return err
	}
	text, err := n.MarshalJSON()
	return errors.Join(err, equalSamples(got), equal([]string{string(text), u.String(), inJSON(j)},
		[]string{*samples[0].N, *samples[0].U, `{"k":[1,2.5,null]}`}))
}

func pgxParameters(ctx context.Context, c *pgx.Conn) error {
	at := time.Date(2026, 2, 10, 12, 0, 0, 5000, time.UTC)
	values := map[string]any{
		"smallint": int16(-7), "integer": int32(70000), "bigint": int64(1 << 40), "real": float32(0.5), "float8": -1.25e300,
		"boolean": true, "text": "é€😀 \"\\'\n", "varchar": "v", "bytea": []byte{0, 1, 255}, "timestamptz": at, "timestamp": at,
		"date": at.Truncate(24 * time.Hour), "bigint[]": []int64{1, 3}, "text[]": []string{"a", `b "\,{}`}, "float8[]": []float64{1.5},
		"jsonb": `{"a": "b"}`,
	}
	for name, value := range values {
		into := reflect.New(reflect.TypeOf(value)).Interface()
		err := c.QueryRow(ctx, `SELECT $1::`+name, value).Scan(into)
		if err := errors.Join(err, equal(inJSON(into), inJSON(value))); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		null := reflect.New(reflect.PointerTo(reflect.TypeOf(value)))
		err = c.QueryRow(ctx, `SELECT $1::`+name, nil).Scan(null.Interface())
		if err := errors.Join(err, equal(null.Elem().IsNil(), true)); err != nil {
			return fmt.Errorf("%s, NULL: %w", name, err)
		}
	}
	return nil
}

func pgxBatch(ctx context.Context, c *pgx.Conn) error {
	b := &pgx.Batch{}
	b.Queue(`SELECT $1::int`, 1)
	b.Queue(`INSERT INTO customer VALUES ($1, $2)`, "batched", "B")
	b.Queue(`SELECT 1 / 0`)
	err := c.SendBatch(ctx, b).Close()
	n, err2 := one[int64](ctx, c, `SELECT count(*) FROM customer WHERE id = 'batched'`)
	return errors.Join(fails(err, "22012"), err2, equal(n, int64(0)))
}

func pgxRollback(ctx context.Context, c *pgx.Conn) error {
	tx, err := c.Begin(ctx)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `INSERT INTO customer VALUES ($1, $2)`, "gone", "G")
	back := tx.Rollback(ctx)
	n, err2 := one[int64](ctx, c, `SELECT count(*) FROM customer WHERE id = 'gone'`)
	return errors.Join(err, back, err2, equal(n, int64(0)))
}

func pgxSavepoint(ctx context.Context, c *pgx.Conn) error {
	return pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error {
		inner := errors.New("inner")
		err := pgx.BeginFunc(ctx, tx, func(tx pgx.Tx) error {
			_, err := tx.Exec(ctx, `INSERT INTO customer VALUES ('inner', 'I')`)
			return errors.Join(err, inner)
		})
		if !errors.Is(err, inner) {
			return err
		}
		n, err := one[int64](ctx, tx.Conn(), `SELECT count(*) FROM customer WHERE id = 'inner'`)
		return errors.Join(err, equal(n, int64(0)))
	})
}

// pgxCancel sends cancel requests until the statement has ended.
func pgxCancel(ctx context.Context) error {
	c, err := pgxConnect(ctx, "", prepared)
	if err != nil {
		return err
	}
	defer c.Close(ctx)
	ended := make(chan error, 1)
	go func() {
		_, err := c.Exec(ctx, endless)
		ended <- err
	}()
	for {
		select {
		case err := <-ended:
			return fails(err, "57014")
		case <-time.After(100 * time.Millisecond):
			if err := c.PgConn().CancelRequest(ctx); err != nil {
				return err
			}
		}
	}
}

func pgxPast(ctx context.Context, c *pgx.Conn) {
	try("past: as_of.customer(p)", func() error {
		got, err := one[float64](ctx, c, fmt.Sprintf(pastFunction, "$1"), point)
		return errors.Join(err, equal(got, 10.0))
	})
	try("past: FOR SYSTEM_TIME AS OF", func() error {
		got, err := one[float64](ctx, c, fmt.Sprintf(pastSystemTime, "$1"), point)
		return errors.Join(err, equal(got, 10.0))
	})
	for _, at := range []struct{ name, connect, sql string }{
		{"past: SET", "", `SET ontosql.as_of = '` + point + `'`},
		{"past: options", `options='-c ontosql.as_of=` + point + `'`, `SELECT 1`},
		{"past: database name", `dbname=onto@` + point, `SELECT 1`},
	} {
		try(at.name, func() error {
			c, err := pgxConnect(ctx, at.connect, prepared)
			if err != nil {
				return err
			}
			defer c.Close(ctx)
			_, err = c.Exec(ctx, at.sql)
			got, err2 := one[float64](ctx, c, balance)
			return errors.Join(err, err2, equal(got, 10.0))
		})
	}
}

func pgxCursor(ctx context.Context, c *pgx.Conn) error {
	return pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `DECLARE first CURSOR FOR SELECT sku FROM product ORDER BY sku`); err != nil {
			return err
		}
		rows, _ := tx.Query(ctx, `FETCH 3 FROM first`)
		got, err := pgx.CollectRows(rows, pgx.RowTo[int64])
		return errors.Join(err, equal(got, []int64{1, 2, 3}))
	})
}
