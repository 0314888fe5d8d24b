package traces

import (
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/ontosql/ontosql/internal/testenv"
)

// How many random programs are compared at least; those that take longer are fewer.
const (
	programs      = 400
	longPrograms  = 80
	slowExchanges = 40
)

// TestRandomFrames sends the same random messages to PostgreSQL and to gateways over a
// directory and over a SQLite file, one connection per program: named and unnamed statements
// and portals with row limits and formats, cursors, transactions, COPY, and errors in all of
// these. All messages are sent at once, and every frame of the answers must be equal.
func TestRandomFrames(t *testing.T) {
	sides := []string{newPostgres(t), serve(t, filepath.Join(t.TempDir(), "store")), serve(t, "sqlite:///"+filepath.Join(t.TempDir(), "onto.db"))}
	for _, address := range sides {
		if _, err := converse(address, []pgproto3.FrontendMessage{&pgproto3.Query{String: itemTable}}); err != nil {
			t.Fatal(err)
		}
	}
	for seed := range seeds(programs) {
		program := randomProgram(seed)
		var want []string
		for i, address := range sides {
			said, err := converse(address, program)
			switch {
			case err != nil:
				t.Fatalf("program %d: %v\n%s", seed, err, told(program))
			case i == 0:
				want = said
			default:
				if difference := firstDifference(want, said); difference != "" {
					t.Errorf("program %d, store %d:\n%s%s", seed, i, told(program), difference)
				}
			}
		}
	}
}

// newPostgres starts a PostgreSQL with the gateway's user and database, and returns its
// address.
func newPostgres(t *testing.T) (address string) {
	t.Helper()
	postgres, err := testenv.StartPostgres(t.Context(), "TimeZone=UTC")
	testenv.Require(t, "postgres", err)
	t.Cleanup(postgres.Stop)
	prepare(t, postgres.DSN)
	dsn, err := url.Parse(postgres.DSN)
	if err != nil {
		t.Fatal(err)
	}
	return dsn.Host
}

// seeds are those of so many programs: always the same, or with ONTOSQL_TORTURE others, for
// as long as it says.
func seeds(programs uint64) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		duration, _ := time.ParseDuration(os.Getenv("ONTOSQL_TORTURE"))
		first := uint64(0)
		if duration > 0 {
			first = uint64(time.Now().UnixNano())
		}
		for seed, began := first, time.Now(); (seed < first+programs || time.Since(began) < duration) && yield(seed); seed++ {
		}
	}
}

// converse sends a program, which leaves no transaction open, on a connection of its own,
// and returns all that is answered once the client is let in.
func converse(address string, program []pgproto3.FrontendMessage) ([]string, error) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return nil, err
	}
	startup := &pgproto3.StartupMessage{ProtocolVersion: pgproto3.ProtocolVersion30, Parameters: map[string]string{"user": "ontosql", "database": "onto"}}
	var raw []byte
	// Who sends Terminate behind a statement gets a second for it, and not what a busy
	// machine may take.
	for _, m := range append(append([]pgproto3.FrontendMessage{startup}, program...), &pgproto3.Query{String: "LISTEN over; NOTIFY over"}) {
		if raw, err = m.Encode(raw); err != nil {
			return nil, err
		}
	}
	go conn.Write(raw) // what it cannot write is not answered
	answers := pgproto3.NewFrontend(conn, conn)
	var said []string
	for ready := false; ; {
		m, err := answers.Receive()
		if err == io.ErrUnexpectedEOF {
			return said, nil
		}
		if err != nil {
			return said, err
		}
		if text, err := frame(m); err != nil {
			return said, err
		} else if ready {
			said = append(said, text)
		}
		switch m := m.(type) {
		case *pgproto3.ReadyForQuery:
			ready = true
		case *pgproto3.NotificationResponse:
			if m.Channel == "over" {
				return said, nil
			}
		}
	}
}

