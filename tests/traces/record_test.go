package traces

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/ontosql/ontosql/internal/testenv"
)

// sessions are the clients that are recorded: a shell command for each, or a function.
// $TOOLS is where make drivers puts them.
var sessions = []struct {
	name, about, command string
	run                  func(context.Context, string) error
}{
	{name: "psql", about: "psql 15", command: `exec psql -X -f clients/psql.sql`},
	{name: "psql-18", about: "psql 18", command: `exec "$TOOLS"/psql/bin/psql-18 -X -f clients/psql.sql`},
	{name: "psycopg", about: "psycopg 3", command: `exec "$TOOLS"/python/bin/python clients/psycopg_session.py`},
	{name: "psycopg2", about: "psycopg2", command: `exec "$TOOLS"/python/bin/python clients/psycopg2_session.py`},
	{name: "asyncpg", about: "asyncpg", command: `exec "$TOOLS"/python/bin/python clients/asyncpg_session.py`},
	{name: "node-postgres", about: "node-postgres", command: `exec node clients/node_postgres.js`},
	{name: "pgjdbc", about: "pgjdbc", command: `exec java -cp "$TOOLS"/postgresql-*.jar clients/Session.java`},
	{name: "pgx", about: "pgx", run: pgxSession},
}

// recordSessions records all of sessions/, each with a new PostgreSQL server.
func recordSessions(t *testing.T) {
	t.Helper()
	tools, err := filepath.Abs("../../.tools/drivers")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sessions {
		t.Run("record "+s.name, func(t *testing.T) {
			postgres, err := testenv.StartPostgres(t.Context(), "TimeZone=UTC")
			if err != nil {
				t.Fatal(err)
			}
			defer postgres.Stop()
			prepare(t, postgres.DSN)
			to, err := url.Parse(postgres.DSN)
			if err != nil {
				t.Fatal(err)
			}
			p := listen(t, to.Host)
			if s.run != nil {
				err = s.run(t.Context(), "postgres://ontosql@"+p.address+"/onto?sslmode=disable")
			} else {
				err = shell(t.Context(), tools, p.address, s.command)
			}
			if err != nil {
				t.Fatal(err)
			}
			text := "# " + s.about + " and PostgreSQL 15\n" + p.story()
			if err := os.WriteFile(filepath.Join("sessions", s.name+".txt"), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func prepare(t *testing.T, dsn string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	for _, sql := range []string{"CREATE ROLE ontosql SUPERUSER LOGIN", "CREATE DATABASE onto OWNER ontosql"} {
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
}

func shell(ctx context.Context, tools, address, command string) error {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", command)
	cmd.Env = append(os.Environ(), "TOOLS="+tools, "NODE_PATH="+filepath.Join(tools, "node", "node_modules"), "TZ=UTC", "PGTZ=UTC",
		"PGHOST="+host, "PGPORT="+port, "PGUSER=ontosql", "PGDATABASE=onto", "PGSSLMODE=disable", "PGCLIENTENCODING=UTF8")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = time.Second
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w\n%s", command, err, out.String())
	}
	return nil
}

// proxy passes frames on between clients and a server, and writes them down.
type proxy struct {
	t       *testing.T
	address string
	to      string

	mu    sync.Mutex
	lines []string
	conns sync.WaitGroup
}

func listen(t *testing.T, to string) *proxy {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	p := &proxy{t: t, address: ln.Addr().String(), to: to}
	go func() {
		for {
			client, err := ln.Accept()
			if err != nil {
				return
			}
			p.conns.Add(1)
			go p.pass(client)
		}
	}()
	return p
}

// story is all that was said, when all connections have ended.
func (p *proxy) story() string {
	p.conns.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.lines, "")
}

func (p *proxy) note(who string, m pgproto3.Message) {
	text, err := frame(m)
	if err != nil {
		p.t.Errorf("%T: %v", m, err)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lines = append(p.lines, who+" "+text+"\n")
}

func (p *proxy) pass(client net.Conn) {
	defer p.conns.Done()
	defer client.Close()
	server, err := net.Dial("tcp", p.to)
	if err != nil {
		p.t.Error(err)
		return
	}
	defer server.Close()
	asks := pgproto3.NewBackend(client, client)
	first, err := asks.ReceiveStartupMessage()
	if err != nil {
		p.t.Errorf("startup: %v", err)
		return
	}
	p.forward("F", first, server)
	over := make(chan struct{})
	go func() {
		defer close(over)
		defer client.Close()
		answers := pgproto3.NewFrontend(server, server)
		for {
			m, err := answers.Receive()
			if err != nil {
				p.gone(err)
				return
			}
			p.forward("B", m, client)
		}
	}()
	for {
		m, err := asks.Receive()
		if err != nil {
			p.gone(err)
			break
		}
		p.forward("F", m, server)
	}
	server.Close()
	<-over
}

// gone finds out why one side has closed the connection.
func (p *proxy) gone(err error) {
	if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, net.ErrClosed) {
		p.t.Errorf("a frame cannot be read: %v", err)
	}
}

func (p *proxy) forward(who string, m pgproto3.Message, to net.Conn) {
	p.note(who, m)
	raw, err := m.Encode(nil)
	if err != nil {
		p.t.Error(err)
		return
	}
	_, _ = to.Write(raw) // a closed connection needs no Terminate
}

// pgxSession is the session of pgx, which is a library of this module.
func pgxSession(ctx context.Context, dsn string) error {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, `CREATE TABLE account (id text PRIMARY KEY, balance double precision, opened date, active boolean)`); err != nil {
		return err
	}
	for _, id := range []string{"a", "b"} {
		if _, err := conn.Exec(ctx, `INSERT INTO account VALUES ($1, $2, $3, $4)`, id, 1.5, "2026-02-10", true); err != nil {
			return err
		}
	}
	rows, err := conn.Query(ctx, `SELECT id, balance, opened, active FROM account WHERE balance > $1 ORDER BY id`, 1.0)
	if err != nil {
		return err
	}
	rows.Close()
	batch := &pgx.Batch{}
	batch.Queue(`UPDATE account SET balance = balance + $1 WHERE id = $2`, 1.0, "a")
	batch.Queue(`SELECT balance FROM account WHERE id = $1`, "a")
	if err := conn.SendBatch(ctx, batch).Close(); err != nil {
		return err
	}
	_, refused := conn.Exec(ctx, `INSERT INTO account VALUES ($1, $2, $3, $4)`, "a", 2.5, "2026-02-10", true)
	if refused == nil {
		return fmt.Errorf("a second account a")
	}
	tx, err := conn.Begin(ctx)
	if err != nil {
		return err
	}
	if _, err := tx.CopyFrom(ctx, pgx.Identifier{"account"}, []string{"id", "balance"}, pgx.CopyFromRows([][]any{{"c", 3.5}, {"d", nil}})); err != nil {
		return err
	}
	if err := tx.Rollback(ctx); err != nil {
		return err
	}
	for _, mode := range []pgx.QueryExecMode{pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol, pgx.QueryExecModeDescribeExec} {
		rows, err := conn.Query(ctx, `SELECT id FROM account WHERE active = $1 ORDER BY id`, mode, true)
		if err != nil {
			return err
		}
		rows.Close()
		if rows.Err() != nil {
			return rows.Err()
		}
	}
	return nil
}
