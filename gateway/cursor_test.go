package gateway_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"
)

// TestACursorIsAPortal declares a cursor with a parameter, as drivers do that bind on
// the server, and describes, fetches and closes it by the protocol.
func TestACursorIsAPortal(t *testing.T) {
	f := newHouse(t, nil).dial(t)
	f.exchange(&pgproto3.Query{String: "BEGIN"})
	_, answers := f.exchange(
		&pgproto3.Parse{Query: "DECLARE c CURSOR FOR SELECT g, 'x' FROM generate_series(1, $1::int) AS g"},
		&pgproto3.Bind{Parameters: [][]byte{[]byte("5000")}}, &pgproto3.Execute{}, &pgproto3.Sync{})
	if !slices.Equal(answers, []string{"DECLARE CURSOR"}) {
		t.Fatalf("DECLARE answered %q", answers)
	}
	f.Send(&pgproto3.Describe{ObjectType: 'P', Name: "c"})
	f.Send(&pgproto3.Sync{})
	if err := f.Flush(); err != nil {
		t.Fatal(err)
	}
	m, err := f.Receive()
	if d, ok := m.(*pgproto3.RowDescription); err != nil || !ok || len(d.Fields) != 2 || string(d.Fields[0].Name) != "g" {
		t.Fatalf("the cursor is described as %v, %v", m, err)
	}
	if _, err := f.Receive(); err != nil {
		t.Fatal(err)
	}
	all := []string{}
	for _, fetch := range []string{"FETCH 1 c", "FETCH 2500 c", "MOVE 10 c", "FETCH 2000 c"} {
		rows, answers := f.exchange(&pgproto3.Query{String: fetch})
		all = append(all, rows...)
		want := fmt.Sprintf("FETCH %d", len(rows))
		if strings.HasPrefix(fetch, "MOVE") {
			want = "MOVE 10"
		}
		if !slices.Equal(answers, []string{want}) {
			t.Errorf("%s answered %q, want %s", fetch, answers, want)
		}
		if other, _ := f.exchange(&pgproto3.Query{String: "SELECT count(*) FROM customer"}); !slices.Equal(other, []string{"40"}) {
			t.Errorf("a statement beside the cursor answered %q", other)
		}
	}
	rows, answers := f.exchange(&pgproto3.Execute{Portal: "c"}, &pgproto3.Sync{})
	if all = append(all, rows...); !slices.Equal(answers, []string{"SELECT 489"}) {
		t.Errorf("Execute of the cursor answered %q, want the last 489 rows", answers)
	}
	at := 0
	for _, v := range all {
		if at++; at == 2502 {
			at = 2512
		}
		if v != fmt.Sprint(at) {
			t.Fatalf("row %d is %s", at, v)
		}
	}
	if at != 5000 {
		t.Errorf("the last row is %d", at)
	}
	f.exchange(&pgproto3.Close{ObjectType: 'P', Name: "c"}, &pgproto3.Sync{})
	if _, answers := f.exchange(&pgproto3.Query{String: "FETCH c"}); !slices.Equal(answers, []string{`34000 cursor "c" does not exist`}) {
		t.Errorf("FETCH from a closed cursor answered %q", answers)
	}
}

// TestNamesOfStatementsAreShared has PREPARE and Parse meet.
func TestNamesOfStatementsAreShared(t *testing.T) {
	f := newHouse(t, nil).dial(t)
	f.exchange(&pgproto3.Query{String: "PREPARE a AS SELECT $1::int + 1"})
	rows, _ := f.exchange(&pgproto3.Bind{PreparedStatement: "a", Parameters: [][]byte{[]byte("4")}}, &pgproto3.Execute{}, &pgproto3.Sync{})
	if !slices.Equal(rows, []string{"5"}) {
		t.Errorf("Bind of a statement of PREPARE gave %q", rows)
	}
	if _, answers := f.exchange(&pgproto3.Parse{Name: "a", Query: "SELECT 1"}, &pgproto3.Sync{}); !slices.Equal(answers, []string{`42P05 prepared statement "a" already exists`}) {
		t.Errorf("Parse of a name that PREPARE gave answered %q", answers)
	}
	f.exchange(&pgproto3.Parse{Name: "b", Query: "SELECT id FROM customer WHERE id = $1"}, &pgproto3.Sync{})
	if rows, answers := f.exchange(&pgproto3.Query{String: "EXECUTE b('c' || 7)"}); !slices.Equal(rows, []string{"c7"}) || !slices.Equal(answers, []string{"SELECT 1"}) {
		t.Errorf("EXECUTE of a statement of Parse gave %q, %q", rows, answers)
	}
	rows, _ = f.exchange(&pgproto3.Query{String: "SELECT name || ' ' || from_sql || ' ' || parameter_types::text FROM pg_prepared_statements ORDER BY name"})
	if !slices.Equal(rows, []string{"a true {integer}", "b false {text}"}) {
		t.Errorf("pg_prepared_statements shows %q", rows)
	}
}

