package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/ontosql/ontosql/charset"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/textout"
)

// fake understands the few statements the tests need and answers them as
// PostgreSQL does. Rows come in batches of two, so that every test crosses the
// border between batches.
type fake struct {
	open    func(Startup) ([]Option, error) // nil: accept
	closed  atomic.Int32                    // sessions
	live    atomic.Int32                    // statements and portals that were not closed
	causes  chan error                      // with which pg_sleep ended
	running chan struct{}                   // pg_sleep began
	wake    chan struct{}                   // makes one pg_sleep fail
	batch   func(sql string) (*column.Batch, []Column, bool)
	times   int          // how often a result has batch, 0 is once
	asked   atomic.Int64 // how often it was asked for
}

func newFake() *fake {
	return &fake{causes: make(chan error, 16), running: make(chan struct{}, 16), wake: make(chan struct{})}
}

func (f *fake) Open(_ context.Context, s Startup) (Session, []Option, error) {
	settings := []Option{{"server_version", "15.0"}, {"client_encoding", "UTF8"}}
	if f.open != nil {
		more, err := f.open(s)
		if err != nil {
			return nil, nil, err
		}
		settings = append(settings, more...)
	}
	return &fakeSession{fake: f, start: s, status: Idle}, settings, nil
}

var errWoken = errors.New("woken")

type fakeSession struct {
	*fake
	start    Startup
	status   TxStatus
	encoding *charset.Encoding
}

func (s *fakeSession) Split(_ context.Context, sql string) ([]Query, error) {
	var queries []Query
	for _, part := range strings.Split(sql, ";") {
		if part = strings.TrimSpace(part); part != "" {
			queries = append(queries, Query{SQL: part})
		}
	}
	return queries, nil
}

// failingSQL begins to run before it fails, as no constant expression does.
const failingSQL = "select 1/(generate_series(1,1)-1)"

var (
	seriesSQL = regexp.MustCompile(`^select generate_series\(1, ?(\d+)\)$`)
	sleepSQL  = regexp.MustCompile(`^select pg_sleep\(`)
)

func (s *fakeSession) Prepare(_ context.Context, q Query, _ []uint32) (Statement, error) {
	sql := strings.TrimSpace(q.SQL)
	if s.status == Failed && sql != "rollback" && sql != "commit" {
		return nil, pgerr.New(pgerr.InFailedSQLTransaction,
			"current transaction is aborted, commands ignored until end of transaction block")
	}
	if strings.Contains(sql, ";") {
		return nil, pgerr.New(pgerr.SyntaxError, "cannot insert multiple commands into a prepared statement")
	}
	st := &fakeStatement{session: s, sql: sql}
	if s.batch != nil {
		if _, columns, ok := s.batch(sql); ok {
			st.columns = columns
		}
	}
	switch {
	case seriesSQL.MatchString(sql):
		st.columns = []Column{{Name: "generate_series", OID: oidInt4, Size: 4, Typmod: -1}}
	case sql == "select $1::int4 as a, $2::text as b":
		st.params = []uint32{oidInt4, oidText}
		st.columns = []Column{
			{Name: "a", OID: oidInt4, Size: 4, Typmod: -1}, {Name: "b", OID: oidText, Size: -1, Typmod: -1},
		}
	case sql == failingSQL:
		st.columns = []Column{{Name: "?column?", OID: oidInt4, Size: 4, Typmod: -1}}
	case sleepSQL.MatchString(sql):
		st.columns = []Column{{Name: "pg_sleep", OID: 2278, Size: 4, Typmod: -1}}
	}
	s.live.Add(1)
	return st, nil
}

func (s *fakeSession) Sync(_ context.Context, failed bool) error {
	if failed && s.status == InTransaction {
		s.status, s.encoding = Failed, nil
		s.start.ParameterStatus("client_encoding", "UTF8")
	}
	return nil
}

func (s *fakeSession) Status() TxStatus            { return s.status }
func (s *fakeSession) Style() *textout.Style       { return &textout.Style{} }
func (s *fakeSession) Encoding() *charset.Encoding { return s.encoding }
func (s *fakeSession) Close()                      { s.closed.Add(1) }

type fakeStatement struct {
	session *fakeSession
	sql     string
	params  []uint32
	columns []Column
}

