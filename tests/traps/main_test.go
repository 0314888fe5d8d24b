// Package traps has one test for each of the 87 traps into which gateways that speak
// PostgreSQL's protocol were seen to fall with drivers and BI tools: what a client
// sends, and what it must be answered. The numbers are for ever. They speak to a
// gateway over a socket, in frames where the frames matter; tests/drivers has the
// clients themselves, tests/compat what tools ask, compared with PostgreSQL.
package traps

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ontosql/ontosql/gateway/gatewaytest"
	"github.com/ontosql/ontosql/maintain/maintaintest"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/writepath"
)

// trap is what a client does, in a few words, and the check.
type trap struct {
	number int
	name   string
	check  func(t *testing.T, g *gate)
}

// TestTraps checks each trap at one gateway, in their order: what a trap writes it
// names by its number.
func TestTraps(t *testing.T) {
	g := serve(t)
	next := 1
	for _, group := range [][]trap{wireTraps, typeTraps, sessionTraps, catalogTraps} {
		for _, tr := range group {
			if tr.number != next {
				t.Fatalf("trap %d stands where %d should", tr.number, next)
			}
			next++
			t.Run(fmt.Sprintf("%02d %s", tr.number, tr.name), func(t *testing.T) { tr.check(t, g) })
		}
	}
	if next-1 != 87 {
		t.Errorf("%d traps, not 87", next-1)
	}
}

// gate is a gateway with a small shop.
type gate struct {
	*gatewaytest.Gate
	dsn, addr string
}

var shop = []string{
	`CREATE TABLE item (sku bigint PRIMARY KEY, title text NOT NULL, price numeric(10,2), stock bigint, added timestamptz, day date, tags jsonb, raw bytea, sold boolean, weight double precision)`,
	`CREATE TABLE shelf (name text PRIMARY KEY, height bigint NOT NULL)`,
	`CREATE TABLE stands (left_key bigint REFERENCES item, right_key text REFERENCES shelf, places bigint, PRIMARY KEY (left_key, right_key))`,
	`CREATE TABLE big (id bigint PRIMARY KEY, t text)`,
	`INSERT INTO item VALUES (1, 'Anvil', 12.5, 3, '2024-02-29 10:00:00+00', '2024-02-29', '{"a": "x", "b": [1, "y"]}', '\xdead', true, 1.5), (2, 'Bolt', 0.25, 1000, NULL, NULL, NULL, NULL, false, NULL)`,
	`INSERT INTO shelf VALUES ('s1', 1), ('s2', 2)`,
	`INSERT INTO stands VALUES (1, 's1', 2), (2, 's1', 4)`,
	`INSERT INTO big SELECT n, 'row ' || n FROM generate_series(1, 5000) AS n`,
}

func serve(t *testing.T) *gate {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	bucket := mem.New("shop")
	if _, err := writepath.Init(ctx, bucket, writepath.InitOptions{Engine: "v2"}); err != nil {
		t.Fatal(err)
	}
	opened, err := gatewaytest.Open(ctx, gatewaytest.Options{Bucket: bucket, Mirror: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := opened.Close(); err != nil {
			t.Error(err)
		}
		maintaintest.Clean(t, bucket)
	})
	g := &gate{Gate: opened, dsn: opened.Listen(t)}
	_, rest, _ := strings.Cut(g.dsn, "@")
	g.addr, _, _ = strings.Cut(rest, "/")
	c := g.connect(t)
	for _, sql := range shop {
		c.do(t, sql)
	}
	return g
}

// session is a client session that records every message.
type session struct {
	*pgconn.PgConn
	notices []*pgconn.Notice
}

func (g *gate) connect(t *testing.T) *session {
	t.Helper()
	s := &session{}
	config, err := pgconn.ParseConfig(g.dsn)
	if err != nil {
		t.Fatal(err)
	}
	config.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) { s.notices = append(s.notices, n) }
	if s.PgConn, err = pgconn.ConnectConfig(context.WithoutCancel(t.Context()), config); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close(context.Background()) })
	return s
}

// do runs statements that must succeed.
func (s *session) do(t *testing.T, sql string) {
	t.Helper()
	if _, err := s.Exec(t.Context(), sql).ReadAll(); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// asked is the answer to a string of statements: a line for each row with | between
// the cells, or an error as "SQLSTATE message".
func (s *session) asked(t *testing.T, sql string) string {
	t.Helper()
	results, err := s.Exec(t.Context(), sql).ReadAll()
	var lines []string
	for _, r := range results {
		lines = append(lines, rowsOf(r)...)
	}
	if err != nil {
		lines = append(lines, errorText(err))
	}
	return strings.Join(lines, "\n")
}

func rowsOf(r *pgconn.Result) (lines []string) {
	for _, row := range r.Rows {
		var cells []string
		for _, v := range row {
			if v == nil {
				cells = append(cells, "NULL")
			} else {
				cells = append(cells, string(v))
			}
		}
		lines = append(lines, strings.Join(cells, "|"))
	}
	return lines
}

func errorText(err error) string {
	if e := new(pgconn.PgError); errors.As(err, &e) {
		return e.Code + " " + e.Message
	}
	return err.Error()
}

// want checks the answer to a statement.
func (s *session) want(t *testing.T, sql, answer string) {
	t.Helper()
	if got := s.asked(t, sql); got != answer {
		t.Errorf("%s\n  got:    %q\n  wanted: %q", sql, got, answer)
	}
}

// wantCode checks the SQLSTATE of an error.
func (s *session) wantCode(t *testing.T, sql, code string) {
	t.Helper()
	got := s.asked(t, sql)
	if last := got[strings.LastIndex(got, "\n")+1:]; !strings.HasPrefix(last, code+" ") {
		t.Errorf("%s\n  got:    %q\n  wanted: %s", sql, got, code)
	}
}

// runs checks that a statement has some answer.
func (s *session) runs(t *testing.T, statements ...string) {
	t.Helper()
	for _, sql := range statements {
		if _, err := s.Exec(t.Context(), sql).ReadAll(); err != nil {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

// query runs one statement by the extended protocol, with parameters as text.
func (s *session) query(t *testing.T, sql string, oids []uint32, args ...any) string {
	t.Helper()
	var values [][]byte
	for _, a := range args {
		if a == nil {
			values = append(values, nil)
			continue
		}
		values = append(values, []byte(fmt.Sprint(a)))
	}
	r := s.ExecParams(t.Context(), sql, values, oids, nil, nil).Read()
	if r.Err != nil {
		return errorText(r.Err)
	}
	return strings.Join(rowsOf(r), "\n")
}
