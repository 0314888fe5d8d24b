package mirror

import (
	"context"
	"fmt"
	"sync"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/duckdb/scan"
)

// tables are the two native tables of one type, from their building to their
// end. A type whose columns change gets others.
type tables struct {
	number    int64
	ref       ontosql.TypeRef
	signature string           // scan.Signature
	floor     ontosql.CommitID // of the type (decision A14)
	interim   bool             // they are not in the file, and others are being made of them

	// gate is held for reading while a statement is planned and started, and for
	// writing while a transaction that changes the tables ends: the engine's plan
	// holds for the rows that it was made over.
	gate sync.RWMutex

	// Under the mirror's mutex; what state holds changes under both.
	state
	typ        *catalog.Type // the type that signature was compared with last
	history       History       // one that goes up to through at least; nil before one was met
	unreadable []unreadableCount
	uses       int // statements that may read them
	dropped    bool
}

// state is what changes when tables are extended.
type state struct {
	through    ontosql.CommitID
	mark       string           // of the history at through
	last       ontosql.CommitID // the newest commit with a row here
	rows       int64            // in both tables
	identities int64            // rows in cur
	bytes      int64            // about what they fill
	moved      int64            // rows that have left cur since it was built
	duplicates bool
	partial    bool  // rows of commits after through are here, and not all of them
	version    int64 // counts the transactions that changed the rows; not written down
}

// unreadableCount counts the values of a column, by its position in the type, that a commit
// wrote and that are none of its type.
type unreadableCount struct {
	col    int
	commit ontosql.CommitID
	n      int64
}

func (t *tables) cur() string  { return fmt.Sprintf("%s.cur%d", t.schema(), t.number) }
func (t *tables) hist() string { return fmt.Sprintf("%s.hist%d", t.schema(), t.number) }

func (t *tables) schema() string {
	if t.interim {
		return interimSchema
	}
	return attached + ".main"
}

// matchesType reports whether the tables are those of the type.
func (t *tables) matchesType(typ *catalog.Type) bool {
	if t.typ == typ {
		return true
	}
	if t.floor != typ.Floor || t.signature != scan.Signature(typ) {
		return false
	}
	t.typ = typ
	return true
}

// matchesHistory reports whether the tables are of the history h: it goes through the
// commit they end with, or the one they were made from goes through h's head.
func (t *tables) matchesHistory(h History) bool {
	if h.Head() >= t.through {
		if h.Mark(t.through) != t.mark {
			return false
		}
		if t.history == nil {
			t.history = h
		}
		return true
	}
	return t.history != nil && t.history.Mark(h.Head()) == h.Mark(h.Head())
}

// saveState writes a state down.
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
		for _, sql := range []string{
			"DROP TABLE IF EXISTS " + t.cur(),
			"DROP TABLE IF EXISTS " + t.hist(),
			fmt.Sprintf("DELETE FROM %s WHERE number = %d", typesTable, t.number),
			fmt.Sprintf("DELETE FROM %s WHERE number = %d", unreadableTable, t.number),
		} {
			if err := conn.Exec(ctx, sql); err != nil {
				return err
			}
		}
		return nil
	}, nil)
}