func (st *fakeStatement) Params() []uint32  { return st.params }
func (st *fakeStatement) Columns() []Column { return st.columns }
func (st *fakeStatement) Close()            { st.session.live.Add(-1) }

func (st *fakeStatement) Bind(_ context.Context, args [][]byte) (Portal, error) {
	st.session.live.Add(1)
	p := &fakePortal{fakeStatement: st, args: args}
	if m := seriesSQL.FindStringSubmatch(st.sql); m != nil {
		p.last, _ = strconv.Atoi(m[1])
	}
	return newFakeCopyOut(p), nil
}

type fakePortal struct {
	*fakeStatement
	args   [][]byte
	sent   int
	last   int
	tag    string
	closed bool
}

func (p *fakePortal) Close() {
	if p.closed {
		panic("portal closed twice")
	}
	p.closed = true
	p.session.live.Add(-1)
}

func (p *fakePortal) Tag() (string, bool) {
	if tag, countRows, ok := p.copyTag(); ok {
		return tag, countRows
	}
	if p.columns != nil {
		return "SELECT", true
	}
	return strings.ToUpper(strings.Split(p.sql, " ")[0]), false
}

func (p *fakePortal) Next(ctx context.Context) (*column.Batch, error) {
	s := p.session
	p.sent++
	if m := copyInSQL.FindStringSubmatch(p.sql); m != nil {
		return p.copyIn(ctx, m[1:])
	}
	switch {
	case p.sql == "begin":
		s.status = InTransaction
	case p.sql == "commit", p.sql == "rollback":
		s.status = Idle
	case p.sql == "do panic":
		panic("the fake panics")
	case p.sql == "do eof":
		return nil, fmt.Errorf("secret text: %w", io.EOF)
	case p.sql == "do error":
		return nil, errors.New("secret text")
	case strings.HasPrefix(p.sql, "do notice"):
		s.start.Notice(&pgerr.Error{Severity: "WARNING", Code: pgerr.Warning, Message: "beware"})
		s.start.ParameterStatus("application_name", "changed")
	case strings.HasPrefix(p.sql, "set client_encoding to "):
		var name string
		name, s.encoding, _ = charset.Find(strings.Fields(p.sql)[3])
		s.start.ParameterStatus("client_encoding", name)
	case p.sql == failingSQL:
		return nil, pgerr.New(pgerr.DivisionByZero, "division by zero")
	case sleepSQL.MatchString(p.sql):
		s.running <- struct{}{}
		var cause error
		select {
		case <-ctx.Done():
			cause = context.Cause(ctx)
		case <-s.wake:
			cause = errWoken
		}
		s.causes <- cause
		return nil, pgerr.New(pgerr.QueryCanceled, "%s", cause.Error())
	case p.last > 0:
		return p.series()
	case s.batch != nil:
		if b, _, ok := s.batch(p.sql); ok {
			if p.sent > max(s.times, 1) {
				return nil, io.EOF
			}
			s.asked.Add(1)
			return b, nil
		}
	case len(p.args) > 0 && p.sent == 1:
		return p.argsRow(), nil
	}
	return nil, io.EOF
}

func (p *fakePortal) series() (*column.Batch, error) {
	first := 2*(p.sent-1) + 1
	v := column.Vector{Type: column.Type{Kind: column.Int32}}
	for n := first; n <= min(first+1, p.last); n++ {
		v.I32 = append(v.I32, int32(n))
	}
	if len(v.I32) == 0 {
		return nil, io.EOF
	}
	return &column.Batch{Len: len(v.I32), Cols: []column.Vector{v}}, nil
}

func (p *fakePortal) argsRow() *column.Batch {
	a := column.Vector{Type: column.Type{Kind: column.Int32}, I32: make([]int32, 1)}
	b := column.Vector{Type: column.Type{Kind: column.Text}, Str: [][]byte{p.args[1]}}
	if p.args[0] == nil {
		a.SetNull(0, 1)
	} else {
		n, _ := strconv.Atoi(string(p.args[0]))
		a.I32[0] = int32(n)
	}
	if p.args[1] == nil {
		b.SetNull(0, 1)
	}
	return &column.Batch{Len: 1, Cols: []column.Vector{a, b}}
}
