package sqlconn

import (
	"errors"
	"fmt"
	"os"
	"time"

	lite "zombiezen.com/go/sqlite"

	"github.com/ontosql/ontosql"
)

// Writer is a connection that writes to a file. The caller closes it.
type Writer struct {
	*lite.Conn
	Path string
	file os.FileInfo // of the file at Path when it was opened

	// SchemaCookie is the PRAGMA schema_version at which HasTable read the tables; -1
	// before.
	SchemaCookie int64
	tables       map[string]bool
	// UpgradedCookie is the PRAGMA schema_version at which initdb.Upgrade found nothing to
	// do; -1 before.
	UpgradedCookie int64
}

// OpenWriter opens the existing file at path for writing, with the settings of the original
// library (COMPAT 4.1) and synchronous = FULL, so that an acknowledged commit survives a
// loss of power. Errors are those of StorageError, with ontosql.ErrReadOnly and ErrForeign.
func OpenWriter(path string) (*Writer, error) {
	before, err := os.Stat(path)
	if err != nil {
		return nil, StorageError("open "+path, err)
	}
	if NotWritable(ResolveLinks(path)) { // SQLite would make a log and its index, and then say so
		return nil, fmt.Errorf("open %s: %w", path, ontosql.ErrReadOnly)
	}
	conn, err := lite.OpenConn(path, lite.OpenReadWrite)
	if err != nil {
		return nil, StorageError("open "+path, err)
	}
	w := &Writer{Conn: conn, Path: path, file: before, SchemaCookie: -1, UpgradedCookie: -1}
	if err := w.settle(); err != nil {
		conn.Close()
		if lite.ErrCode(err).ToPrimary() == lite.ResultCantOpen && CannotCreateWAL(ResolveLinks(path)) {
			err = fmt.Errorf("%w: %w", ontosql.ErrReadOnly, err)
		}
		if lite.ErrCode(err).ToPrimary() == lite.ResultNotADB {
			return nil, fmt.Errorf("open %s: %w: %w", path, ErrForeign, err)
		}
		return nil, StorageError("open "+path, err)
	}
	return w, nil
}

// settle makes the settings of a connection. That a file keeps its rollback
// journal because another process has it open is no error.
func (w *Writer) settle() error {
	w.SetBusyTimeout(BusyTimeout)
	if err := w.Exec("PRAGMA journal_mode = WAL"); err != nil && !IsBusy(err) {
		return err
	}
	for _, pragma := range []string{"PRAGMA synchronous = FULL", "PRAGMA foreign_keys = ON"} {
		if err := w.Exec(pragma); err != nil {
			return err
		}
	}
	if !w.InPlace() {
		return fmt.Errorf("%w: the file was replaced while it was opened", ontosql.ErrStorage)
	}
	return nil
}

// InPlace reports whether the open file is still the one at its path.
func (w *Writer) InPlace() bool {
	now, err := os.Stat(w.Path)
	return err == nil && os.SameFile(w.file, now)
}

// Exec runs a statement and ignores its rows.
func (w *Writer) Exec(query string, args ...any) error {
	return w.Each(query, nil, args...)
}

// Each is the function Each for this connection.
func (w *Writer) Each(query string, visit func(row *lite.Stmt) error, args ...any) error {
	return Each(w.Conn, query, visit, args...)
}

// Int64 is the first column of a statement's first row. found is false where there is no
// row, or the column is NULL.
func (w *Writer) Int64(query string, args ...any) (n int64, found bool, err error) {
	stmt, err := w.Prepare(query)
	if err != nil {
		return 0, false, err
	}
	Bind(stmt, args)
	more, err := stmt.Step()
	if err != nil || !more {
		return 0, false, err
	}
	n, found = stmt.ColumnInt64(0), !stmt.ColumnIsNull(0)
	return n, found, stmt.Reset()
}

// HasTable reports whether the file has a table. It reads the tables once for each
// PRAGMA schema_version.
func (w *Writer) HasTable(table string) (bool, error) {
	cookie, _, err := w.Int64("PRAGMA schema_version")
	if err != nil {
		return false, err
	}
	if w.tables == nil || cookie != w.SchemaCookie {
		tables := map[string]bool{}
		err := w.Each("SELECT name FROM sqlite_schema WHERE type = 'table'", func(row *lite.Stmt) error {
			tables[row.ColumnText(0)] = true
			return nil
		})
		if err != nil {
			return false, err
		}
		w.tables, w.SchemaCookie = tables, cookie
	}
	return w.tables[table], nil
}

// Begin begins a transaction that writes. It fails with SQLITE_BUSY while another
// connection has one open. wait is how long SQLite waits for readers inside it.
func (w *Writer) Begin(wait time.Duration) error {
	w.SetBusyTimeout(BusyTimeout)
	if err := w.Exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	w.SetBusyTimeout(wait)
	return nil
}

// Rollback rolls back the open transaction, if there is one.
func (w *Writer) Rollback() {
	if !w.AutocommitEnabled() {
		_ = w.Exec("ROLLBACK") // it fails only where nothing is left to be undone
	}
}

// Checkpoint copies the write-ahead log into the file, and truncates the log where no
// reader needs it.
func (w *Writer) Checkpoint() error {
	w.SetBusyTimeout(BusyTimeout)
	return w.Exec("PRAGMA wal_checkpoint(TRUNCATE)")
}

// CreateWriter is OpenWriter, which creates a missing file. It waits while another process
// has the file locked, which it does while it changes the journal mode of a new one.
func CreateWriter(path string, wait time.Duration) (*Writer, error) {
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		conn, err := lite.OpenConn(path, lite.OpenReadWrite, lite.OpenCreate)
		if err != nil {
			return nil, StorageError("create "+path, err)
		}
		if err := conn.Close(); err != nil {
			return nil, StorageError("create "+path, err)
		}
	}
	until := time.Now().Add(wait)
	for {
		w, err := OpenWriter(path)
		if !IsBusy(err) || !time.Now().Before(until) {
			return w, err
		}
	}
}
