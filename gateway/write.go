package gateway

import (
	"context"
	"fmt"

	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/gateway/parts"
	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/gateway/reading"
	"github.com/ontosql/ontosql/gateway/rowlock"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/gateway/tables/modify"
	"github.com/ontosql/ontosql/gateway/tables/namespace"
	"github.com/ontosql/ontosql/gateway/writing"
	"github.com/ontosql/ontosql/resolver"
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
	if s.Alone() && p.plan.Commits() {
		return p.autocommit(ctx, out, args)
	}
	returned, err := p.stage(ctx, out, args)
	if err == nil && p.st.Calls(isEnqueue) && s.Tables.Wrote() {
		err = sqlstate.TwoWorlds()
	}
	if err == nil && s.Alone() {
		if err = modify.Commit(ctx, s.Session); err != nil && returned != nil {
			returned.Close()
		}
	}
	if err != nil {
		return nil, err
	}
	return returned, nil
}

// stage runs a write up to its RETURNING, without a commit.
func (p *statement) stage(ctx context.Context, out *portal, args [][]byte) (rows, error) {
	s := p.session
	pin, err := s.Pin(ctx)
	if err != nil {
		return nil, err
	}
	if err := p.lockTables(ctx, pin); err != nil {
		return nil, err
	}
	if err := p.checkWrites(); err != nil { // the session may have changed since it was prepared
		return nil, err
	}
	if p.before != nil {
		if err := p.before(ctx); err != nil {
			return nil, err
		}
	}
	if err := s.PrepareCatalog(ctx, pin, p.plan); err != nil {
		return nil, err
	}
	switch {
	case len(p.plan.Parts) > 0:
		n, returned, err := parts.Run(ctx, s.Session, pin, p.st, p.plan, args)
		if err == nil {
			p.answers(out, n)
		}
		return returned, err
	case p.plan.Write.Table != nil:
		n, returned, err := modify.Run(ctx, s.Session, pin, p.plan, nil, args)
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

// lockTables locks the ordinary tables that the statement writes or locks rows of, and plans it
// again if they have changed until they were locked.
func (p *statement) lockTables(ctx context.Context, pin *resolver.Pin) error {
	for {
		locked := p.plan
		for _, t := range locked.Tables() {
			if err := namespace.Lock(ctx, p.session.Session, t, database.RowExclusive); err != nil {
				return err
			}
		}
		for _, t := range locked.Locked() {
			if err := rowlock.LockTable(ctx, p.session.Session, t); err != nil {
				return err
			}
		}
		if err := p.current(ctx, pin); err != nil {
			return err
		}
		if p.plan == locked {
			return p.session.Authorize(pin.Catalog, p.plan)
		}
	}
}

// checkWrites is the error of a statement that may not write here what it writes.
func (p *statement) checkWrites() error {
	s, types := p.session, p.plan.Commits()
	if types {
		if err := s.CheckWrites(p.st.Tag); err != nil {
			return err
		}
	}
	if p.plan.AtOnce() {
		if err := s.CheckAtOnce(p.st.Tag); err != nil {
			return err
		}
	}
	for _, t := range p.plan.Tables() {
		if types && t.Heap.Shared() {
			return sqlstate.TwoWorlds()
		}
		if err := namespace.CheckWrites(s.Session, p.st.Tag, t.Schema); err != nil {
			return err
		}
	}
	return nil
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

// runParts is what CREATE TABLE AS runs a query with whose WITH clause writes (tables.RunParts).
func (s *Session) runParts(ctx context.Context, pin *resolver.Pin, st *syntax.Statement, p *planner.Plan, run func(context.Context, reading.Parts) error) error {
	of := &statement{session: s, st: st, plan: p, bound: true, columns: p.Columns}
	if err := of.lockTables(ctx, pin); err != nil {
		return err
	}
	if of.plan != p {
		return sqlstate.SchemaChanged()
	}
	if err := of.checkWrites(); err != nil {
		return err
	}
	return parts.Around(ctx, s.Session, pin, st, p, run)
}
