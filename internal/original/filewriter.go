package original

import (
	"context"
	"errors"
	"fmt"
	"time"

	lite "zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
)

// FileWriter is a writing process with an ontology in a SQLite file: Session.commit
// of COMPAT 4.3, statement by statement. It takes the row of the lock, reads what it
// compares with, and writes in one immediate transaction. Like Writer it renews no
// lease and registers no types. Its methods are called from one goroutine.
type FileWriter struct {
	Path  string
	Owner string // owner_id of the lock
	// LockTimeout is how long it waits for the row of the lock; 5 s when 0.
	LockTimeout time.Duration
	// LeaseTTL is how long its lock lasts; 30 s when 0.
	LeaseTTL time.Duration
}

// FileData are rows of one type, with their fields as the original spells them.
type FileData struct {
	Type ontosql.TypeRef
	Rows []format.Row // Commit is filled in; a SchemaVersionID of 0 is NULL
}

// FileReader answers get_latest while the lock is held.
type FileReader struct{ conn *lite.Conn }

// Latest are the newest stored fields of an entity, nil for none.
func (r FileReader) Latest(name, key string) (fields []byte, err error) {
	const sql = "SELECT fields_json FROM entity_history WHERE entity_type = ? AND entity_key = ? ORDER BY commit_id DESC LIMIT 1"
	err = sqlitex.Execute(r.conn, sql, &sqlitex.ExecOptions{Args: []any{name, key}, ResultFunc: func(row *lite.Stmt) error {
		fields = []byte(row.ColumnText(0))
		return nil
	}})
	return fields, err
}

// Commit writes what change says, as one commit of its own; nothing for no data.
// ErrLockTimeout says that nothing was tried.
func (w *FileWriter) Commit(ctx context.Context, change func(FileReader) ([]FileData, error)) (commit ontosql.CommitID, err error) {
	conn, err := lite.OpenConn(w.Path, lite.OpenReadWrite)
	if err != nil {
		return 0, fmt.Errorf("original: open %s: %w", w.Path, err)
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	conn.SetBusyTimeout(5 * time.Second)
	for _, pragma := range []string{"PRAGMA journal_mode = WAL", "PRAGMA foreign_keys = ON"} {
		if err := sqlitex.ExecuteTransient(conn, pragma, nil); err != nil {
			return 0, err
		}
	}
	if err := w.lock(ctx, conn); err != nil {
		return 0, err
	}
	defer func() {
		err = errors.Join(err, sqlitex.Execute(conn, "DELETE FROM locks WHERE lock_name = 'ontology_write' AND owner_id = ?", &sqlitex.ExecOptions{Args: []any{w.Owner}}))
	}()
	data, err := change(FileReader{conn})
	if err != nil || len(data) == 0 {
		return 0, err
	}
	end, err := sqlitex.ImmediateTransaction(conn)
	if err != nil {
		return 0, err
	}
	defer end(&err)
	return w.write(conn, data)
}

// lock takes the row of the lock, as often as it takes.
func (w *FileWriter) lock(ctx context.Context, conn *lite.Conn) error {
	wait, ttl := w.LockTimeout, w.LeaseTTL
	if wait == 0 {
		wait = 5 * time.Second
	}
	if ttl == 0 {
		ttl = 30 * time.Second
	}
	until := time.Now().Add(wait)
	for {
		now := time.Now()
		err := w.tryLock(conn, stamp(now), stamp(now.Add(ttl)))
		switch {
		case err == nil:
			return nil
		case lite.ErrCode(err).ToPrimary() != lite.ResultConstraint:
			return err
		case now.After(until):
			return ErrLockTimeout
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func (w *FileWriter) tryLock(conn *lite.Conn, now, until string) (err error) {
	defer sqlitex.Transaction(conn)(&err)
	if err := sqlitex.Execute(conn, "DELETE FROM locks WHERE lock_name = 'ontology_write' AND expires_at < ?", &sqlitex.ExecOptions{Args: []any{now}}); err != nil {
		return err
	}
	return sqlitex.Execute(conn, "INSERT INTO locks (lock_name, owner_id, acquired_at, expires_at) VALUES ('ontology_write', ?, ?, ?)",
		&sqlitex.ExecOptions{Args: []any{w.Owner, now, until}})
}

// write makes the row of the commit, and those of the history.
func (w *FileWriter) write(conn *lite.Conn, data []FileData) (ontosql.CommitID, error) {
	err := sqlitex.Execute(conn, "INSERT INTO commits (created_at, metadata_json) VALUES (?, ?)",
		&sqlitex.ExecOptions{Args: []any{stamp(time.Now()), `{"namespace": "default"}`}})
	if err != nil {
		return 0, err
	}
	commit := conn.LastInsertRowID()
	for _, d := range data {
		for i := range d.Rows {
			r := &d.Rows[i]
			var version any
			if r.SchemaVersionID != 0 {
				version = r.SchemaVersionID
			}
			sql, args := "INSERT INTO entity_history (entity_type, entity_key, fields_json, commit_id, schema_version_id) VALUES (?, ?, ?, ?, ?)",
				[]any{d.Type.Name, r.Key, string(r.Fields), commit, version}
			if d.Type.Kind == ontosql.Relation {
				sql = "INSERT INTO relation_history (relation_type, left_key, right_key, instance_key, fields_json, commit_id, schema_version_id) VALUES (?, ?, ?, ?, ?, ?, ?)"
				args = []any{d.Type.Name, r.Left, r.Right, r.Instance, string(r.Fields), commit, version}
			}
			if err := sqlitex.Execute(conn, sql, &sqlitex.ExecOptions{Args: args}); err != nil {
				return 0, err
			}
		}
	}
	return ontosql.CommitID(commit), nil
}

// stamp is Python's isoformat of a moment in UTC.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000-07:00") }
