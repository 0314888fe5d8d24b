package mirror

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/duckdb/scan"
)

// tables are the two native tables of one type: cur has the current rows, hist the superseded
// ones. If a type's columns change, new tables are built.
type tables struct {
	number    int64
	hists     int64 // number in the name of hist: that of the tables that it was made for
	ref       ontosql.TypeRef
	signature string           // scan.Signature
	floor     ontosql.CommitID // of the type (decision A14)
	interim   bool             // in memory, until those in the file are written

	// gate is held for reading while a statement is planned and started, and for writing
	// during the COMMIT of a transaction that changes the tables: a DuckDB plan is valid only
	// for the rows it was made for.
	gate sync.RWMutex

	// Guarded by the mirror's mutex. The fields of state change under both the mutex and gate.
	state
	typ        *catalog.Type // the type last matched with signature
	history    History       // a history that includes through, or nil
	unreadable []unreadableCount
	narrow     *catalog.Type // of typ, see columnTypes; nil if it has to be found
	uses       int           // statements using the tables
	repeated   int           // those of them that may start again (Window.Repeated)
	dropped    bool
	sharesHist bool // hist belongs to other tables and is not dropped with these
}

// state is the part of tables that an extension changes.
type state struct {
	through    ontosql.CommitID
	mark       string           // History.Mark at through
	last       ontosql.CommitID // the newest commit with a row
	rows       int64            // in both tables
	identities int64            // rows in cur
	bytes      int64            // estimated size
	moved      int64            // rows moved out of cur since it was built
	duplicates bool
	partial    bool  // some, but not all, rows of commits after through have been added
	version    int64 // number of transactions that changed the rows; not saved
}

// unreadableCount is the number of values of a column (by position in the type) that a commit
// wrote and that do not have the column's type.
type unreadableCount struct {
	col    int
	commit ontosql.CommitID
	n      int64
}

func (t *tables) cur() string  { return fmt.Sprintf("%s.cur%d", t.schema(), t.number) }
func (t *tables) hist() string { return fmt.Sprintf("%s.hist%d", t.schema(), t.hists) }

func (t *tables) schema() string {
	if t.interim {
		return interimSchema
	}
	return attached + ".main"
}

// matchesType reports whether the tables have the columns and the floor of the type.
func (t *tables) matchesType(typ *catalog.Type) bool {
	if t.typ == typ {
		return true
	}
	if !FitsType(typ, t.signature, t.floor) {
		return false
	}
	t.typ, t.narrow = typ, nil
	return true
}

// columnTypes is the type last matched, with the column types of the tables: a declared numeric is
// as narrow as it is declared if all its values fit. Interim tables are made before that is known.
func (t *tables) columnTypes() *catalog.Type {
	switch {
	case t.interim:
		return t.typ
	case t.narrow == nil:
		t.narrow = t.typ.WithDeclaredNumerics(func(i int) bool { return !t.hasUnreadable(scan.MisfitPosition(t.typ, i)) })
	}
	return t.narrow
}

// hasUnreadable reports whether there is a count for a column, by its position.
func (t *tables) hasUnreadable(col int) bool { return anyUnreadable(t.unreadable, col) }

func anyUnreadable(counts []unreadableCount, col int) bool {
	return slices.ContainsFunc(counts, func(b unreadableCount) bool { return b.col == col && b.n > 0 })
}

// matchesHistory reports whether the tables belong to the history h.
func (t *tables) matchesHistory(h History) bool {
	return FitsHistory(h, t.through, t.mark, &t.history)
}

// saveState writes a state to the types table.
func (t *tables) saveState(ctx context.Context, conn *duckdb.Conn, s state) error {
	return conn.Exec(ctx, fmt.Sprintf("UPDATE %s SET through = %d, mark = %s, last = %d, rows = %d, identities = %d, bytes = %d, moved = %d, duplicates = %t, partial = %t WHERE number = %d",
		typesTable, s.through, duckdb.Literal(s.mark), s.last, s.rows, s.identities, s.bytes, s.moved, s.duplicates, s.partial, t.number))
}

// drop removes the tables.
func (t *tables) drop(ctx context.Context, conn *duckdb.Conn) error {
	if t.interim {
		return t.dropInterim(ctx, conn)
	}
	return inTransaction(ctx, conn, func() error {
		sqls := []string{
			"DROP TABLE IF EXISTS " + t.cur(),
			fmt.Sprintf("DELETE FROM %s WHERE number = %d", typesTable, t.number),
			fmt.Sprintf("DELETE FROM %s WHERE number = %d", unreadableTable, t.number),
		}
		if !t.sharesHist {
			sqls = append(sqls, "DROP TABLE IF EXISTS "+t.hist())
		}
		for _, sql := range sqls {
			if err := conn.Exec(ctx, sql); err != nil {
				return err
			}
		}
		return nil
	}, nil)
}
