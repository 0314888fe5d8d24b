package workspace_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/rewrite/types"
	"github.com/ontosql/ontosql/workspace"
)

// session is a session with one table t of one integer column.
type session struct {
	*testing.T
	conn   *duckdb.Conn
	temp   *workspace.Session
	schema string
}

func newSession(t *testing.T, engine *duckdb.Engine, xacts *workspace.Xacts, prefix string) *session {
	t.Helper()
	conn, err := engine.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	s := &session{t, conn, workspace.NewSession(workspace.Unavailable(errors.New("none")), xacts, "main", prefix), workspace.TempSchema}
	columns := []workspace.Column{{Number: 1, Name: "a", Type: types.Of(types.Int4)}}
	h, err := s.temp.CreateHeap(t.Context(), conn, workspace.TempSchema, columns)
	if err != nil {
		t.Fatal(err)
	}
	s.temp.Set(s.temp.Objects.With(&workspace.Table{Schema: workspace.TempSchema, Name: "t", Columns: columns, Heap: h}))
	s.end(true)
	return s
}

func newEngine(t *testing.T) *duckdb.Engine {
	t.Helper()
	engine, err := duckdb.Open(t.Context(), duckdb.Options{TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(engine.Close)
	return engine
}

func (s *session) table() *workspace.Table { return s.temp.Table(s.schema, "t") }

func (s *session) exec(sql string) {
	s.Helper()
	if err := s.conn.Exec(s.Context(), sql); err != nil {
		s.Fatalf("%s: %v", sql, err)
	}
}

// write runs a statement of the engine that writes a heap.
func (s *session) write(h *workspace.Heap, sql func(workspace.XID) string) {
	s.Helper()
	if err := s.temp.Apply(s.Context(), s.conn, h, false, func(id workspace.XID) error { return s.conn.Exec(s.Context(), sql(id)) }); err != nil {
		s.Fatal(err)
	}
}

func (s *session) insert(values ...int) {
	s.Helper()
	t := s.table()
	for _, v := range values {
		s.write(t.Heap, func(id workspace.XID) string {
			return t.Heap.Insert(id, t.Columns, []string{strconv.Itoa(v)}, "(SELECT 1)", 1)
		})
	}
}

func (s *session) delete(value int) {
	s.Helper()
	h := s.table().Heap
	seen := h.Source(s.temp.Snapshot(false), []string{"rowid", "c1"})
	s.write(h, func(id workspace.XID) string {
		return h.End(id, "SELECT rowid FROM ("+seen+") WHERE c1 = "+strconv.Itoa(value), 1)
	})
}

// rows are the values that a statement sees.
func (s *session) rows(snapshot workspace.Snapshot) string {
	s.Helper()
	return s.rowsOf(s.table().Heap, snapshot)
}

func (s *session) rowsOf(h *workspace.Heap, snapshot workspace.Snapshot) string {
	s.Helper()
	var out []string
	sql := h.Source(snapshot, []string{"c1"}) + " ORDER BY 1"
	if err := s.conn.Each(s.Context(), sql, nil, func(b *column.Batch, i int) { out = append(out, strconv.Itoa(int(b.Cols[0].I32[i]))) }); err != nil {
		s.Fatal(err)
	}
	return strings.Join(out, " ")
}

func (s *session) want(want string) {
	s.Helper()
	if got := s.rows(s.temp.Snapshot(false)); got != want {
		s.Errorf("the table has %q, want %q", got, want)
	}
}

func (s *session) end(commit bool) {
	s.Helper()
	end := s.temp.Rollback
	if commit {
		if err := s.temp.CommitStore(s.Context(), s.conn); err != nil {
			s.Fatal(err)
		}
		end = s.temp.Commit
	}
	if err := end(s.Context(), s.conn); err != nil {
		s.Fatal(err)
	}
}

func (s *session) rollbackTo(m workspace.Mark) {
	s.Helper()
	if _, err := s.temp.RollbackTo(s.Context(), s.conn, m); err != nil {
		s.Fatal(err)
	}
}

func TestSavepointsOfATable(t *testing.T) {
	s := newSession(t, newEngine(t), workspace.NewXacts(), "t")
	s.insert(1, 2)
	s.end(true)
	s.delete(1)
	one := s.temp.Savepoint()
	s.insert(3)
	s.delete(2)
	two := s.temp.Savepoint()
	s.delete(3)
	s.insert(4)
	s.want("4")
	s.rollbackTo(two)
	s.want("3")
	s.rollbackTo(two)
	s.insert(5)
	s.want("3 5")
	s.rollbackTo(one)
	s.want("2")
	s.insert(6)
	s.end(true)
	s.want("2 6")
	s.delete(2)
	s.end(false)
	s.want("2 6")
}

// TestSnapshotIsKept reads by a snapshot from before later statements of its own transaction.
func TestSnapshotIsKept(t *testing.T) {
	s := newSession(t, newEngine(t), workspace.NewXacts(), "t")
	s.insert(1)
	s.end(true)
	before := s.temp.Snapshot(false)
	s.insert(2)
	s.delete(1)
	if got := s.rows(before); got != "1" {
		t.Errorf("the earlier snapshot sees %q", got)
	}
	s.want("2")
}

// TestRowsOfRunningTransactions: a snapshot does not see what runs, and sees it once it ended.
func TestRowsOfRunningTransactions(t *testing.T) {
	xacts := workspace.NewXacts()
	s := newSession(t, newEngine(t), xacts, "t")
	other := xacts.Snapshot(nil)
	s.insert(1)
	during := xacts.Snapshot(nil)
	h := s.table().Heap
	if got := s.rows(other) + s.rows(during); got != "" {
		t.Errorf("others see %q of a transaction that runs", got)
	}
	s.want("1")
	s.end(true)
	if got := s.rows(xacts.Snapshot(nil)); got != "1" {
		t.Errorf("others see %q after its end", got)
	}
	if s.table().Heap != h {
		t.Error("the heap was replaced")
	}
}

func TestDropIsRolledBack(t *testing.T) {
	s := newSession(t, newEngine(t), workspace.NewXacts(), "t")
	s.insert(7)
	s.end(true)
	table := s.table()
	s.temp.Set(s.temp.Objects.Without(table))
	m := s.temp.Savepoint()
	s.temp.Set(s.temp.Objects.With(table))
	s.rollbackTo(m)
	if s.table() != nil {
		t.Error("the dropped table is back after ROLLBACK TO")
	}
	s.end(false)
	s.want("7")
	s.temp.Set(s.temp.Objects.Without(s.table()))
	s.end(true)
	if err := s.conn.Exec(t.Context(), "SELECT * FROM "+table.Heap.SQL()); err == nil {
		t.Error("the heap of a dropped table exists after COMMIT")
	}
}

func TestOnCommit(t *testing.T) {
	s := newSession(t, newEngine(t), workspace.NewXacts(), "t")
	emptied := *s.table()
	emptied.OnCommit = workspace.DeleteRows
	s.temp.Set(s.temp.Objects.With(&emptied))
	s.insert(1)
	s.end(true)
	s.want("")
	dropped := *s.table()
	dropped.OnCommit = workspace.DropTable
	s.temp.Set(s.temp.Objects.With(&dropped))
	s.insert(1)
	s.end(true)
	if s.table() != nil {
		t.Error("the table exists after COMMIT")
	}
}
