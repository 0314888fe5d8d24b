package parts

import (
	"context"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/gateway/actions"
	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/gateway/reading"
	"github.com/ontosql/ontosql/gateway/relation"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/tables/modify"
	"github.com/ontosql/ontosql/gateway/temptable"
	"github.com/ontosql/ontosql/gateway/writing"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// execution is one execution of a statement.
type execution struct {
	session *session.Session
	pin     *resolver.Pin
	st      *syntax.Statement
	plan    *planner.Plan
	args    [][]byte
	ran     reading.Parts      // the parts that have run, without columns for those that return nothing
	held    []*temptable.Spool // with the rows of ran
	made    []string           // tables of the connection with rows of ran
	// main runs the statement itself.
	main func(context.Context) error
}

// Run runs a statement at a pin. It returns how many rows the statement itself has written and
// its rows, nil for a write without RETURNING, which the caller closes.
//
// If another transaction has changed a row that a part writes, all parts run again (modify.Run).
// The order is PostgreSQL's: the parts that the statement reads, the statement, the other parts
// that write, from the last one to the first.
func Run(ctx context.Context, s *session.Session, pin *resolver.Pin, st *syntax.Statement, p *planner.Plan, args [][]byte) (count int64, rows column.Stream, err error) {
	e := &execution{session: s, pin: pin, st: st, plan: p, args: args}
	e.main = func(ctx context.Context) (err error) {
		if rows != nil { // of an earlier run
			rows.Close()
		}
		count, rows, err = e.statement(ctx)
		return err
	}
	if err := e.run(ctx); err != nil {
		if rows != nil {
			rows.Close()
		}
		return 0, nil, err
	}
	return count, rows, nil
}

// Around is Run for a statement that main runs, which may do so several times. It has no
// parameters.
func Around(ctx context.Context, s *session.Session, pin *resolver.Pin, st *syntax.Statement, p *planner.Plan, main func(context.Context, reading.Parts) error) error {
	e := &execution{session: s, pin: pin, st: st, plan: p}
	e.main = func(ctx context.Context) error { return main(ctx, e.ran) }
	return e.run(ctx)
}

// run runs the statement until it meets no other transaction. One that writes to the ontology is
// not run again: what it writes is staged. Neither is one whose actions take effect at once.
func (e *execution) run(ctx context.Context) error {
	if e.plan.Commits() || e.plan.AtOnce() {
		return e.once(ctx)
	}
	for {
		before := e.session.Tables.Savepoint()
		again, err := modify.Settle(ctx, e.session, e.once(ctx))
		if !again {
			return err
		}
		if err := modify.RollbackTo(ctx, e.session, before); err != nil {
			return err
		}
	}
}

// once runs the statement with one snapshot.
func (e *execution) once(ctx context.Context) error {
	release := e.session.Hold()
	defer release()
	e.ran, e.held, e.made = reading.Parts{}, nil, nil
	defer e.drop(context.WithoutCancel(ctx))
	for _, i := range e.st.Reads {
		if err := e.part(ctx, i); err != nil {
			return err
		}
	}
	e.session.Running.Part = 0
	if err := e.main(ctx); err != nil {
		return err
	}
	for i := len(e.plan.Parts) - 1; i >= 0; i-- {
		if e.plan.Parts[i].Write == nil {
			continue
		}
		if err := e.part(ctx, i); err != nil {
			return err
		}
	}
	return modify.CheckStatement(ctx, e.session)
}

// statement runs the statement itself.
func (e *execution) statement(ctx context.Context) (count int64, rows column.Stream, err error) {
	switch w := e.plan.Write; {
	case w == nil:
		rows, err = reading.Keep(ctx, e.session, e.pin, e.plan, e.ran, e.args)
	case w.Table != nil:
		return modify.Run(ctx, e.session, e.pin, e.plan, e.ran, e.args)
	default:
		count, returned, err := writing.Stage(ctx, e.session, e.pin, e.plan, e.ran, e.args)
		if err != nil || w.Scoped.Returned == nil {
			return count, nil, err
		}
		defer returned.Close()
		rows, err = returned.Stream(ctx)
		return count, rows, err
	}
	return 0, rows, err
}

// part runs a part of the statement, and before it those that it reads, unless they have run.
func (e *execution) part(ctx context.Context, i int) error {
	if _, ran := e.ran[i]; ran {
		return nil
	}
	for _, j := range e.st.Parts[i].With.Reads {
		if j == i { // a recursive query
			continue
		}
		if err := e.part(ctx, j); err != nil {
			return err
		}
	}
	e.session.Running.Part = i + 1
	var err error
	switch w := e.plan.Parts[i].Write; {
	case e.plan.Parts[i].Action != "":
		e.ran[i], err = e.act(ctx, e.plan.Parts[i])
	case w == nil:
		e.ran[i], err = e.keep(ctx, e.plan.Parts[i])
	case w.Table != nil:
		e.ran[i], err = modify.RunPart(ctx, e.session, e.pin, e.plan.Parts[i], e.ran, e.args)
		e.made = append(e.made, e.ran[i].Name)
	default:
		e.ran[i], err = e.stage(ctx, e.plan.Parts[i])
	}
	return err
}

// stage runs a write to a type.
func (e *execution) stage(ctx context.Context, p *planner.Plan) (t relation.WorkTable, err error) {
	_, returned, err := writing.Stage(ctx, e.session, e.pin, p, e.ran, e.args)
	if err != nil {
		return t, err
	}
	e.held = append(e.held, returned)
	if p.Write.Scoped.Returned == nil {
		return t, nil
	}
	rows, err := returned.Table(ctx)
	if err != nil {
		return t, err
	}
	t.Name = rows.Table()
	for i := range p.Write.Scoped.Returned {
		t.Columns = append(t.Columns, temptable.ColumnName(i))
	}
	return t, nil
}

// act runs an action and keeps what it returns in a table.
func (e *execution) act(ctx context.Context, p *planner.Plan) (t relation.WorkTable, err error) {
	made, err := actions.Run(ctx, e.session, e.pin, p, e.ran, e.args)
	if err != nil {
		return t, err
	}
	columns := relation.PartColumns(p.Scoped.Outputs)
	if t.Name, err = reading.Load(ctx, e.session, columns, made); err != nil {
		return t, err
	}
	e.made, t.Columns = append(e.made, t.Name), column.AliasesOf(columns)
	return t, nil
}

// drop drops the tables of the parts.
func (e *execution) drop(ctx context.Context) {
	for _, spool := range e.held {
		spool.Close()
	}
	for _, name := range e.made {
		if name == "" {
			continue
		}
		err := e.session.RunQuery(ctx, "DROP TABLE IF EXISTS "+name, nil)
		if err != nil {
			e.session.Log.WarnContext(ctx, "rows of a WITH query stay in memory", "error", err)
		}
	}
}
