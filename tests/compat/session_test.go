package compat

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"strconv"
	"testing"
	"time"

	"github.com/ontosql/ontosql/charset"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/datetime"
	"github.com/ontosql/ontosql/pgfunc/textout"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/input"
	"github.com/ontosql/ontosql/rewrite/macros"
	"github.com/ontosql/ontosql/rewrite/query"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/wire"
)

// The side of ontosql in the comparison: the wire, the rewriter and the engine,
// over native tables instead of an ontology's files.

type handler struct {
	engine *duckdb.Engine
	shapes map[string]scope.Shape
}

func (h *handler) Open(ctx context.Context, _ wire.Startup) (wire.Session, []wire.Option, error) {
	conn, err := h.engine.Conn(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, sql := range []string{"SET TimeZone = 'UTC'", "SET default_null_order = 'postgres'"} {
		if err := conn.Exec(ctx, sql); err != nil {
			return nil, nil, err
		}
	}
	return &session{handler: h, conn: conn}, []wire.Option{{Name: "client_encoding", Value: "UTF8"}}, nil
}

type session struct {
	*handler
	conn *duckdb.Conn
}

func (s *session) Split(_ context.Context, sql string) ([]wire.Query, error) {
	texts, err := syntax.Split(sql)
	var qs []wire.Query
	for _, t := range texts {
		qs = append(qs, wire.Query{SQL: t.SQL, Offset: t.Offset, Simple: true})
	}
	return qs, err
}

func (s *session) Prepare(ctx context.Context, q wire.Query, oids []uint32) (wire.Statement, error) {
	st, err := syntax.Analyze(q.SQL)
	if err != nil {
		return nil, err
	}
	shapes := make([]scope.Shape, len(st.Refs))
	sources := make([]string, len(st.Refs))
	for i, r := range st.Refs {
		if shapes[i], err = s.find(r); err != nil {
			return nil, err
		}
		sources[i] = "(SELECT * FROM data." + duckdb.Ident(shapes[i].Table) + ")"
	}
	switch st.Kind {
	case syntax.Insert, syntax.Update, syntax.Merge:
		return s.prepareChange(ctx, st, shapes, sources, oids)
	case syntax.AlterTable:
		return s.prepareMigration(ctx, st)
	}
	sc, err := query.Scope(st, shapes, oids, env{time.Now()})
	if err != nil {
		return nil, err
	}
	if q.Simple && len(sc.Params) > 0 {
		return nil, st.NoParameters()
	}
	sql, err := sc.Bind(sources)
	if err != nil {
		return nil, err
	}
	prepared, err := s.conn.Prepare(ctx, sql)
	if err != nil {
		return nil, sqlError(err, sql)
	}
	return &statement{session: s, scoped: sc, prepared: prepared, sql: sql, columns: describe(sc.Columns, shapes)}, nil
}

// find is the table a reference names.
func (s *session) find(r syntax.Ref) (scope.Shape, error) {
	shape, ok := s.shapes[r.Name]
	if !ok || r.Schema != "" && r.Schema != "public" {
		return shape, pgerr.New(pgerr.UndefinedTable, "relation %q does not exist", r.Name).At(r.Position)
	}
	return shape, nil
}

// describe turns the rewriter's outputs into the columns of a RowDescription. A column
// of a table that is numeric(p,s) is shown as one, as the gateway does.
func describe(outputs []scope.Output, shapes []scope.Shape) []wire.Column {
	columns := []wire.Column{}
	for _, c := range outputs {
		w := wire.Column{Name: c.Name, OID: c.OID, Size: -1, Typmod: c.Typmod, Scale: c.Scale, Fields: describe(c.Fields, shapes)}
		if c.Ref >= 0 && c.OID == 1700 {
			w.Typmod = cmp.Or(shapes[c.Ref].Typmods[c.Column], -1)
		}
		columns = append(columns, w)
	}
	return columns
}

func (s *session) Sync(context.Context, bool) error { return nil }
func (s *session) Status() wire.TxStatus            { return wire.Idle }
func (s *session) Close()                           { s.conn.Close() }
func (s *session) Style() *textout.Style            { return &textout.Style{} }

// Encoding is what texts are in (wire.Session).
func (s *session) Encoding() *charset.Encoding { return nil }

type statement struct {
	*session
	scoped   *scope.Scoped
	prepared *duckdb.Stmt
	columns  []wire.Column
	sql      string
}

func (s *statement) Params() []uint32       { return s.scoped.Params }
func (s *statement) Columns() []wire.Column { return s.columns }
func (s *statement) Close()                 { s.prepared.Close() }

func (s *statement) Bind(_ context.Context, args [][]byte) (wire.Portal, error) {
	args, err := checked(s.scoped.Params, args)
	if err != nil {
		return nil, err
	}
	return &portal{statement: s, args: engineArgs(args, s.scoped.Used)}, nil
}

// checked are the arguments as rewrite wants them bound.
func checked(oids []uint32, args [][]byte) (out [][]byte, err error) {
	for i, a := range args {
		if a, err = input.Argument(oids[i], a, datetime.TimeInput{}); err != nil {
			return nil, err
		}
		out = append(out, a)
	}
	return out, nil
}

// engineArgs are the parameters that the engine's SQL contains: its $1 is
// used[0], and so on.
func engineArgs(args [][]byte, used []int) (out []any) {
	for _, n := range used {
		if args[n-1] == nil {
			out = append(out, nil)
		} else {
			out = append(out, string(args[n-1]))
		}
	}
	return out
}

type portal struct {
	*statement
	args []any
	rows *duckdb.Rows
}

func (p *portal) Next(ctx context.Context) (*column.Batch, error) {
	if p.rows == nil {
		rows, err := p.prepared.Query(ctx, p.args)
		if err != nil {
			return nil, sqlError(err, p.sql)
		}
		p.rows = rows
	}
	b, err := p.rows.Next(ctx)
	if errors.Is(err, io.EOF) {
		return nil, err
	}
	if err != nil {
		return nil, sqlError(err, p.sql)
	}
	b.Cols = b.Cols[:len(p.columns)]
	return b, nil
}

func (p *portal) Tag() (string, bool) { return "SELECT", true }

func (p *portal) Close() {
	if p.rows != nil {
		p.rows.Close()
	}
}

// sqlError names the conditions the corpus meets, as the gateway does.
func sqlError(err error, sql string) error {
	var e *duckdb.Error
	if !errors.As(err, &e) {
		return err
	}
	if raised, ok := enginesql.Raised(e.Message); ok {
		return raised
	}
	code := map[duckdb.Condition]string{
		duckdb.SyntaxError: "42601", duckdb.UndefinedColumn: "42703", duckdb.UndefinedFunction: "42883", duckdb.Grouping: "42803",
		duckdb.TypeMismatch: "42804", duckdb.InvalidText: "22P02", duckdb.InvalidDatetime: "22007", duckdb.DatetimeOverflow: "22008",
		duckdb.NumericOverflow: "22003", duckdb.DivisionByZero: "22012", duckdb.InvalidRegexp: "2201B", duckdb.InvalidEscape: "22025", duckdb.InvalidArgument: "22023",
		duckdb.CardinalityViolation: "21000", duckdb.UndefinedTable: "42P01",
	}[e.Condition]
	if code == "" {
		code = pgerr.InternalError
	}
	return pgerr.New(code, "%s", e.Message).WithDetail("%s", sql)
}

// env is a session whose clock stands still.
type env struct{ now time.Time }

func (env) Macro(string) bool { return false }

func (env) Setting(string) string         { return "" }
func (env) DateOrder() datetime.DateOrder { return datetime.MonthFirst }

func (env) Param(int) scope.SessionValue { return scope.SessionValue{Null: true} }

func (e env) Session(name string, args []string, _ int) (scope.SessionValue, error) {
	switch name {
	case "now", "statement_timestamp", "clock_timestamp":
		return scope.SessionValue{Text: e.now.UTC().Format("2006-01-02 15:04:05.999999+00")}, nil
	case "current_database", "current_user", "session_user", "current_schema":
		return scope.SessionValue{Text: name}, nil
	case "current_setting":
		if args[0] == "TimeZone" {
			return scope.SessionValue{Text: "UTC"}, nil
		}
		return scope.SessionValue{}, pgerr.New("42704", "unrecognized configuration parameter %q", args[0])
	case "version":
		return scope.SessionValue{Text: "PostgreSQL 15"}, nil
	case "pg_backend_pid":
		return scope.SessionValue{Text: strconv.Itoa(1)}, nil
	}
	return scope.SessionValue{}, pgerr.Unsupported("function %s", name)
}

// start serves the tables of the corpus on a loopback port.
func start(t *testing.T, tables []table) (dsn string) {
	t.Helper()
	ctx := t.Context()
	engine, err := duckdb.Open(ctx, duckdb.Options{Threads: 2, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(engine.Close)
	conn, err := engine.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	run := append([]string{"SET TimeZone = 'UTC'", "CREATE SCHEMA ontosql_catalog", "CREATE SCHEMA data"}, macros.Macros()...)
	h := &handler{engine: engine, shapes: map[string]scope.Shape{}}
	for _, tab := range tables {
		h.shapes[tab.name] = tab.shape()
		run = append(run, tab.engine()...)
	}
	for _, sql := range run {
		if err := conn.Exec(ctx, sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := wire.New(wire.Options{Handler: h, Logger: slog.New(slog.DiscardHandler)})
	done := make(chan error, 1)
	go func() { done <- server.Serve(ctx, ln) }()
	t.Cleanup(func() {
		if err := server.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return "postgres://u@" + ln.Addr().String() + "/d?sslmode=disable"
}
