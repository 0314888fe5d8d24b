package backends

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/original"
	"github.com/ontosql/ontosql/internal/testenv"
)

const (
	accounts  = 5
	opening   = 100
	transfers = 400 // that are acknowledged
	kills     = 8
)

// TestWritersOfOneFile lets two gateways and the original move money between the
// accounts of one SQLite file, and kills gateways, kill -9, while they do. Every
// transfer that was acknowledged is there once, none is half there, and no update of
// an account was lost.
func TestWritersOfOneFile(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute)
	defer cancel()
	path := filepath.Join(t.TempDir(), "bank.db")
	if out, err := exec.CommandContext(ctx, program, "init", "--storage-uri", path).CombinedOutput(); err != nil {
		t.Fatalf("init: %v\n%s", err, out)
	}
	b := &bank{t: t, path: path, acked: map[string]bool{}}
	for i := range b.gateways {
		b.gateways[i] = &server{cache: t.TempDir(), path: path}
		if err := b.gateways[i].start(ctx); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(b.gateways[i].kill)
	}
	b.found(ctx)
	work, done := context.WithCancel(ctx)
	var all sync.WaitGroup
	for i := range 6 {
		all.Go(func() { b.transferBySQL(work, i) })
	}
	all.Go(func() { b.transferByOriginal(work) })
	all.Go(func() { b.killNow(work) })
	for ctx.Err() == nil && !t.Failed() && (b.count() < transfers || b.killed.Load() < kills) {
		time.Sleep(20 * time.Millisecond)
	}
	done()
	all.Wait()
	t.Logf("%d transfers acknowledged, %d of the original; %d kills, %d unknown, %d conflicts", b.count(), b.theirs.Load(), b.killed.Load(), b.unknown.Load(), b.conflicts.Load())
	if b.theirs.Load() == 0 || b.unknown.Load()+b.conflicts.Load() == 0 {
		t.Error("the writers have not met")
	}
	b.judge(ctx)
}

// bank is what the writers know together.
type bank struct {
	t        *testing.T
	path     string
	gateways [2]*server

	killed, unknown, conflicts, theirs atomic.Int64

	mu    sync.Mutex
	acked map[string]bool // transfers by their id
}

func (b *bank) count() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.acked)
}

func (b *bank) ack(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.acked[id] = true
}

func (b *bank) found(ctx context.Context) {
	c, err := pgconn.Connect(ctx, b.gateways[0].address())
	if err != nil {
		b.t.Fatal(err)
	}
	defer c.Close(ctx)
	for _, sql := range []string{
		"CREATE TABLE account (id text PRIMARY KEY, amount bigint NOT NULL)",
		"CREATE TABLE entry (id text PRIMARY KEY, debit text, credit text, amount bigint)",
		fmt.Sprintf("INSERT INTO account SELECT 'a' || i, %d FROM generate_series(1, %d) AS g(i)", opening, accounts),
	} {
		if _, err := c.Exec(ctx, sql).ReadAll(); err != nil {
			b.t.Fatal(err)
		}
	}
}

// draw draws a transfer.
func draw() (debit, credit string, amount int) {
	from := rand.IntN(accounts)
	to := (from + 1 + rand.IntN(accounts-1)) % accounts
	return fmt.Sprint("a", from+1), fmt.Sprint("a", to+1), 1 + rand.IntN(9)
}

// transferBySQL is a client of one gateway, until work ends.
func (b *bank) transferBySQL(work context.Context, worker int) {
	var c *pgconn.PgConn
	for n := 0; work.Err() == nil; n++ {
		if c == nil || c.IsClosed() {
			var err error
			if c, err = pgconn.Connect(work, b.gateways[worker%len(b.gateways)].address()); err != nil {
				time.Sleep(20 * time.Millisecond)
				continue
			}
		}
		id := fmt.Sprintf("w%d-%d", worker, n)
		debit, credit, amount := draw()
		_, err := c.Exec(work, fmt.Sprintf(`BEGIN; UPDATE account SET amount = amount - %d WHERE id = '%s'; UPDATE account SET amount = amount + %d WHERE id = '%s'; INSERT INTO entry VALUES ('%s', '%s', '%s', %d); COMMIT`,
			amount, debit, amount, credit, id, debit, credit, amount)).ReadAll()
		var e *pgconn.PgError
		switch {
		case err == nil:
			b.ack(id)
		case errors.As(err, &e) && e.Code == "40001":
			b.conflicts.Add(1)
			_, _ = c.Exec(work, "ROLLBACK").ReadAll()
		case errors.As(err, &e) && work.Err() == nil:
			b.t.Errorf("transfer %s: %v", id, err)
			return
		default:
			b.unknown.Add(1)
			_ = c.Close(context.WithoutCancel(work))
		}
	}
	if c != nil {
		_ = c.Close(context.WithoutCancel(work))
	}
}