// TestStatementsThatExecuteEachOther has two prepared statements name each other: it is
// 54001, and no end of the process.
func TestStatementsThatExecuteEachOther(t *testing.T) {
	asksNoMirror(t)
	f := newHouse(t, nil).dial(t)
	f.exchange(&pgproto3.Query{String: "PREPARE a AS SELECT 1"})
	f.exchange(&pgproto3.Parse{Name: "b", Query: "EXECUTE a"}, &pgproto3.Sync{})
	if rows, answers := f.exchange(&pgproto3.Bind{PreparedStatement: "b"}, &pgproto3.Execute{}, &pgproto3.Sync{}); !slices.Equal(rows, []string{"1"}) {
		t.Errorf("EXECUTE of a prepared statement gave %q, %q", rows, answers)
	}
	f.exchange(&pgproto3.Query{String: "DEALLOCATE a"})
	f.exchange(&pgproto3.Parse{Name: "a", Query: "EXECUTE b"}, &pgproto3.Sync{})
	if _, answers := f.exchange(&pgproto3.Query{String: "EXECUTE a"}); !slices.Equal(answers, []string{"54001 stack depth limit exceeded"}) {
		t.Errorf("EXECUTE of statements that name each other answered %q", answers)
	}
}

// TestPortalsThatFetchFromThemselves binds FETCH, MOVE and CLOSE to the very portal that
// they name, and two to each other: it is an error, and no end of the process.
func TestPortalsThatFetchFromThemselves(t *testing.T) {
	asksNoMirror(t)
	f := newHouse(t, nil).dial(t)
	for sql, want := range map[string]string{
		"FETCH 1 FROM p": `55000 portal "p" cannot be run`,
		"MOVE 1 FROM p":  `55000 portal "p" cannot be run`,
		"CLOSE p":        `24000 cannot drop active portal "p"`,
		"CLOSE ALL":      "CLOSE CURSOR ALL",
	} {
		_, answers := f.exchange(&pgproto3.Parse{Query: sql}, &pgproto3.Bind{DestinationPortal: "p"}, &pgproto3.Execute{Portal: "p"}, &pgproto3.Sync{})
		if !slices.Equal(answers, []string{want}) {
			t.Errorf("%s in the portal p answered %q, want %q", sql, answers, want)
		}
	}
	f.exchange(&pgproto3.Parse{Name: "a", Query: "FETCH 1 FROM q"}, &pgproto3.Parse{Name: "b", Query: "FETCH 1 FROM p"}, &pgproto3.Sync{})
	_, answers := f.exchange(&pgproto3.Bind{DestinationPortal: "p", PreparedStatement: "a"}, &pgproto3.Bind{DestinationPortal: "q", PreparedStatement: "b"},
		&pgproto3.Execute{Portal: "q"}, &pgproto3.Sync{})
	if !slices.Equal(answers, []string{`55000 portal "q" cannot be run`}) {
		t.Errorf("FETCH of two portals from each other answered %q", answers)
	}
}

