package crash

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// bank is a workspace whose tables have to agree after every crash: transfers keep the sum of
// the accounts, each has one line in the journal, and every tenth creates a table.
type bank struct {
	next atomic.Int64

	mu      sync.Mutex
	sure    map[int64]bool // transfers whose COMMIT was answered
	unknown map[int64]bool // transfers whose COMMIT was sent and not answered
	given   map[int64]bool // values of the sequence
}

const (
	accounts = 12
	each     = 100 // in an account at the beginning
)

// open creates the tables.
func (b *bank) open(ctx context.Context, conn *pgx.Conn) error {
	_, err := conn.Exec(ctx, fmt.Sprintf(`CREATE SCHEMA bank;
		CREATE SEQUENCE bank.number;
		CREATE TABLE bank.account (id int PRIMARY KEY, amount int NOT NULL);
		CREATE TABLE bank.journal (n bigint PRIMARY KEY, amount int);
		INSERT INTO bank.account SELECT g, %d FROM generate_series(1, %d) g`, each, accounts))
	return err
}

// work transfers until the connection is lost or ctx ends.
func (b *bank) work(ctx context.Context, conn *pgx.Conn, r *rand.Rand) error {
	for ctx.Err() == nil {
		n := b.next.Add(1)
		err := b.transfer(ctx, conn, n, r)
		var refused *pgconn.PgError
		switch {
		case err == nil:
		case errors.As(err, &refused) && refused.Code == "40P01":
		case errors.As(err, &refused):
			return fmt.Errorf("transfer %d: %w", n, err)
		default:
			return nil //nolint:nilerr // the server was killed
		}
	}
	return nil
}

// transfer moves an amount in one transaction, or writes to the journal alone.
func (b *bank) transfer(ctx context.Context, conn *pgx.Conn, n int64, r *rand.Rand) error {
	if err := b.number(ctx, conn); err != nil {
		return err
	}
	if n%10 == 5 {
		b.note(n, &b.unknown)
		_, err := conn.Exec(ctx, fmt.Sprintf("INSERT INTO bank.journal VALUES (%d, 0)", n))
		if err == nil {
			b.note(n, &b.sure)
		}
		return err
	}
	amount, from, to := r.IntN(50), 1+r.IntN(accounts), 1+r.IntN(accounts)
	tx, err := conn.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx)
	steps := []string{
		fmt.Sprintf("UPDATE bank.account SET amount = amount - %d WHERE id = %d", amount, from),
		"SAVEPOINT s",
		fmt.Sprintf("UPDATE bank.account SET amount = 0 WHERE id <> %d", from),
		"ROLLBACK TO s",
		fmt.Sprintf("UPDATE bank.account SET amount = amount + %d WHERE id = %d", amount, to),
		fmt.Sprintf("INSERT INTO bank.journal VALUES (%d, %d)", n, amount),
	}
	if r.IntN(2) == 0 {
		steps = slices.Delete(steps, 1, 4)
	}
	if n%10 == 0 {
		steps = append(steps, fmt.Sprintf("CREATE TABLE bank.t%d AS SELECT g FROM generate_series(1, 100) g", n), fmt.Sprintf("DELETE FROM bank.t%d WHERE g > 90", n))
	}
	for _, sql := range steps {
		if _, err := tx.Exec(ctx, sql); err != nil {
			return err
		}
	}
	b.note(n, &b.unknown)
	if err := tx.Commit(ctx); err != nil {
		return err
	}
	b.note(n, &b.sure)
	return nil
}

// number takes a value from the sequence, which nobody has got before.
func (b *bank) number(ctx context.Context, conn *pgx.Conn) error {
	var v int64
	if err := conn.QueryRow(ctx, "SELECT nextval('bank.number')").Scan(&v); err != nil {
		return err
	}
	b.mu.Lock()
	again := b.given[v]
	b.mu.Unlock()
	if again {
		return &pgconn.PgError{Message: fmt.Sprintf("the sequence has given %d twice", v)}
	}
	b.note(v, &b.given)
	return nil
}

func (b *bank) note(n int64, in *map[int64]bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if *in == nil {
		*in = map[int64]bool{}
	}
	(*in)[n] = true
}

