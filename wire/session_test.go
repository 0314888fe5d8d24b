package wire

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/internal/testenv"
	"github.com/ontosql/ontosql/pgerr"
)

func connect(t *testing.T, addr, params string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), "postgres://alice@"+addr+"/db?sslmode=disable&"+params)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

func wantState(t *testing.T, err error, code string) *pgconn.PgError {
	t.Helper()
	var e *pgconn.PgError
	if !errors.As(err, &e) || e.Code != code {
		t.Fatalf("got error %v, want SQLSTATE %s", err, code)
	}
	return e
}

// logText collects a log that a server's goroutines write.
type logText struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logText) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// recv waits for what a goroutine should tell.
func recv[T any](t *testing.T, c <-chan T, what string) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(testenv.Patience):
		t.Fatalf("waited %s for %s", testenv.Patience, what)
		panic("unreachable")
	}
}

func TestPgxModes(t *testing.T) {
	h := newFake()
	addr := startServer(t, Options{Handler: h})
	for _, mode := range []string{"cache_statement", "cache_describe", "describe_exec", "exec"} {
		t.Run(mode, func(t *testing.T) {
			conn := connect(t, addr, "default_query_exec_mode="+mode)
			for range 2 {
				var a *int
				var b string
				if err := conn.QueryRow(t.Context(), "select $1::int4 as a, $2::text as b", 42, "x").Scan(&a, &b); err != nil || *a != 42 || b != "x" {
					t.Errorf("got %v %q %v, want 42 x", a, b, err)
				}
				rows, _ := conn.Query(t.Context(), "select generate_series(1, 5)")
				got, err := pgx.CollectRows(rows, pgx.RowTo[int32])
				if err != nil || len(got) != 5 || got[4] != 5 {
					t.Errorf("got %v, %v; want 1 to 5", got, err)
				}
			}
		})
	}
}

func TestPgxBatchStopsAtTheFirstError(t *testing.T) {
	conn := connect(t, startServer(t, Options{Handler: newFake()}), "")
	b := &pgx.Batch{}
	b.Queue("select generate_series(1, 3)")
	b.Queue(failingSQL)
	b.Queue("select generate_series(1, 3)")
	results := conn.SendBatch(t.Context(), b)
	if tag, err := results.Exec(); err != nil || tag.RowsAffected() != 3 {
		t.Errorf("first of the batch: %v, %v", tag, err)
	}
	_, err := results.Exec()
	wantState(t, err, pgerr.DivisionByZero)
	if _, err = results.Exec(); err == nil {
		t.Error("the statement after the failed one ran")
	}
	results.Close()
	if _, err := conn.Exec(t.Context(), "select generate_series(1, 1)"); err != nil {
		t.Errorf("after the batch: %v", err)
	}
}

func TestCancelRequestEndsTheStatementAlone(t *testing.T) {
	h := newFake()
	conn := connect(t, startServer(t, Options{Handler: h}), "")
	done := make(chan error, 1)
	go func() {
		_, err := conn.Exec(context.Background(), "select pg_sleep(100)")
		done <- err
	}()
	recv(t, h.running, "the statement to run")
	if err := conn.PgConn().CancelRequest(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantState(t, recv(t, done, "the statement to end"), pgerr.QueryCanceled)
	if cause := recv(t, h.causes, "the cause"); !errors.Is(cause, ErrCancelRequest) {
		t.Errorf("the context ended with %v, want ErrCancelRequest", cause)
	}
	// A cancel of an idle session reaches nothing that comes later.
	if err := conn.PgConn().CancelRequest(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), "select generate_series(1, 1)"); err != nil {
		t.Errorf("after the cancel: %v", err)
	}
}

func TestCancelNeedsTheSecret(t *testing.T) {
	h := newFake()
	s, addr := startServerWith(t, Options{Handler: h})
	conn := connect(t, addr, "")
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = conn.Exec(context.Background(), "select pg_sleep(100)")
	}()
	recv(t, h.running, "the statement to run")
	secret := bytes.Clone(conn.PgConn().SecretKey())
	secret[0]++
	s.cancels.cancel(conn.PgConn().PID(), secret)
	s.cancels.cancel(conn.PgConn().PID(), nil)
	select {
	case cause := <-h.causes:
		t.Errorf("a wrong secret ended the statement: %v", cause)
	case <-time.After(50 * time.Millisecond):
	}
	h.wake <- struct{}{}
	recv(t, done, "the statement to end")
}

