package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/lib/pq"
)

// pqCases tries database/sql with lib/pq, and what of it goes through pgx the same way.
func pqCases(ctx context.Context) {
	about("lib/pq", "github.com/lib/pq")
	db, err := sql.Open("postgres", "")
	if err != nil {
		panic(err)
	}
	try("connect", func() error {
		var user string
		err := db.QueryRowContext(ctx, `SELECT current_user`).Scan(&user)
		bad, err2 := sql.Open("postgres", "password=wrong")
		return errors.Join(err, err2, equal(user, "ada"), fails(bad.PingContext(ctx), "28P01"))
	})
	try("tables", func() error {
		var got []string
		err := db.QueryRowContext(ctx, `SELECT array_agg(tablename::text ORDER BY tablename) FROM pg_tables WHERE schemaname = $1`, "public").Scan(pq.Array(&got))
		return errors.Join(err, equal(got, publicTables))
	})
	binary, err := sql.Open("postgres", "binary_parameters=yes")
	if err != nil {
		panic(err)
	}
	through, err := sql.Open("pgx", "")
	if err != nil {
		panic(err)
	}
	for _, how := range []struct {
		name string
		db   *sql.DB
	}{{"text", db}, {"binary_parameters", binary}, {"database/sql with pgx", through}} {
		try("types, "+how.name, func() error { return sqlTypes(ctx, how.db) })
		try("parameters, "+how.name, func() error { return sqlParameters(ctx, how.db) })
		try("insert and rollback, "+how.name, func() error { return sqlRollback(ctx, how.db) })
	}
	try("arrays", func() error {
		var got []string
		err := db.QueryRowContext(ctx, `SELECT $1::text[]`, pq.Array([]string{"a", `b "\,{}`})).Scan(pq.Array(&got))
		return errors.Join(err, equal(got, []string{"a", `b "\,{}`}))
	})
	try("temporary table", func() error { return pqTemporary(ctx, db) })
	try("views", func() error { return sqlViews(ctx, db) })
	try("with", func() error { return sqlWith(ctx, db) })
	try("error and recovery", func() error { return sqlError(ctx, db) })
	try("metadata", func() error {
		rows, err := db.QueryContext(ctx, `SELECT id, n, ts FROM sample`)
		if err != nil {
			return err
		}
		defer rows.Close()
		types, err := rows.ColumnTypes()
		if err != nil {
			return err
		}
		return equal([]string{types[0].DatabaseTypeName(), types[1].DatabaseTypeName(), types[2].DatabaseTypeName()},
			[]string{"TEXT", "NUMERIC", "TIMESTAMPTZ"})
	})
	try("SERIALIZABLE READ ONLY", func() error {
		tx, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelSerializable, ReadOnly: true})
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO customer VALUES ('ro', 'R')`)
		return errors.Join(fails(err, "25006"), tx.Rollback())
	})
	try("cancel", func() error {
		short, cancel := context.WithTimeout(ctx, 500*time.Millisecond)
		defer cancel()
		_, err := db.ExecContext(short, endless)
		return errors.Join(fails(err, "57014"), db.PingContext(ctx))
	})
	pqPast(ctx, db)
	try("prepared statement", func() error {
		s, err := db.PrepareContext(ctx, `SELECT title FROM product WHERE sku = $1`)
		if err != nil {
			return err
		}
		defer s.Close()
		for i := range 5 {
			var got string
			err := s.QueryRowContext(ctx, i+1).Scan(&got)
			if err := errors.Join(err, equal(got, fmt.Sprint("product ", i+1))); err != nil {
				return err
			}
		}
		return nil
	})
	try("LISTEN and NOTIFY", func() error {
		l := pq.NewListener("", time.Second, time.Second, nil)
		defer l.Close()
		if err := l.Listen("news"); err != nil {
			return err
		}
		if _, err := db.ExecContext(ctx, `NOTIFY news, 'hello'`); err != nil {
			return err
		}
		select {
		case n := <-l.Notify:
			return equal(n.Extra, "hello")
		case <-time.After(20 * time.Second):
			return errors.New("nothing was heard")
		}
	})
	try("CopyIn", func() error { return pqCopy(ctx, db) })
}

func sqlTypes(ctx context.Context, db *sql.DB) error {
	rows, err := db.QueryContext(ctx, selectSample)
	if err != nil {
		return err
	}
	defer rows.Close()
	var got []sample
	for rows.Next() {
		var s sample
		if err := rows.Scan(s.fields()...); err != nil {
			return err
		}
		got = append(got, s)
	}
	return errors.Join(rows.Err(), equalSamples(got))
}

func sqlParameters(ctx context.Context, db *sql.DB) error {
	at := time.Date(2026, 2, 10, 12, 0, 0, 5000, time.UTC)
	for name, value := range map[string]any{
		"bigint": int64(1 << 40), "float8": -1.25e300, "boolean": true, "text": "é€😀 \"\\'\n", "bytea": []byte{0, 1, 255},
		"timestamptz": at, "numeric": "-12345678901234567890.50", "uuid": "00000000-0000-0000-0000-000000000005",
		"date": "2026-02-10", "jsonb": `{"a": 1}`,
	} {
		var same, null bool
		err := db.QueryRowContext(ctx, `SELECT $1::`+name+` = $2::`+name+`, $3::`+name+` IS NULL`, value, value, nil).Scan(&same, &null)
		if err := errors.Join(err, equal([]bool{same, null}, []bool{true, true})); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func sqlRollback(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	r, err := tx.ExecContext(ctx, `INSERT INTO customer VALUES ($1, $2)`, "gone", "G")
	if err != nil {
		return err
	}
	made, _ := r.RowsAffected()
	back := tx.Rollback()
	var n int64
	err = db.QueryRowContext(ctx, `SELECT count(*) FROM customer WHERE id = 'gone'`).Scan(&n)
	return errors.Join(back, err, equal([]int64{made, n}, []int64{1, 0}))
}

func sqlError(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	_, zero := tx.ExecContext(ctx, `SELECT 1 / 0`)
	_, aborted := tx.ExecContext(ctx, `SELECT 1`)
	return errors.Join(fails(zero, "22012"), fails(aborted, "25P02"), tx.Rollback(), db.PingContext(ctx))
}

func pqPast(ctx context.Context, db *sql.DB) {
	ask := func(db *sql.DB, query string, args ...any) error {
		var got float64
		err := db.QueryRowContext(ctx, query, args...).Scan(&got)
		return errors.Join(err, equal(got, 10.0))
	}
	try("past: as_of.customer(p)", func() error { return ask(db, fmt.Sprintf(pastFunction, "$1"), point) })
	try("past: FOR SYSTEM_TIME AS OF", func() error { return ask(db, fmt.Sprintf(pastSystemTime, "$1"), point) })
	for _, at := range []struct{ name, connect string }{
		{"past: SET", `ontosql.as_of=` + point}, // lib/pq sets at the start what it does not know
		{"past: options", `options='-c ontosql.as_of=` + point + `'`},
		{"past: database name", `dbname=onto@` + point},
	} {
		try(at.name, func() error {
			old, err := sql.Open("postgres", at.connect)
			if err != nil {
				return err
			}
			defer old.Close()
			return ask(old, balance)
		})
	}
}

func pqCopy(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	into, err := tx.PrepareContext(ctx, pq.CopyIn("product", "sku", "title"))
	if err != nil {
		return err
	}
	for i := range 100 {
		if _, err := into.ExecContext(ctx, 5000+i, "copied\t\\"); err != nil {
			return err
		}
	}
	if _, err := into.ExecContext(ctx); err != nil {
		return err
	}
	if err := into.Close(); err != nil {
		return err
	}
	var n int64
	err = tx.QueryRowContext(ctx, `SELECT count(*) FROM product WHERE title = $1`, "copied\t\\").Scan(&n)
	return errors.Join(err, equal(n, int64(100)))
}
