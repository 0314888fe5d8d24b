package gateway

import (
	"context"
	"fmt"

	"github.com/ontosql/ontosql/gateway/parts"
	"github.com/ontosql/ontosql/gateway/tables"
	"github.com/ontosql/ontosql/gateway/writing"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// write runs an INSERT, UPDATE or MERGE: one query gives the rows that change,
// they are checked and staged, and what RETURNING shows of them is the statement's
// result. In a transaction the rows wait for its COMMIT.
func (p *statement) write(ctx context.Context, out *portal, args [][]byte) (rows, error) {
	s := p.session
	if err := s.YieldStream(ctx); err != nil {
		return nil, err
	}
	if s.Alone() && len(p.plan.Writes()) > 0 {
		return p.autocommit(ctx, out, args)
	}
	if len(p.plan.Parts) == 0 && p.plan.Write.Table != nil {
		return p.writeTable(ctx, out, args)
	}
	return p.stage(ctx, out, args)
}

// writeTable runs a write to an ordinary table.
func (p *statement) writeTable(ctx context.Context, out *portal, args [][]byte) (rows, error) {
	s := p.session
	pin, err := s.Pin(ctx)
	if err != nil {
		return nil, err
	}
	if err := p.current(ctx, pin); err != nil {
		return nil, err
	}
	if err := s.PrepareCatalog(ctx, pin, p.plan); err != nil {
		return nil, err
	}
	n, returned, err := tables.Run(ctx, s.Session, pin, p.plan, nil, args)
	if err != nil {
		return nil, err
	}
	p.answers(out, n)
	return returned, nil
}

// stage runs a write up to its RETURNING, without a commit.
func (p *statement) stage(ctx context.Context, out *portal, args [][]byte) (rows, error) {
	s := p.session
	pin, err := s.Pin(ctx)
	if err != nil {
		return nil, err
	}
	if err := p.current(ctx, pin); err != nil {
		return nil, err
	}
	if len(p.plan.Writes()) > 0 {
		if err := s.CheckWrites(p.st.Tag); err != nil { // the session may have changed since it was prepared
			return nil, err
		}
	}
	if err := s.PrepareCatalog(ctx, pin, p.plan); err != nil {
		return nil, err
	}
	if len(p.plan.Parts) > 0 {
		n, returned, err := parts.Run(ctx, s.Session, pin, p.st, p.plan, args)
		if err == nil {
			p.answers(out, n)
		}
		return returned, err
	}
	n, returned, err := writing.Stage(ctx, s.Session, pin, p.plan, nil, args)
	if err != nil {
		return nil, err
	}
	defer returned.Close()
	if p.answers(out, n) {
		return returned.Stream(ctx)
	}
	return nil, nil
}

// answers sets the command tag of a write that changed n rows, and reports whether it has
// RETURNING.
func (p *statement) answers(out *portal, n int64) bool {
	if out.tag, out.counts = tagOf(p.st), true; p.columns == nil {
		out.tag, out.counts = fmt.Sprintf("%s %d", out.tag, n), false
	}
	return p.columns != nil
}

// tagOf is a write's command tag without the number of rows (PostgreSQL manual,
// 55.7, CommandComplete).
func tagOf(st *syntax.Statement) string {
	if st.Kind == syntax.Insert {
		return st.Tag + " 0"
	}
	return st.Tag
}