// TestFetchFromABoundPortal continues with FETCH and MOVE where Execute has stopped, and with
// Execute where they have.
func TestFetchFromABoundPortal(t *testing.T) {
	asksNoMirror(t)
	f := newHouse(t, nil).dial(t)
	f.exchange(&pgproto3.Query{String: "BEGIN"})
	rows, _ := f.exchange(&pgproto3.Parse{Name: "g", Query: "SELECT g FROM generate_series(1, 3000) AS g"}, &pgproto3.Bind{DestinationPortal: "p", PreparedStatement: "g"},
		&pgproto3.Execute{Portal: "p", MaxRows: 2}, &pgproto3.Sync{})
	fetched, answers := f.exchange(&pgproto3.Query{String: "FETCH 2 p"})
	if rows = append(rows, fetched...); !slices.Equal(rows, []string{"1", "2", "3", "4"}) || !slices.Equal(answers, []string{"FETCH 2"}) {
		t.Errorf("Execute and FETCH gave %q, %q", rows, answers)
	}
	if _, answers := f.exchange(&pgproto3.Query{String: "MOVE 2990 p"}); !slices.Equal(answers, []string{"MOVE 2990"}) {
		t.Errorf("MOVE answered %q", answers)
	}
	rows, _ = f.exchange(&pgproto3.Execute{Portal: "p", MaxRows: 1}, &pgproto3.Sync{})
	if fetched, _ = f.exchange(&pgproto3.Query{String: "FETCH ALL p"}); !slices.Equal(append(rows, fetched...), []string{"2995", "2996", "2997", "2998", "2999", "3000"}) {
		t.Errorf("the rest is %q, %q", rows, fetched)
	}
	f.exchange(&pgproto3.Bind{DestinationPortal: "q", PreparedStatement: "g"}, &pgproto3.Sync{})
	f.exchange(&pgproto3.Query{String: "MOVE 2990 q"})
	if rows, answers := f.exchange(&pgproto3.Execute{Portal: "q", MaxRows: 1}, &pgproto3.Sync{}); !slices.Equal(rows, []string{"2991"}) {
		t.Errorf("Execute after MOVE gave %q, %q", rows, answers)
	}
	if _, answers := f.exchange(&pgproto3.Query{String: "FETCH BACKWARD p"}); !slices.Equal(answers, []string{"55000 cursor can only scan forward"}) {
		t.Errorf("FETCH BACKWARD answered %q", answers)
	}
}

// TestABinaryCursor gives its rows in binary where the client asks for no format.
func TestABinaryCursor(t *testing.T) {
	asksNoMirror(t)
	f := newHouse(t, nil).dial(t)
	f.exchange(&pgproto3.Query{String: "BEGIN; DECLARE c BINARY CURSOR FOR SELECT 258::int"})
	if rows, answers := f.exchange(&pgproto3.Query{String: "FETCH c"}); !slices.Equal(rows, []string{"\x00\x00\x01\x02"}) {
		t.Errorf("FETCH gave %q, %q", rows, answers)
	}
}

// TestANullWithoutAType is given back in binary: the engine takes a parameter that it
// knows nothing of for an integer.
func TestANullWithoutAType(t *testing.T) {
	asksNoMirror(t)
	f := newHouse(t, nil).dial(t)
	for _, sql := range []string{"SELECT $1::text", "SELECT $1::varchar", "SELECT coalesce($1, NULL)", "VALUES ($1::text)"} {
		rows, answers := f.exchange(&pgproto3.Parse{Query: sql},
			&pgproto3.Bind{Parameters: [][]byte{nil}, ResultFormatCodes: []int16{1}}, &pgproto3.Execute{}, &pgproto3.Sync{})
		if len(rows) != 1 || !slices.Equal(answers, []string{"SELECT 1"}) {
			t.Errorf("%s of NULL: %q, %q", sql, rows, answers)
		}
	}
}

// TestCursorOfRecords keeps rows that are values, in a table of the engine, and goes back.
func TestCursorOfRecords(t *testing.T) {
	asksNoMirror(t)
	f := newHouse(t, nil).dial(t)
	f.exchange(&pgproto3.Query{String: "BEGIN"})
	f.exchange(&pgproto3.Query{String: "DECLARE c SCROLL CURSOR FOR SELECT ARRAY[CASE WHEN g <> 2 THEN ROW(g, 'a', NULL) END] FROM generate_series(1, 3) AS g ORDER BY g"})
	forth, _ := f.exchange(&pgproto3.Query{String: "FETCH 3 c"})
	back, _ := f.exchange(&pgproto3.Query{String: "FETCH BACKWARD 2 c"})
	got := strings.Join(slices.Concat(forth, back), "; ")
	const want = `{"(1,a,)"}; {NULL}; {"(3,a,)"}; {NULL}; {"(1,a,)"}`
	if got != want {
		t.Errorf("the cursor gave %s, want %s", got, want)
	}
}
