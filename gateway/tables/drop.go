package tables

import (
	"context"

	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/workspace"
)

// Drop executes DROP TABLE of temporary tables. ours is false if the statement names none of
// them.
func Drop(ctx context.Context, s *session.Session, st *syntax.Statement) (ours bool, err error) {
	drops, err := ddlstmt.ParseDrops(st)
	if err != nil || drops.Object != "table" {
		return false, err
	}
	tables, err := named(ctx, s, st, drops.Names)
	if err != nil || tables == nil {
		return false, err
	}
	if err := s.CheckReadWrite(st.Tag); err != nil {
		return true, err
	}
	for _, t := range tables {
		s.Tables.Set(s.Tables.Objects.Without(t))
	}
	return true, nil
}

// Truncate executes TRUNCATE of temporary tables. ours is false if the statement names none of
// them.
func Truncate(ctx context.Context, s *session.Session, st *syntax.Statement) (ours bool, err error) {
	tables, err := named(ctx, s, st, ddlstmt.Truncated(st))
	if err != nil || tables == nil {
		return false, err
	}
	if err := s.CheckReadWrite(st.Tag); err != nil {
		return true, err
	}
	conn, err := s.FreeConn(ctx)
	if err != nil {
		return true, err
	}
	for _, t := range tables {
		emptied := *t
		if emptied.Heap, err = s.Tables.CreateHeap(ctx, conn, t.Columns); err != nil {
			return true, err
		}
		s.Tables.Set(s.Tables.Objects.With(&emptied))
	}
	return true, nil
}

// Names reports whether references name a temporary table.
func Names(ctx context.Context, s *session.Session, refs []syntax.Ref) (bool, error) {
	for _, ref := range refs {
		if t, err := Find(ctx, s, ref); t != nil || err != nil {
			return t != nil, err
		}
	}
	return false, nil
}

// named are the temporary tables that references name, nil for none. A statement that names
// others as well is 0A000.
func named(ctx context.Context, s *session.Session, st *syntax.Statement, refs []syntax.Ref) ([]*workspace.Table, error) {
	var tables []*workspace.Table
	for _, ref := range refs {
		t, err := Find(ctx, s, ref)
		if err != nil {
			return nil, err
		}
		if t != nil {
			tables = append(tables, t)
		}
	}
	if tables != nil && len(tables) < len(refs) {
		return nil, pgerr.Unsupported("%s of temporary and other tables in one statement is not supported", st.Tag).
			WithHint("Use a statement for each.")
	}
	return tables, nil
}

// Find is the temporary table that a reference names, nil for none: another relation of the
// name may be before it in the search path.
func Find(ctx context.Context, s *session.Session, ref syntax.Ref) (*workspace.Table, error) {
	if s.Tables.Objects.Table(workspace.TempSchema, ref.Name) == nil || ref.Schema != "" && ref.Schema != workspace.TempSchema {
		return nil, nil
	}
	pin, err := s.Pin(ctx)
	if err != nil {
		return nil, err
	}
	r, err := s.Resolver().Resolve(pin, ref)
	if err != nil {
		return nil, nil // the statement reports the error
	}
	return r.Stored, nil
}

// Discard executes DISCARD TEMP: all temporary tables are dropped.
func Discard(s *session.Session) { s.Tables.Set(nil) }