// firstDifference describes the first different frame, or returns "". In PostgreSQL the portal
// of a failed simple query remains until its transaction ends, under the name ""; the gateway
// has no such portal.
func firstDifference(theirs, ours []string) string {
	for i := range max(len(theirs), len(ours)) {
		want, got := "nothing more", "nothing more"
		if i < len(theirs) {
			want = theirs[i]
		}
		if i < len(ours) {
			got = ours[i]
		}
		if leftover := strings.Contains(got, `portal \"\" does not exist`) && strings.Contains(want, `"25P02"`); want != got && !leftover {
			return fmt.Sprintf("frame %d:\ngot  %s\nwant %s", i, got, want)
		}
	}
	return ""
}

// told is a program, a message a line.
func told(program []pgproto3.FrontendMessage) string {
	var s strings.Builder
	for _, m := range program {
		text, err := frame(m)
		if err != nil {
			text = err.Error()
		}
		s.WriteString(text + "\n")
	}
	return s.String()
}

const itemTable = "CREATE TABLE item (sku text PRIMARY KEY, title text, stock bigint, price numeric(8, 2), sold boolean, day date)"

// randomProgram makes the messages of a program.
func randomProgram(seed uint64) []pgproto3.FrontendMessage {
	r := rand.New(rand.NewPCG(seed, 9))
	var program []pgproto3.FrontendMessage
	for range 4 + r.IntN(24) {
		program = append(program, randomMessages(r)...)
	}
	return append(program, &pgproto3.Sync{}, &pgproto3.Query{String: "ROLLBACK"}, &pgproto3.Query{String: "SELECT * FROM item ORDER BY sku"})
}

func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

// randomMessages are a message or what belongs together.
func randomMessages(r *rand.Rand) []pgproto3.FrontendMessage {
	statement, portal := pick(r, "", "", "s", "t"), pick(r, "", "", "", "p", "q")
	switch n := r.IntN(100); {
	case n < 22: // as drivers do
		all := []pgproto3.FrontendMessage{&pgproto3.Parse{Name: statement, Query: randomSQL(r)}, randomBind(r, portal, statement)}
		if r.IntN(2) == 0 {
			all = append(all, &pgproto3.Describe{ObjectType: 'P', Name: portal})
		}
		return append(all, &pgproto3.Execute{Portal: portal, MaxRows: pick(r, uint32(0), 0, 1, 2, 3)})
	case n < 32:
		return []pgproto3.FrontendMessage{&pgproto3.Parse{Name: statement, Query: randomSQL(r), ParameterOIDs: pick(r, nil, nil, []uint32{23}, []uint32{0, 25}, []uint32{20})}}
	case n < 44:
		return []pgproto3.FrontendMessage{randomBind(r, portal, statement)}
	case n < 50:
		kind := pick(r, byte('S'), 'P')
		return []pgproto3.FrontendMessage{&pgproto3.Describe{ObjectType: kind, Name: map[byte]string{'S': statement, 'P': portal}[kind]}}
	case n < 64:
		return []pgproto3.FrontendMessage{&pgproto3.Execute{Portal: portal, MaxRows: pick(r, uint32(0), 0, 1, 2, 3)}}
	case n < 68:
		kind := pick(r, byte('S'), 'P')
		return []pgproto3.FrontendMessage{&pgproto3.Close{ObjectType: kind, Name: map[byte]string{'S': statement, 'P': portal}[kind]}}
	case n < 70:
		return []pgproto3.FrontendMessage{&pgproto3.Flush{}}
	case n < 82:
		return []pgproto3.FrontendMessage{&pgproto3.Sync{}}
	case n < 85:
		return randomCopy(r)
	}
	parts := make([]string, pick(r, 1, 1, 1, 2, 3))
	if r.IntN(12) == 0 {
		// By the other protocol it is committed at once, before Sync.
		return []pgproto3.FrontendMessage{&pgproto3.Query{String: "DISCARD ALL"}}
	}
	for i := range parts {
		parts[i] = randomSQL(r)
	}
	return []pgproto3.FrontendMessage{&pgproto3.Query{String: strings.Join(parts, pick(r, ";", "; ", " ;;"))}}
}