func TestStatementEndsWhenTheClientGoes(t *testing.T) {
	for _, how := range []string{"close", "terminate"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			h := newFake()
			conn := dial(t, startServer(t, Options{Handler: h}))
			f := login(t, conn)
			f.Send(&pgproto3.Query{String: "select pg_sleep(100)"})
			if how == "terminate" {
				f.Send(&pgproto3.Terminate{})
			}
			if err := f.Flush(); err != nil {
				t.Fatal(err)
			}
			recv(t, h.running, "the statement to run")
			if how == "close" {
				conn.Close()
			}
			if cause := recv(t, h.causes, "the statement to end"); !errors.Is(cause, ErrClientGone) {
				t.Errorf("the context ended with %v, want ErrClientGone", cause)
			}
		})
	}
}

func TestHalfClosedClientStillGetsItsAnswer(t *testing.T) {
	conn := dial(t, startServer(t, Options{Handler: newFake()}))
	f := login(t, conn)
	f.Send(&pgproto3.Query{String: "select generate_series(1, 1)"})
	if err := f.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := conn.(interface{ CloseWrite() error }).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	for {
		m, err := f.Receive()
		if err != nil {
			t.Fatalf("before the answer: %v", err)
		}
		if _, ok := m.(*pgproto3.CommandComplete); ok {
			return
		}
	}
}

func TestShutdown(t *testing.T) {
	h := newFake()
	s, addr := startServerWith(t, Options{Handler: h, DrainTime: 100 * time.Millisecond})
	idle := dial(t, addr)
	idleFrontend := login(t, idle)
	busy := dial(t, addr)
	busyFrontend := login(t, busy)
	busyFrontend.Send(&pgproto3.Query{String: "select pg_sleep(100)"})
	if err := busyFrontend.Flush(); err != nil {
		t.Fatal(err)
	}
	recv(t, h.running, "the statement to run")
	scanner := dial(t, addr) // sends nothing
	_ = scanner

	start := time.Now()
	if err := s.Shutdown(t.Context()); err != nil {
		t.Errorf("shutdown: %v", err)
	}
	if took := time.Since(start); took < 100*time.Millisecond {
		t.Errorf("shutdown took %v, want the drain time at least", took)
	}
	if cause := recv(t, h.causes, "the statement to end"); !errors.Is(cause, ErrShutdown) {
		t.Errorf("the running statement ended with %v, want ErrShutdown", cause)
	}
	if n := h.closed.Load(); n != 2 {
		t.Errorf("%d sessions were closed, want 2", n)
	}
	for name, f := range map[string]*pgproto3.Frontend{"idle": idleFrontend, "busy": busyFrontend} {
		for {
			m, err := f.Receive()
			if err != nil {
				t.Errorf("%s: %v before 57P01", name, err)
				break
			}
			if ready, ok := m.(*pgproto3.ReadyForQuery); ok {
				t.Errorf("%s: ReadyForQuery %c before 57P01, as if a statement had ended well", name, ready.TxStatus)
			}
			if e, ok := m.(*pgproto3.ErrorResponse); ok {
				if e.Code != pgerr.AdminShutdown || e.Severity != "FATAL" {
					t.Errorf("%s: got %s, want FATAL 57P01", name, describeMessage(e))
				}
				break
			}
		}
	}
}

func TestTerminateByTheHandler(t *testing.T) {
	h := newFake()
	terminate := make(chan func(*pgerr.Error), 1)
	h.open = func(s Startup) ([]Option, error) { terminate <- s.Terminate; return nil, nil }
	f := login(t, dial(t, startServer(t, Options{Handler: h})))
	recv(t, terminate, "the session to open")(pgerr.New(pgerr.IdleInTransactionSessionTimeout, "idle for too long"))
	m, err := f.Receive()
	if err != nil {
		t.Fatal(err)
	}
	if got := describeMessage(m); got != "ErrorResponse FATAL 25P03: idle for too long" {
		t.Errorf("got %s", got)
	}
}

func TestPanicEndsOneSession(t *testing.T) {
	var log logText
	addr := startServer(t, Options{Handler: newFake(), Logger: slog.New(slog.NewTextHandler(&log, nil))})
	other := connect(t, addr, "")
	_, err := connect(t, addr, "").Exec(t.Context(), "do panic")
	e := wantState(t, err, pgerr.InternalError)
	id := strings.TrimPrefix(e.Message, "internal error ")
	if e.Severity != "FATAL" || !strings.Contains(log.String(), id) || !strings.Contains(log.String(), "the fake panics") {
		t.Errorf("got %s %q, log:\n%s", e.Severity, e.Message, log.String())
	}
	if _, err := other.Exec(t.Context(), "select generate_series(1, 1)"); err != nil {
		t.Errorf("another session: %v", err)
	}
}

