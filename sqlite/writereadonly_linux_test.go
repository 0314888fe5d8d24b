package sqlite

import (
	"errors"
	"testing"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/sqlite/sqlconn"
)

// TestWriteWhereNothingMayBeMade opens files for writing in a directory where no log
// can be made: it is the place that is read-only, and no file is missing.
func TestWriteWhereNothingMayBeMade(t *testing.T) {
	for _, journal := range []string{"WAL", "DELETE"} {
		t.Run(journal, func(t *testing.T) {
			m := makeFile(t, journal)
			m.commit("", "A 1")
			m.close()
			withoutPower(t, m.path)
			w, err := sqlconn.OpenWriter(m.path)
			if err == nil { // only a transaction tells
				err = sqlconn.StorageError("begin", w.Begin(0))
				w.Close()
			}
			if !errors.Is(err, ontosql.ErrReadOnly) || errors.Is(err, ontosql.ErrStorage) {
				t.Errorf("%v, want %v", err, ontosql.ErrReadOnly)
			}
		})
	}
}