// transferByOriginal is the Python library at work.
func (b *bank) transferByOriginal(work context.Context) {
	w := &original.FileWriter{Path: b.path, Owner: "original", LockTimeout: testenv.Patience}
	for n := 0; work.Err() == nil; n++ {
		id := fmt.Sprintf("o-%d", n)
		debit, credit, amount := draw()
		_, err := w.Commit(context.WithoutCancel(work), func(r original.FileReader) ([]original.FileData, error) {
			rows := []format.Row{{}, {}}
			for i, change := range []struct {
				id string
				by int
			}{{debit, -amount}, {credit, amount}} {
				fields, err := r.Latest("account", change.id)
				if err != nil {
					return nil, err
				}
				_, text, _ := strings.Cut(strings.TrimSuffix(string(fields), "}"), `"amount": `)
				held, err := strconv.Atoi(text)
				if err != nil {
					return nil, fmt.Errorf("account %s is %q", change.id, fields)
				}
				rows[i] = format.Row{Key: change.id, SchemaVersionID: 1, Fields: fmt.Appendf(nil, `{"id": %q, "amount": %d}`, change.id, held+change.by)}
			}
			entry := format.Row{Key: id, SchemaVersionID: 1, Fields: fmt.Appendf(nil, `{"id": %q, "debit": %q, "credit": %q, "amount": %d}`, id, debit, credit, amount)}
			return []original.FileData{
				{Type: ontosql.TypeRef{Kind: ontosql.Entity, Name: "account"}, Rows: rows},
				{Type: ontosql.TypeRef{Kind: ontosql.Entity, Name: "entry"}, Rows: []format.Row{entry}},
			}, nil
		})
		switch {
		case errors.Is(err, original.ErrLockTimeout):
		case err != nil:
			b.t.Errorf("the original: %v", err)
			return
		default:
			b.ack(id)
			b.theirs.Add(1)
		}
		time.Sleep(time.Duration(rand.IntN(20)) * time.Millisecond)
	}
}

// killNow kills a gateway now and then, and starts another in its place.
func (b *bank) killNow(work context.Context) {
	for work.Err() == nil {
		select {
		case <-work.Done():
			return
		case <-time.After(time.Duration(200+rand.IntN(500)) * time.Millisecond):
		}
		g := b.gateways[rand.IntN(len(b.gateways))]
		g.kill()
		b.killed.Add(1)
		if err := g.start(context.WithoutCancel(work)); err != nil {
			b.t.Error(err)
			return
		}
	}
}

// judge holds the file against what was acknowledged.
func (b *bank) judge(ctx context.Context) {
	c, err := pgconn.Connect(ctx, b.gateways[0].address())
	if err != nil {
		b.t.Fatal(err)
	}
	defer c.Close(ctx)
	ask := func(sql string) [][][]byte {
		r, err := c.Exec(ctx, sql).ReadAll()
		if err != nil {
			b.t.Fatalf("%s: %v", sql, err)
		}
		return r[0].Rows
	}
	for _, row := range ask("SELECT id, count(*) FROM history.entry GROUP BY id") {
		if string(row[1]) != "1" {
			b.t.Errorf("transfer %s was made %s times", row[0], row[1])
		}
		delete(b.acked, string(row[0]))
	}
	for id := range b.acked {
		b.t.Errorf("transfer %s was acknowledged and is not there", id)
	}
	for _, row := range ask(fmt.Sprintf(`SELECT a.id, a.amount, %d + coalesce((SELECT sum(amount) FROM entry WHERE credit = a.id), 0) - coalesce((SELECT sum(amount) FROM entry WHERE debit = a.id), 0) FROM account a`, opening)) {
		if string(row[1]) != string(row[2]) {
			b.t.Errorf("account %s has %s, its transfers make %s", row[0], row[1], row[2])
		}
	}
	for _, row := range ask(`SELECT commit_id, row_count FROM ontosql.commits WHERE types @> ARRAY['entry'] AND row_count <> 3`) {
		b.t.Errorf("commit %s has %s rows of a transfer's 3", row[0], row[1])
	}
}

// server is a gateway process over the file.
type server struct {
	cache, path string

	mu  sync.Mutex
	cmd *exec.Cmd
	dsn string
}

func (s *server) address() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dsn
}

// start starts the process and waits until it is ready.
func (s *server) start(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, program, "serve", "--listen", "127.0.0.1:0", "--storage-uri", s.path, "--cache-dir", s.cache,
		"--s3-lock-timeout-ms", strconv.FormatInt(testenv.Patience.Milliseconds(), 10))
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	var log strings.Builder
	cmd.Stderr = &log
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	where, ready := strings.CutPrefix(strings.TrimSpace(line), "ready ")
	if err != nil || !ready {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		return fmt.Errorf("the gateway said %q and %w\n%s", line, err, log.String())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cmd, s.dsn = cmd, where+"?sslmode=disable"
	return nil
}

// kill ends the process as a loss of power would.
func (s *server) kill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}
