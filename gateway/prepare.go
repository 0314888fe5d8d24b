package gateway

import (
	"context"
	"io"
	"time"

	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/tables"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/wire"
)

// nested is the statement that PREPARE or DECLARE names, planned as one that Parse
// made: its description binds from now on.
func (p *statement) nested(ctx context.Context) (*statement, error) {
	inner := &statement{session: p.session, query: p.query, st: p.st.Inner, oids: p.st.Types, bound: true, named: time.Now(), fromSQL: true}
	inner.query.Simple = false
	if p.st.Kind == syntax.DeclareCursor {
		inner.oids = p.oids
	}
	if inner.st.Kind != syntax.Select && !planner.IsWrite(inner.st) {
		return nil, p.session.refuse(inner.st)
	}
	return inner, inner.describe(ctx)
}

// deepestExecute is how many statements EXECUTE one another at most. Two of them may
// name each other.
const deepestExecute = 100

// executed is the prepared statement that EXECUTE names.
func (s *Session) executed(ctx context.Context, st *syntax.Statement) (*statement, error) {
	inner, ok := s.names.Statement(st.Name).(*statement)
	if !ok {
		return nil, noStatement(st.Name)
	}
	return inner, inner.settle(ctx)
}

func noStatement(name string) error {
	return pgerr.New(pgerr.InvalidSQLStatementName, "prepared statement %q does not exist", name)
}

// bindExecute makes the portal of EXECUTE, which is a portal of the prepared statement. Errors
// in its arguments, or a missing statement, are reported when it runs.
func (p *statement) bindExecute(ctx context.Context) (*portal, error) {
	s := p.session
	ctx, done := session.Within(ctx, s.Deadline())
	defer done()
	s.executing++
	defer func() { s.executing-- }()
	inner, err := s.executed(ctx, p.st)
	switch {
	case err != nil:
	case s.executing > deepestExecute:
		err = pgerr.New(pgerr.StatementTooComplex, "stack depth limit exceeded").
			WithHint("Prepared statements EXECUTE one another %d deep at most.", deepestExecute)
	default:
		var args [][]byte
		if args, err = p.arguments(ctx, inner.Params()); err == nil {
			return inner.bind(ctx, args)
		}
	}
	return &portal{
		session: s, statement: p, offset: p.query.Offset, columns: p.columns,
		run: func(context.Context, *portal) (rows, error) { return nil, err },
	}, nil
}

// arguments computes the arguments of EXECUTE. A statement without parameters ignores
// them, as in PostgreSQL.
func (p *statement) arguments(ctx context.Context, types []uint32) ([][]byte, error) {
	if len(types) == 0 {
		return nil, nil
	}
	values, err := p.st.Arguments(types)
	if err == nil {
		err = p.assignable(ctx, types)
	}
	if err != nil {
		return nil, err
	}
	st := &statement{session: p.session, query: p.query, st: values, bound: true, account: p.account}
	if err := st.describe(ctx); err != nil {
		return nil, err
	}
	if len(st.Params()) > 0 {
		return nil, values.NoParameters()
	}
	out := &portal{session: p.session, statement: st, columns: st.columns, account: p.account}
	if out.rows, err = out.begin(ctx, func(ctx context.Context, out *portal) (rows, error) { return st.read(ctx, out, nil) }); err != nil {
		return nil, err
	}
	defer out.release()
	row, err := out.rows.Next(ctx)
	if err == io.EOF {
		return nil, pgerr.Unsupported("EXECUTE with an argument that is a set is not supported")
	}
	if err != nil {
		return nil, err
	}
	args := make([][]byte, len(types))
	for i := range args {
		if c := &row.Cols[i]; !c.IsNull(0) {
			args[i] = append([]byte{}, c.Str[0]...)
		}
	}
	return args, nil
}

// assignable refuses an argument of EXECUTE that no assignment would make one of the
// parameter's type.
func (p *statement) assignable(ctx context.Context, types []uint32) error {
	for i, typ := range types {
		given, err := p.st.Argument(i)
		switch {
		case err != nil:
			return err
		case given == nil:
			continue
		}
		st := &statement{session: p.session, query: p.query, st: given, bound: true, account: p.account}
		if err := st.describe(ctx); err != nil {
			return err
		}
		if len(st.Params()) > 0 {
			return given.NoParameters()
		}
		if err := p.st.CheckArgument(i, st.columns[0].OID, typ); err != nil {
			return err
		}
	}
	return nil
}

// deallocate answers DEALLOCATE, which reaches statements of Parse and PREPARE alike.
func (s *Session) deallocate(st *syntax.Statement) error {
	if st.All {
		s.names.DropStatements()
		return nil
	}
	if !s.names.DropStatement(st.Name) {
		return noStatement(st.Name)
	}
	return nil
}

// discard answers DISCARD, which pools send between users of a connection.
func (s *Session) discard(ctx context.Context, st *syntax.Statement) error {
	if st.Tag == "DISCARD TEMP" {
		if err := tables.Discard(s.Session, s.inUse); err != nil {
			return err
		}
	}
	if st.Tag == "DISCARD SEQUENCES" {
		s.ForgetSequences()
	}
	if !st.All {
		return nil
	}
	if s.Tx.Block() {
		return pgerr.New(pgerr.ActiveSQLTransaction, "DISCARD ALL cannot run inside a transaction block")
	}
	if s.Tx.Ran > 1 {
		return pgerr.New(pgerr.ActiveSQLTransaction, "DISCARD ALL cannot be executed within a pipeline")
	}
	s.names.DropPortals()
	s.names.DropStatements()
	s.ForgetSequences()
	s.DB.Channels.UnlistenAll(&s.Listener)
	s.DB.Locks.Release(&s.Client, false)
	if err := tables.Discard(s.Session, s.inUse); err != nil {
		return err
	}
	if err := s.SetParameterDefault(ctx, "session_authorization", false); err != nil {
		return err
	}
	return s.resetAll(ctx)
}

// preparedRows are the rows of pg_prepared_statements.
func (s *Session) preparedRows() []pgcatalog.Row {
	var rows []pgcatalog.Row
	for name, named := range s.names.Statements() {
		st, ok := named.(*statement)
		if !ok {
			continue
		}
		types := []any{}
		for _, oid := range st.Params() {
			types = append(types, oid)
		}
		rows = append(rows, pgcatalog.Row{
			"name": name, "statement": st.query.SQL, "prepare_time": st.named.UnixMicro(), "parameter_types": types, "from_sql": st.fromSQL,
			"generic_plans": int64(0), "custom_plans": int64(0),
		})
	}
	return rows
}

var (
	_ wire.Binary   = (*statement)(nil)
	_ wire.Gathered = (*statement)(nil)
)

// Gathered is true of all but a SELECT that only reads (wire.Gathered).
func (p *statement) Gathered() bool { return p.st.Kind != syntax.Select || len(p.st.Parts) > 0 }

// Binary reports whether a FETCH gives its rows in binary where the client chose no
// format (wire.Binary).
func (p *statement) Binary() bool {
	if p.st.Kind != syntax.Fetch {
		return false
	}
	c, ok := p.session.names.Portal(p.st.Name).(*cursor)
	return ok && c.options.Binary
}
