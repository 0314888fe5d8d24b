package tables

import (
	"context"

	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/workspace"
)

// InUse reports whether an open query of the session reads a table.
type InUse func(t *workspace.Table) bool

// checkNotInUse is PostgreSQL's CheckTableNotInUse.
func checkNotInUse(tables []*workspace.Table, by InUse, command string) error {
	for _, t := range tables {
		if by(t) {
			return pgerr.New(pgerr.ObjectInUse, "cannot %s %q because it is being used by active queries in this session", command, t.Name)
		}
	}
	return nil
}

// Drop executes DROP TABLE of temporary tables. ours is false if the statement names none of
// them.
func Drop(ctx context.Context, s *session.Session, st *syntax.Statement, by InUse) (ours bool, err error) {
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
	if err := checkNotInUse(tables, by, "DROP TABLE"); err != nil {
		return true, err
	}
	for _, t := range tables {
		s.Tables.Set(s.Tables.Objects.Without(t))
	}
	return true, nil
}

// Truncate executes TRUNCATE of temporary tables. ours is false if the statement names none of
// them.
func Truncate(ctx context.Context, s *session.Session, st *syntax.Statement, by InUse) (ours bool, err error) {
	if err := s.CheckReadWrite(st.Tag); err != nil {
		return true, err
	}
	refs := ddlstmt.Truncated(st)
	tables, err := named(ctx, s, st, refs)
	if err != nil {
		return false, err
	}
	if tables == nil {
		return false, exist(ctx, s, refs)
	}
	if err := checkNotInUse(tables, by, "TRUNCATE"); err != nil {
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

// exist is the error of the first reference that names no relation.
func exist(ctx context.Context, s *session.Session, refs []syntax.Ref) error {
	pin, err := s.Pin(ctx)
	if err != nil {
		return err
	}
	for _, ref := range refs {
		ref.Position = 0 // PostgreSQL gives none
		if _, err := s.Resolver().Resolve(pin, ref); err != nil {
			return err
		}
	}
	return nil
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
func Discard(s *session.Session, by InUse) error {
	if err := checkNotInUse(s.Tables.Objects.All(), by, "DROP TABLE"); err != nil {
		return err
	}
	s.Tables.Set(nil)
	return nil
}
