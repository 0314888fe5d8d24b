package main

import (
	"context"
	"database/sql"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/lib/pq"
)

// The statements on a temporary table, which ends with its transaction.
const (
	createPicked = `CREATE TEMP TABLE picked (id int PRIMARY KEY, note text DEFAULT 'none', weight numeric(6,2)) ON COMMIT DROP`
	insertPicked = `INSERT INTO picked VALUES ($1, $2, $3)`
	updatePicked = `UPDATE picked SET note = note || $1 WHERE id = $2`
	deletePicked = `DELETE FROM picked WHERE id = $1`
	selectPicked = `SELECT array_agg(id || ' ' || note ORDER BY id) FROM picked WHERE id < $1`
)

// pickedRows are the rows that are left.
var pickedRows = []string{"2 two!", "3 copied"}

// pgxTemporary writes a temporary table in all ways, and ends it.
func pgxTemporary(ctx context.Context, c *pgx.Conn) error {
	tx, err := c.Begin(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback(ctx) }()
	batch := &pgx.Batch{}
	batch.Queue(insertPicked, 1, "one", nil)
	batch.Queue(insertPicked, 2, "two", "1.5")
	batch.Queue(updatePicked, "!", 2)
	batch.Queue(deletePicked, 1)
	if _, err := tx.Exec(ctx, createPicked); err != nil {
		return err
	}
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return err
	}
	n, err := tx.CopyFrom(ctx, pgx.Identifier{"picked"}, []string{"id", "note"}, pgx.CopyFromRows([][]any{{int32(3), "copied"}}))
	if err := errors.Join(err, equal(n, int64(1))); err != nil {
		return err
	}
	var got []string
	if err := tx.QueryRow(ctx, selectPicked, 9).Scan(&got); err != nil {
		return err
	}
	err = tx.Commit(ctx)
	_, gone := c.Exec(ctx, `TABLE picked`)
	return errors.Join(equal(got, pickedRows), err, fails(gone, "42P01"))
}

// pqTemporary is pgxTemporary through database/sql.
func pqTemporary(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	for _, s := range []struct {
		sql  string
		args []any
	}{
		{createPicked, nil}, {insertPicked, []any{1, "one", nil}}, {insertPicked, []any{2, "two", 1.5}}, {updatePicked, []any{"!", 2}}, {deletePicked, []any{1}},
	} {
		if _, err := tx.ExecContext(ctx, s.sql, s.args...); err != nil {
			return err
		}
	}
	into, err := tx.PrepareContext(ctx, pq.CopyIn("picked", "id", "note"))
	if err != nil {
		return err
	}
	if _, err := into.ExecContext(ctx, 3, "copied"); err != nil {
		return err
	}
	if err := into.Close(); err != nil {
		return err
	}
	var got []string
	if err := tx.QueryRowContext(ctx, selectPicked, 9).Scan(pq.Array(&got)); err != nil {
		return err
	}
	err = tx.Commit()
	_, gone := db.ExecContext(ctx, `TABLE picked`)
	return errors.Join(equal(got, pickedRows), err, fails(gone, "42P01"))
}
