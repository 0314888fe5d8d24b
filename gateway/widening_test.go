package gateway_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"
)

// longAt is a query of 300,000 numerics, of which the one with this number has 39 digits.
func longAt(row int) string {
	return fmt.Sprintf("SELECT CASE WHEN g = %d THEN 10 ELSE 1 END::numeric * 90000000000000000000000000000000000000 FROM generate_series(1, 300000) g", row)
}

const (
	usualNumber = "90000000000000000000000000000000000000"
	longNumber  = "900000000000000000000000000000000000000"
)

// TestLongNumbersInAStream: a number that the engine's decimals cannot hold is answered, also behind
// more rows than are kept in memory before the client gets one.
func TestLongNumbersInAStream(t *testing.T) {
	asksNoMirror(t)
	f := newHouse(t, nil).dial(t)
	for _, c := range []struct {
		name, sql string
		at, rows  int
		answers   string
	}{
		{"first row", longAt(1), 0, 300_000, "SELECT 300000"},
		{"in the rows that are computed ahead", longAt(100_000), 99_999, 300_000, "SELECT 300000"},
		{"behind them, sorted", longAt(290_000) + " ORDER BY g", 289_999, 300_000, "SELECT 300000"},
		{"behind them", longAt(290_000), 289_999, 300_000, "SELECT 300000"},
	} {
		rows, answers := f.exchange(&pgproto3.Query{String: c.sql})
		if !slices.Equal(answers, []string{c.answers}) || c.rows > 0 && len(rows) != c.rows {
			t.Errorf("%s: %d rows and %q, want %d and %q", c.name, len(rows), answers, c.rows, c.answers)
			continue
		}
		if at := slices.Index(rows, longNumber); at != c.at || rows[0] != usualNumber && c.at != 0 {
			t.Errorf("%s: the long number is row %d, want %d; the first is %s", c.name, at, c.at, rows[0])
		}
	}
	_, answers := f.exchange(&pgproto3.Query{String: "SELECT 1"})
	if !slices.Equal(answers, []string{"SELECT 1"}) {
		t.Errorf("the session answers %q afterwards", answers)
	}
}

// TestLongNumbersInPieces reads a portal and a cursor in pieces, with other statements between them.
func TestLongNumbersInPieces(t *testing.T) {
	asksNoMirror(t)
	f := newHouse(t, nil).dial(t)
	f.exchange(&pgproto3.Query{String: "BEGIN"})
	for _, at := range []int{2, 3000, 290_000} {
		first, answers := f.exchange(&pgproto3.Parse{Query: longAt(at)}, &pgproto3.Bind{DestinationPortal: "p"}, &pgproto3.Execute{Portal: "p", MaxRows: 1}, &pgproto3.Sync{})
		if !slices.Equal(first, []string{usualNumber}) || !slices.Equal(answers, []string{"suspended"}) {
			t.Fatalf("%d: the first row is %q, %q", at, first, answers)
		}
		if other, answers := f.exchange(&pgproto3.Query{String: longAt(1) + " LIMIT 1"}); !slices.Equal(other, []string{longNumber}) {
			t.Errorf("%d: another statement answers %q, %q", at, other, answers)
		}
		rest, answers := f.exchange(&pgproto3.Execute{Portal: "p"}, &pgproto3.Sync{})
		if got := slices.Index(rest, longNumber); len(rest) != 299_999 || got != at-2 {
			t.Errorf("%d: %d rows more, the long number is %d, %q", at, len(rest), got, answers)
		}
		f.exchange(&pgproto3.Close{ObjectType: 'P', Name: "p"}, &pgproto3.Sync{})
	}
	f.exchange(&pgproto3.Query{String: "DECLARE c CURSOR FOR " + longAt(3000)})
	skipped, _ := f.exchange(&pgproto3.Query{String: "FETCH 2999 FROM c"})
	if _, answers := f.exchange(&pgproto3.Query{String: "SELECT 1"}); !slices.Equal(answers, []string{"SELECT 1"}) {
		t.Errorf("between two FETCH: %q", answers)
	}
	long, answers := f.exchange(&pgproto3.Query{String: "FETCH c"})
	if len(skipped) != 2999 || !slices.Equal(long, []string{longNumber}) {
		t.Errorf("the cursor has %d rows, then %q, %q", len(skipped), long, answers)
	}
}

// TestOtherErrorsStayInPlace: rows before a division by zero are sent although some rows were
// computed before.
func TestOtherErrorsStayInPlace(t *testing.T) {
	asksNoMirror(t)
	f := newHouse(t, nil).dial(t)
	sql := "SELECT 1.0 * g / (g - 280000)::numeric FROM generate_series(1, 300000) g"
	rows, answers := f.exchange(&pgproto3.Query{String: sql})
	if len(rows) < 2048 || len(rows) >= 280_000 || !slices.Equal(answers, []string{"22012 division by zero"}) {
		t.Errorf("%d rows, %q", len(rows), answers)
	}
}

// TestALastingEffectIsNotRepeated: a statement that takes a lock of the session is not run twice.
func TestALastingEffectIsNotRepeated(t *testing.T) {
	asksNoMirror(t)
	s := newHouse(t, nil).session(t, "onto")
	refused(t, s, "22003", "SELECT pg_advisory_lock(7), 1e37::numeric * g FROM generate_series(1, 20) g")
	refused(t, s, "22003", "SELECT 2147483647 + g FROM generate_series(1, 20) g")
}

// TestPreparedStatementsWidenOnce: a prepared statement is planned with wide numerics only for the
// parameters that need them, also if it reads nothing.
func TestPreparedStatementsWidenOnce(t *testing.T) {
	asksNoMirror(t)
	f := newHouse(t, nil).dial(t)
	for _, sql := range []string{"SELECT $1::numeric(38,0) * 10", "SELECT $1::numeric(38,0) * g FROM generate_series(10, 10) g"} {
		f.exchange(&pgproto3.Parse{Name: "s", Query: sql}, &pgproto3.Sync{})
		for _, arg := range []string{"5", usualNumber, "5"} {
			rows, answers := f.exchange(&pgproto3.Bind{PreparedStatement: "s", Parameters: [][]byte{[]byte(arg)}}, &pgproto3.Describe{ObjectType: 'P'}, &pgproto3.Execute{}, &pgproto3.Sync{})
			if !slices.Equal(rows, []string{arg + "0"}) {
				t.Errorf("%s of %s: %q, %q", sql, arg, rows, answers)
			}
		}
		f.exchange(&pgproto3.Close{ObjectType: 'S', Name: "s"}, &pgproto3.Sync{})
	}
}