// committed is how many transfers were acknowledged so far.
func (b *bank) committed() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.sure)
}

// check compares the tables with what was answered.
func (b *bank) check(ctx context.Context, conn *pgx.Conn) error {
	var sum, rows int64
	if err := conn.QueryRow(ctx, "SELECT sum(amount), count(*) FROM bank.account").Scan(&sum, &rows); err != nil {
		return err
	}
	if sum != accounts*each || rows != accounts {
		return fmt.Errorf("the accounts have %d in %d rows, want %d in %d", sum, rows, accounts*each, accounts)
	}
	journal, err := numbersOf(ctx, conn, "SELECT n FROM bank.journal")
	if err != nil {
		return err
	}
	made, err := numbersOf(ctx, conn, "SELECT substr(tablename, 2)::bigint FROM pg_tables WHERE schemaname = 'bank' AND tablename ~ '^t[0-9]+$'")
	if err != nil {
		return err
	}
	for n := range b.sure {
		if !journal[n] {
			return fmt.Errorf("transfer %d was committed and is lost", n)
		}
	}
	for n := range journal {
		if !b.unknown[n] {
			return fmt.Errorf("transfer %d was not committed and is there", n)
		}
		if n%10 == 0 && !made[n] {
			return fmt.Errorf("transfer %d is there without its table", n)
		}
	}
	for n := range made {
		if !journal[n] {
			return fmt.Errorf("the table of transfer %d is there without the transfer", n)
		}
		if err := conn.QueryRow(ctx, fmt.Sprintf("SELECT count(*) FROM bank.t%d", n)).Scan(&rows); err != nil {
			return err
		}
		if rows != 90 {
			return fmt.Errorf("the table of transfer %d has %d rows, want 90", n, rows)
		}
	}
	return nil
}

// numbersOf are the rows of a query.
func numbersOf(ctx context.Context, conn *pgx.Conn, sql string) (map[int64]bool, error) {
	rows, err := conn.Query(ctx, sql)
	if err != nil {
		return nil, err
	}
	all, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	out := map[int64]bool{}
	for _, n := range all {
		out[n] = true
	}
	return out, err
}

// TestKillOfTheWorkspace kills servers while sessions write the tables of a workspace. Every
// transfer that was acknowledged is there after each restart, and none in part.
func TestKillOfTheWorkspace(t *testing.T) {
	ctx, r := t.Context(), rand.New(rand.NewPCG(seedOf(t), 0))
	s, err := newDirStore(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer s.remove(t)
	b := &bank{}
	for round := range number(t, roundsVar, usual)/4 + 1 {
		v, err := serve(s, 30*time.Second, 5*time.Second)
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		if err := b.round(ctx, v, r, round == 0); err != nil {
			v.kill()
			t.Fatalf("round %d: %v; the log:\n%s", round, err, v.log)
		}
	}
	if len(b.sure) == 0 {
		t.Error("no transfer was ever committed")
	}
	t.Logf("%d transfers were committed, %d had no answer", len(b.sure), len(b.unknown)-len(b.sure))
}

// round checks the tables, and kills the server while they are written.
func (b *bank) round(ctx context.Context, v *server, r *rand.Rand, first bool) error {
	var conns []*pgx.Conn
	for range 4 {
		conn, err := v.connect(ctx)
		if err != nil {
			return err
		}
		defer conn.Close(ctx)
		conns = append(conns, conn)
	}
	start := b.check
	if first {
		start = b.open
	}
	if err := start(ctx, conns[0]); err != nil {
		return err
	}
	var all sync.WaitGroup
	failed := make(chan error, len(conns))
	for _, conn := range conns {
		mine := rand.New(rand.NewPCG(r.Uint64(), r.Uint64()))
		all.Go(func() { failed <- b.work(ctx, conn, mine) })
	}
	time.Sleep(time.Duration(r.Int64N(int64(700 * time.Millisecond))))
	for end := time.Now().Add(patience); first && b.committed() == 0 && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	v.kill()
	all.Wait()
	close(failed)
	for err := range failed {
		if err != nil {
			return err
		}
	}
	return v.checkLog()
}