func TestUnknownErrorKeepsItsText(t *testing.T) {
	var log logText
	addr := startServer(t, Options{Handler: newFake(), Logger: slog.New(slog.NewTextHandler(&log, nil))})
	conn := connect(t, addr, "")
	// An error that has io.EOF as its cause is no end of rows.
	for _, sql := range []string{"do error", "do eof"} {
		_, err := conn.Exec(t.Context(), sql)
		e := wantState(t, err, pgerr.InternalError)
		if strings.Contains(e.Error(), "secret") || !strings.Contains(log.String(), "secret text") {
			t.Errorf("%s: client got %v, log:\n%s", sql, e, log.String())
		}
	}
	if err := conn.Ping(t.Context()); err != nil {
		t.Errorf("the session did not go on: %v", err)
	}
}

func TestNoticesComeBeforeCommandComplete(t *testing.T) {
	got := trace(t, startServer(t, Options{Handler: newFake()}), "Query do notice")
	want := "NoticeResponse WARNING 01000: beware\nCommandComplete DO\nParameterStatus application_name=changed\nReadyForQuery I\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestOpenRefuses(t *testing.T) {
	h := newFake()
	h.open = func(s Startup) ([]Option, error) {
		return nil, pgerr.New(pgerr.InvalidCatalogName, "database %q does not exist", s.Database)
	}
	_, err := pgx.Connect(t.Context(), "postgres://alice@"+startServer(t, Options{Handler: h})+"/nosuch?sslmode=disable")
	if e := wantState(t, err, pgerr.InvalidCatalogName); e.Severity != "FATAL" {
		t.Errorf("severity %s, want FATAL", e.Severity)
	}
}

func TestMessageOverTheLimit(t *testing.T) {
	addr := startServer(t, Options{Handler: newFake(), MaxMessage: 1000})
	got := trace(t, addr, "Query select generate_series(1, 1)\nRaw 51 00001000")
	if want := "ErrorResponse FATAL 54000: message of 4092 bytes exceeds the limit of 1000 bytes\n"; !strings.HasSuffix(got, want) {
		t.Errorf("got\n%swant at its end\n%s", got, want)
	}
}

// TestPipelinedInputWaits sends more than the inbox holds while a statement
// runs; nothing may be lost.
func TestPipelinedInputWaits(t *testing.T) {
	h := newFake()
	conn := dial(t, startServer(t, Options{Handler: h, MaxMessage: 4 << 20}))
	f := login(t, conn)
	go func() {
		f.Send(&pgproto3.Query{String: "select pg_sleep(100)"})
		for range 30 {
			f.Send(&pgproto3.Query{String: "set x" + strings.Repeat(" ", 100_000)})
		}
		f.Send(&pgproto3.Query{String: "set x" + strings.Repeat(" ", 3<<20)})
		_ = f.Flush()
	}()
	recv(t, h.running, "the statement to run")
	time.Sleep(20 * time.Millisecond)
	h.wake <- struct{}{}
	ready := 0
	for ready < 32 {
		m, err := f.Receive()
		if err != nil {
			t.Fatalf("after %d answers: %v", ready, err)
		}
		if _, ok := m.(*pgproto3.ReadyForQuery); ok {
			ready++
		}
	}
}

// TestIdleSessionsAreSmall keeps 200 sessions open, some of which have sent a
// large row.
func TestIdleSessionsAreSmall(t *testing.T) {
	h := newFake()
	h.batch = func(string) (*column.Batch, []Column, bool) {
		v := column.Vector{Type: column.Type{Kind: column.Text}, Str: [][]byte{bytes.Repeat([]byte("x"), 2*outputKeepBytes)}}
		return &column.Batch{Len: 1, Cols: []column.Vector{v}}, []Column{{Name: "x", OID: oidText, Size: -1}}, true
	}
	addr := startServer(t, Options{Handler: h, MaxConnections: 200})
	before := heap()
	for i := range 200 {
		f := login(t, dial(t, addr))
		if i%10 != 0 {
			continue
		}
		f.Send(&pgproto3.Query{String: "x"})
		if err := f.Flush(); err != nil {
			t.Fatal(err)
		}
		for {
			m, err := f.Receive()
			if err != nil {
				t.Fatal(err)
			}
			if _, ok := m.(*pgproto3.ReadyForQuery); ok {
				break
			}
		}
	}
	if grown := heap() - before; grown > 20<<20 {
		t.Errorf("200 idle sessions and their clients hold %d MiB", grown>>20)
	}
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
