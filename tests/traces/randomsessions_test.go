package traces

import (
	"fmt"
	"math/rand/v2"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"
)

// TestRandomSessions runs two sessions in turns, at random: transactions with one snapshot
// each, savepoints, errors, cursors that are open while the other session commits, and
// statements outside of transactions. Within a transaction each session writes keys of its own,
// outside of transactions the keys of both, so that PostgreSQL never waits for a row lock and
// there is one correct answer.
func TestRandomSessions(t *testing.T) {
	sides := []string{newPostgres(t), serve(t, filepath.Join(t.TempDir(), "store")), serve(t, "sqlite:///"+filepath.Join(t.TempDir(), "onto.db"))}
	epoch, fresh := 0, true
	for seed := range seeds(slowExchanges) {
		if fresh || seed%64 == 0 {
			epoch, fresh = epoch+1, false
			ddl := fmt.Sprintf("CREATE TABLE kept%d (id text PRIMARY KEY, n bigint, note text)", epoch)
			for _, address := range sides {
				if _, err := converse(address, []pgproto3.FrontendMessage{&pgproto3.Query{String: ddl}}); err != nil {
					t.Fatal(err)
				}
			}
		}
		steps := randomTurns(seed, fmt.Sprint("kept", epoch))
		var want []string
		for i, address := range sides {
			said, err := takeTurns(address, steps)
			switch {
			case err != nil:
				t.Fatalf("program %d: %v\n%s", seed, err, turnsTold(steps, len(steps)))
			case i == 0:
				want = said
			default:
				for n := range steps {
					if said[n] != want[n] {
						t.Errorf("program %d, store %d:\n%sgot  %s\nwant %s", seed, i, turnsTold(steps, n+1), said[n], want[n])
						fresh = true
						break
					}
				}
			}
		}
	}
}

// turn is what one of two sessions asks.
type turn struct {
	who int
	sql string
}

func turnsTold(steps []turn, n int) string {
	var s strings.Builder
	for _, step := range steps[:n] {
		fmt.Fprintf(&s, "%c: %s\n", 'a'+step.who, step.sql)
	}
	return s.String()
}

// takeTurns has two sessions ask in turn, and returns what each was answered.
func takeTurns(address string, steps []turn) (said []string, err error) {
	var sessions [2]*pgproto3.Frontend
	for i := range sessions {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			return nil, err
		}
		defer conn.Close()
		if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
			return nil, err
		}
		sessions[i] = pgproto3.NewFrontend(conn, conn)
		sessions[i].Send(&pgproto3.StartupMessage{ProtocolVersion: pgproto3.ProtocolVersion30, Parameters: map[string]string{"user": "ontosql", "database": "onto"}})
		if _, err := answer(sessions[i]); err != nil {
			return nil, err
		}
	}
	for _, step := range steps {
		f := sessions[step.who]
		f.Send(&pgproto3.Query{String: step.sql})
		text, err := answer(f)
		if err != nil {
			return said, err
		}
		said = append(said, text)
	}
	return said, nil
}

// answer is all up to ReadyForQuery.
func answer(f *pgproto3.Frontend) (string, error) {
	if err := f.Flush(); err != nil {
		return "", err
	}
	var said []string
	for {
		m, err := f.Receive()
		if err != nil {
			return "", err
		}
		text, err := frame(m)
		if err != nil {
			return "", err
		}
		said = append(said, text)
		if _, ok := m.(*pgproto3.ReadyForQuery); ok {
			return strings.Join(sortedRows(settled(said)), "\n"), nil
		}
	}
}

// randomTurns makes the turns of a program.
func randomTurns(seed uint64, table string) (steps []turn) {
	r := rand.New(rand.NewPCG(seed, 13))
	var open [2]bool
	ask := func(who int, sql string) { steps = append(steps, turn{who, sql}) }
	for range 8 + r.IntN(24) {
		who := r.IntN(2)
		own := fmt.Sprintf("'%c%d'", 'a'+who, r.IntN(5))
		shared := fmt.Sprintf("'s%d'", r.IntN(3))
		n := r.IntN(100)
		reads := pick(r, "SELECT * FROM "+table+" ORDER BY id", "SELECT count(*), sum(n) FROM "+table, "SELECT n FROM "+table+" WHERE id = "+pick(r, own, shared, "'a1'", "'b1'"), "SELECT x.id, y.note FROM "+table+" x JOIN "+table+" y ON y.n = x.n WHERE x.id < y.id")
		writes := func(key string) string {
			return pick(r,
				fmt.Sprintf("INSERT INTO %s VALUES (%s, %d, 'x')", table, key, n),
				fmt.Sprintf("INSERT INTO %s VALUES (%s, %d, 'y') ON CONFLICT (id) DO UPDATE SET n = excluded.n, note = %[1]s.note || 'y' RETURNING *", table, key, n),
				fmt.Sprintf("INSERT INTO %s VALUES (%s, %d) ON CONFLICT DO NOTHING", table, key, n),
				fmt.Sprintf("UPDATE %s SET n = n + 1 WHERE id = %s RETURNING n", table, key),
				fmt.Sprintf("UPDATE %s SET note = (SELECT count(*)::text FROM %[1]s) WHERE id = %s", table, key),
				fmt.Sprintf("UPDATE %s SET n = n / (n - n) WHERE id = %s", table, key),
				fmt.Sprintf("INSERT INTO %s SELECT %s, max(n) FROM %[1]s", table, key),
			)
		}
		switch k := r.IntN(12); {
		case k < 2 && !open[who]:
			open[who] = true
			ask(who, "BEGIN ISOLATION LEVEL REPEATABLE READ")
			if r.IntN(2) == 0 {
				ask(who, reads) // which takes the snapshot
			}
		case k < 4 && open[who]:
			open[who] = false
			ask(who, pick(r, "COMMIT", "COMMIT", "COMMIT", "ROLLBACK"))
		case k == 4 && open[who]:
			ask(who, pick(r, "SAVEPOINT a", "ROLLBACK TO a", "RELEASE a"))
		case k == 5 && open[who]:
			ask(who, pick(r, "DECLARE c CURSOR WITH HOLD FOR SELECT * FROM "+table+" ORDER BY id", "FETCH 2 FROM c", "FETCH ALL FROM c", "CLOSE c"))
		case k < 8:
			ask(who, reads)
		case k == 8 && !open[who]:
			ask(who, writes(shared))
		case k == 9 && !open[who]:
			ask(who, writes(own)+"; "+writes(own))
		default:
			ask(who, writes(own))
		}
	}
	for who := range open {
		ask(who, "ROLLBACK")
		ask(who, "SELECT * FROM "+table+" ORDER BY id")
	}
	return steps
}
