package sqlite

import (
	"errors"
	"fmt"
	"os"
	"time"

	lite "zombiezen.com/go/sqlite"

	"github.com/ontosql/ontosql"
)

// writer is the connection that a Committer writes through, and the file it is of.
type writer struct {
	*lite.Conn
	path string
	file os.FileInfo // what stood at path when it was opened

	cookie int64 // PRAGMA schema_version for which tables is right
	tables map[string]bool
	modern int64 // that at which nothing was missing of what a writer of today makes
}

// openWriter opens the file at path for writing. The settings are the original's
// (COMPAT 4.1), and what SQLite needs to keep an acknowledged commit through a
// loss of power.
func openWriter(path string) (*writer, error) {
	before, err := os.Stat(path)
	if err != nil {
		return nil, storageError("open "+path, err)
	}
	if forbidden(target(path)) { // SQLite would make a log and its index, and then say so
		return nil, fmt.Errorf("open %s: %w", path, ontosql.ErrReadOnly)
	}
	conn, err := lite.OpenConn(path, lite.OpenReadWrite)
	if err != nil {
		return nil, storageError("open "+path, err)
	}
	w := &writer{Conn: conn, path: path, file: before, cookie: -1, modern: -1}
	if err := w.settle(); err != nil {
		conn.Close()
		if lite.ErrCode(err).ToPrimary() == lite.ResultCantOpen && unwritable(target(path)) {
			err = fmt.Errorf("%w: %w", ontosql.ErrReadOnly, err)
		}
		if lite.ErrCode(err).ToPrimary() == lite.ResultNotADB {
			return nil, fmt.Errorf("open %s: %w: %w", path, ErrForeign, err)
		}
		return nil, storageError("open "+path, err)
	}
	return w, nil
}

// settle makes the settings of a connection. That a file keeps its rollback
// journal because another process has it open is no error.
func (w *writer) settle() error {
	w.SetBusyTimeout(busyWait)
	if err := w.exec("PRAGMA journal_mode = WAL"); err != nil && !busy(err) {
		return err
	}
	for _, pragma := range []string{"PRAGMA synchronous = FULL", "PRAGMA foreign_keys = ON"} {
		if err := w.exec(pragma); err != nil {
			return err
		}
	}
	if !w.standing() {
		return fmt.Errorf("%w: the file was replaced while it was opened", ontosql.ErrStorage)
	}
	return nil
}

// standing reports whether the file that is open still stands at its path.
func (w *writer) standing() bool {
	now, err := os.Stat(w.path)
	return err == nil && os.SameFile(w.file, now)
}

// exec runs a statement that gives no rows that anybody wants.
func (w *writer) exec(query string, args ...any) error {
	return w.each(query, nil, args...)
}

// each runs a statement, which is kept prepared, and gives visit each row; nil
// visits none.
func (w *writer) each(query string, visit func(row *lite.Stmt) error, args ...any) error {
	return each(w.Conn, query, visit, args...)
}

// number is the first column of the first row of a statement, found is false
// where it gives none or NULL.
func (w *writer) number(query string, args ...any) (n int64, found bool, err error) {
	stmt, err := w.Prepare(query)
	if err != nil {
		return 0, false, err
	}
	bind(stmt, args)
	more, err := stmt.Step()
	if err != nil || !more {
		return 0, false, err
	}
	n, found = stmt.ColumnInt64(0), !stmt.ColumnIsNull(0)
	return n, found, stmt.Reset()
}

// has reports whether the file has a table.
func (w *writer) has(table string) (bool, error) {
	cookie, _, err := w.number("PRAGMA schema_version")
	if err != nil {
		return false, err
	}
	if w.tables == nil || cookie != w.cookie {
		tables := map[string]bool{}
		err := w.each("SELECT name FROM sqlite_schema WHERE type = 'table'", func(row *lite.Stmt) error {
			tables[row.ColumnText(0)] = true
			return nil
		})
		if err != nil {
			return false, err
		}
		w.tables, w.cookie = tables, cookie
	}
	return w.tables[table], nil
}

// begin begins a transaction that writes. It fails with SQLITE_BUSY while another
// connection has one open. Inside it, SQLite waits for readers for as long as wait.
func (w *writer) begin(wait time.Duration) error {
	w.SetBusyTimeout(busyWait)
	if err := w.exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	w.SetBusyTimeout(wait)
	return nil
}

// rollback ends a transaction, if SQLite has not ended it already.
func (w *writer) rollback() {
	if !w.AutocommitEnabled() {
		_ = w.exec("ROLLBACK") // it fails only where nothing is left to be undone
	}
}

// checkpoint takes what is in the write-ahead log into the file, and empties the
// log where no reader needs it any more.
func (w *writer) checkpoint() error {
	w.SetBusyTimeout(busyWait)
	return w.exec("PRAGMA wal_checkpoint(TRUNCATE)")
}

// create opens the file for writing, and makes it where there is none.
func create(path string) (*writer, error) {
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		conn, err := lite.OpenConn(path, lite.OpenReadWrite, lite.OpenCreate)
		if err != nil {
			return nil, storageError("create "+path, err)
		}
		if err := conn.Close(); err != nil {
			return nil, storageError("create "+path, err)
		}
	}
	return openWriter(path)
}
