package gateway

import (
	"context"
	"slices"

	"github.com/ontosql/ontosql/gateway/ddl"
	"github.com/ontosql/ontosql/gateway/settings"
	"github.com/ontosql/ontosql/gateway/staging"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// savepoint is a moment of a transaction that ROLLBACK TO goes back to
// (PostgreSQL manual, SAVEPOINT). Several may have one name; the newest is meant.
type savepoint struct {
	name     string
	staged   []stagingMark // of transaction.staged
	schema   *ddl.Draft
	pin      *resolver.Pin // nil where the transaction had none
	settings settings.Savepoint
	cursors  int // that the session had declared so far
	portals  int // wire.Names.Mark
	changes  int // of channels
	sends    int
}

// stagingMark is how far a staging was.
type stagingMark struct {
	*staging.Rows
	newest int64 // the number of its newest version
}

// find is the place of the newest savepoint of a name, or an error of the
// statement that names it.
func (t *transaction) find(st *syntax.Statement) (int, error) {
	name := "RELEASE SAVEPOINT"
	if st.Kind == syntax.RollbackTo {
		name = "ROLLBACK TO SAVEPOINT"
	}
	if err := t.inBlock(name); err != nil {
		return 0, err
	}
	for i := len(t.savepoints) - 1; i >= 0; i-- {
		if t.savepoints[i].name == st.Name {
			return i, nil
		}
	}
	return 0, pgerr.New(pgerr.InvalidSavepointSpecification, "savepoint %q does not exist", st.Name)
}

// block reports whether the transaction is more than the statement that runs.
func (t *transaction) block() bool { return t.explicit || t.several }

// inBlock refuses what makes sense after BEGIN only.
func (t *transaction) inBlock(statement string) error {
	if t.explicit {
		return nil
	}
	return pgerr.New(pgerr.NoActiveSQLTransaction, "%s can only be used in transaction blocks", statement)
}

// savepoint answers SAVEPOINT.
func (s *Session) savepoint(st *syntax.Statement) error {
	if err := s.tx.inBlock(st.Tag); err != nil {
		return err
	}
	p := savepoint{name: st.Name, schema: s.tx.schema, pin: s.tx.pin, settings: s.settings.Savepoint(), cursors: s.declared, portals: s.names.Mark(), changes: len(s.tx.listening.Changes), sends: len(s.tx.listening.Sends)}
	for _, g := range s.tx.staged {
		p.staged = append(p.staged, stagingMark{g, g.Count()})
	}
	s.tx.savepoints = append(s.tx.savepoints, p)
	return nil
}

// releaseSavepoint answers RELEASE: it and the later ones are forgotten, what was
// done since stays. READ ONLY alone holds until the end of the subtransaction that it
// was set in, as PostgreSQL has it.
func (s *Session) releaseSavepoint(st *syntax.Statement) error {
	i, err := s.tx.find(st)
	if err != nil {
		return err
	}
	s.settings.RestoreReadOnly(s.tx.savepoints[i].settings)
	s.tx.savepoints = s.tx.savepoints[:i]
	return nil
}

// rollbackTo answers ROLLBACK TO: what was written and set since is undone, the
// savepoint stays, and a failed transaction goes on.
func (s *Session) rollbackTo(ctx context.Context, st *syntax.Statement) error {
	i, err := s.tx.find(st)
	if err != nil {
		return err
	}
	p := &s.tx.savepoints[i]
	s.dropCursors(func(c *cursor) bool { return c.serial > p.cursors })
	s.names.DropBound(p.portals)
	l := &s.tx.listening
	l.Changes, l.Sends = l.Changes[:p.changes], l.Sends[:p.sends]
	var kept []*staging.Rows
	for _, mark := range p.staged {
		if err := mark.Truncate(ctx, mark.newest); err != nil {
			return err
		}
		kept = append(kept, mark.Rows)
	}
	for _, g := range s.tx.staged {
		if !slices.Contains(kept, g) {
			g.Close(context.WithoutCancel(ctx))
		}
	}
	s.tx.staged = kept
	s.tx.retired = slices.DeleteFunc(s.tx.retired, func(g *staging.Rows) bool { return slices.Contains(kept, g) })
	if s.tx.schema != p.schema {
		s.tx.schema, s.tx.pin = p.schema, p.pin
	}
	s.tx.savepoints = s.tx.savepoints[:i+1]
	s.tx.failed = false
	s.settings.RollbackTo(p.settings)
	return s.followZone(ctx)
}