// randomSQL is a statement, now and then with a fault.
func randomSQL(r *rand.Rand) string {
	cursor, key := pick(r, "c", "d", "p"), fmt.Sprint("'k", r.IntN(12), "'")
	n := r.IntN(5)
	return pick(r,
		"SELECT 1", "SELECT generate_series(1, 5) AS n", "SELECT $1::int + 1 AS next", "SELECT $1::text, $2::int4", "SELECT $1", "VALUES (1, 'a'), (2, NULL), (3, 'c')",
		"SELECT sku, stock, price, sold, day FROM item ORDER BY sku", "SELECT count(*) FROM item WHERE stock > $1", "SELECT title FROM item WHERE sku = "+key, "SELECT sku FROM item WHERE sku = $1",
		"INSERT INTO item (sku, title, stock) VALUES ("+key+", 'x', "+fmt.Sprint(n)+")", "INSERT INTO item (sku, stock) VALUES ($1, $2)", "INSERT INTO item (sku, price, day) VALUES ("+key+", 1.005, '2024-02-29') RETURNING sku, price, day",
		"BEGIN", "BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT a", "SAVEPOINT b", "ROLLBACK TO a", "RELEASE a", "RELEASE b", "START TRANSACTION READ ONLY", "COMMIT AND CHAIN", "END", "ABORT",
		"DECLARE "+cursor+" CURSOR FOR SELECT generate_series(1, 4)", "DECLARE "+cursor+" SCROLL CURSOR WITH HOLD FOR VALUES (1), (2), (3)", "DECLARE "+cursor+" NO SCROLL CURSOR FOR SELECT sku FROM item ORDER BY sku",
		"FETCH "+cursor, "FETCH "+fmt.Sprint(n)+" FROM "+cursor, "FETCH BACKWARD 2 FROM "+cursor, "FETCH ABSOLUTE 2 FROM "+cursor, "FETCH ALL IN "+cursor, "MOVE "+fmt.Sprint(n)+" IN "+cursor, "CLOSE "+cursor, "CLOSE ALL",
		"PREPARE e AS SELECT $1::int * 2", "PREPARE f (text) AS SELECT upper($1)", "EXECUTE e(3)", "EXECUTE f('a')", "DEALLOCATE s", "DEALLOCATE ALL",
		"SET application_name = 'a"+fmt.Sprint(n)+"'", "SET LOCAL application_name = 'local'", "SHOW application_name", "SET DateStyle = 'German'", "SET nothing_of_this = 1", "RESET ALL", "SET TRANSACTION READ ONLY",
		"LISTEN ch", "NOTIFY ch, 'word'", "UNLISTEN *",
		"", " ", "/* nothing */", "SELECT 1/(count(*) - count(*)) FROM item", "SELECT nothing", "SELEC 1", "SELECT 'a'::int", "SELECT 1; SELECT 2",
		"COPY (VALUES (1, 'a'), (2, NULL)) TO STDOUT", "COPY item (sku) TO STDOUT WITH (FORMAT xml)", "TABLE nowhere",
	)
}

func randomBind(r *rand.Rand, portal, statement string) *pgproto3.Bind {
	return &pgproto3.Bind{
		DestinationPortal: portal, PreparedStatement: statement,
		Parameters:           pick(r, nil, nil, nil, [][]byte{[]byte("7")}, [][]byte{[]byte("k3"), []byte("5")}, [][]byte{nil}, [][]byte{{0, 0, 0, 9}}, [][]byte{[]byte("x")}),
		ParameterFormatCodes: pick(r, nil, nil, nil, []int16{0}, []int16{1}, []int16{0, 0}),
		ResultFormatCodes:    pick(r, nil, nil, []int16{0}, []int16{1}, []int16{1}, []int16{1, 0}, []int16{2}),
	}
}

// randomCopy is COPY FROM STDIN with what a client sends then.
func randomCopy(r *rand.Rand) []pgproto3.FrontendMessage {
	all := []pgproto3.FrontendMessage{&pgproto3.Query{String: "COPY item (sku, stock) FROM STDIN"}}
	for range r.IntN(3) {
		all = append(all, &pgproto3.CopyData{Data: []byte(fmt.Sprintf("k%d\t%s\n", r.IntN(12), pick(r, "1", "2", `\N`, "x")))})
	}
	if r.IntN(4) == 0 {
		return append(all, &pgproto3.CopyFail{Message: "enough"})
	}
	return append(all, &pgproto3.CopyDone{})
}
