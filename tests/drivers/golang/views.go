package main

import (
	"context"
	"database/sql"
	"errors"

	"github.com/jackc/pgx/v5"
)

// The statements on a view in a schema of the workspace, and a WITH that writes two types.
const (
	createShown = `CREATE SCHEMA shown`
	createView  = `CREATE VIEW shown.orders AS SELECT c.id, c.name, b.qty FROM customer c JOIN purchase b ON b.left_key = c.id`
	selectView  = `SELECT name || ' ' || qty FROM shown.orders WHERE id = $1`
	dropShown   = `DROP SCHEMA shown CASCADE`
	withWrites  = `WITH changed AS (UPDATE customer SET name = $1 WHERE id = $2 RETURNING id, name), made AS (INSERT INTO product VALUES ($3, $4) RETURNING sku)
SELECT changed.id || ' ' || changed.name || ' ' || made.sku FROM changed, made`
	selectBob = `SELECT name FROM customer WHERE id = 'c2'`
)

// pgxViews creates a view, reads it, and drops it with its schema.
func pgxViews(ctx context.Context, c *pgx.Conn) error {
	for _, s := range []string{createShown, createView} {
		if _, err := c.Exec(ctx, s); err != nil {
			return err
		}
	}
	got, err := one[string](ctx, c, selectView, "c1")
	_, dropped := c.Exec(ctx, dropShown)
	return errors.Join(err, equal(got, "Ada 2"), dropped)
}

// pgxWith writes by a WITH and takes it back.
func pgxWith(ctx context.Context, c *pgx.Conn) error {
	tx, err := c.Begin(ctx)
	if err != nil {
		return err
	}
	var got string
	err = tx.QueryRow(ctx, withWrites, "Bea", "c2", 4000, "made").Scan(&got)
	err = errors.Join(err, equal(got, "c2 Bea 4000"), tx.Rollback(ctx))
	bob, gone := one[string](ctx, c, selectBob)
	return errors.Join(err, gone, equal(bob, "Bob"))
}

// sqlViews is pgxViews through database/sql.
func sqlViews(ctx context.Context, db *sql.DB) error {
	for _, s := range []string{createShown, createView} {
		if _, err := db.ExecContext(ctx, s); err != nil {
			return err
		}
	}
	var got string
	err := db.QueryRowContext(ctx, selectView, "c1").Scan(&got)
	_, dropped := db.ExecContext(ctx, dropShown)
	return errors.Join(err, equal(got, "Ada 2"), dropped)
}

// sqlWith is pgxWith through database/sql.
func sqlWith(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	var got, bob string
	err = tx.QueryRowContext(ctx, withWrites, "Bea", "c2", 4000, "made").Scan(&got)
	err = errors.Join(err, equal(got, "c2 Bea 4000"), tx.Rollback())
	return errors.Join(err, db.QueryRowContext(ctx, selectBob).Scan(&bob), equal(bob, "Bob"))
}
