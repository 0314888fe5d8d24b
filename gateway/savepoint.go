package gateway

import (
	"context"
	"slices"

	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/staging"
	"github.com/ontosql/ontosql/gateway/tables/modify"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// savepoint answers SAVEPOINT.
func (s *Session) savepoint(st *syntax.Statement) error {
	if err := s.Tx.InBlock(st.Tag); err != nil {
		return err
	}
	s.Tx.Savepoints = append(s.Tx.Savepoints, s.mark(st.Name))
	return nil
}

// mark is the state of the transaction now.
func (s *Session) mark(name string) session.Savepoint {
	p := session.Savepoint{Name: name, Schema: s.Tx.Schema, Tags: s.Tx.Tags, Actions: s.Tx.Actions, Pin: s.Tx.Pin, Settings: s.Settings.Savepoint(), Cursors: s.declared, Portals: s.names.Mark(), Changes: len(s.Tx.Listening.Changes), Sends: len(s.Tx.Listening.Sends), Events: len(s.Tx.Events), Tables: s.Tables.Savepoint(), Roles: s.Tx.Roles, RoleEdits: s.Tx.RoleEdits}
	for _, g := range s.Tx.Staged {
		p.Staged = append(p.Staged, session.StagingMark{Rows: g, Newest: g.Count()})
	}
	return p
}

// releaseSavepoint answers RELEASE: it and the later ones are forgotten, what was
// done since stays. READ ONLY alone holds until the end of the subtransaction that it
// was set in, as PostgreSQL has it.
func (s *Session) releaseSavepoint(st *syntax.Statement) error {
	i, err := s.Tx.Find(st)
	if err != nil {
		return err
	}
	s.Settings.RestoreReadOnly(s.Tx.Savepoints[i].Settings)
	s.Tx.Savepoints = s.Tx.Savepoints[:i]
	return nil
}

// rollbackTo executes ROLLBACK TO: it undoes the writes and settings since the savepoint, which
// remains, and ends the failed state.
func (s *Session) rollbackTo(ctx context.Context, st *syntax.Statement) error {
	i, err := s.Tx.Find(st)
	if err != nil {
		return err
	}
	if err := s.undo(ctx, &s.Tx.Savepoints[i]); err != nil {
		return err
	}
	s.Tx.Savepoints = s.Tx.Savepoints[:i+1]
	s.Tx.Failed = false
	return s.FollowSettings(ctx)
}

// undo undoes what the transaction has done since a mark.
func (s *Session) undo(ctx context.Context, p *session.Savepoint) error {
	s.dropCursors(func(c *cursor) bool { return c.serial > p.Cursors })
	s.names.DropBound(p.Portals)
	l := &s.Tx.Listening
	l.Changes, l.Sends = l.Changes[:p.Changes], l.Sends[:p.Sends]
	if err := modify.RollbackTo(ctx, s.Session, p.Tables); err != nil {
		return err
	}
	var kept []*staging.Rows
	for _, mark := range p.Staged {
		if err := mark.Truncate(ctx, mark.Newest); err != nil {
			return err
		}
		kept = append(kept, mark.Rows)
	}
	for _, g := range s.Tx.Staged {
		if !slices.Contains(kept, g) {
			g.Close(context.WithoutCancel(ctx))
		}
	}
	s.Tx.Staged = kept
	s.Tx.Retired = slices.DeleteFunc(s.Tx.Retired, func(g *staging.Rows) bool { return slices.Contains(kept, g) })
	if s.Tx.Schema != p.Schema {
		s.Tx.Schema, s.Tx.Pin = p.Schema, p.Pin
	}
	s.Tx.Tags, s.Tx.Actions, s.Tx.Events = p.Tags, p.Actions, s.Tx.Events[:p.Events]
	s.Tx.Roles, s.Tx.RoleEdits = p.Roles, p.RoleEdits
	s.DropEvents(0)
	s.Settings.RollbackTo(p.Settings)
	return nil
}
