package tables

import (
	"context"
	"slices"

	"github.com/ontosql/ontosql/gateway/database"
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

// Drop executes DROP TABLE of ordinary tables, and DROP SCHEMA. ours is false if the
// statement names none of them.
func Drop(ctx context.Context, s *session.Session, st *syntax.Statement, by InUse) (ours bool, err error) {
	drops, err := ddlstmt.ParseDrops(st)
	switch {
	case err != nil:
		return false, err
	case drops.Object == "index":
		return dropIndexes(ctx, s, st, drops)
	case drops.Object == "schema":
		return DropSchemas(ctx, s, st, drops)
	case drops.Object != "table":
		return false, nil
	}
	tables, err := named(ctx, s, st, drops.Names)
	if err != nil {
		return false, err
	}
	if err := checkNotInUse(tables, by, "DROP TABLE"); err != nil {
		return true, err
	}
	for _, t := range tables {
		s.Tables.Remove(t)
	}
	return tables != nil, nil
}

// Truncate executes TRUNCATE of ordinary tables. ours is false if the statement names none of
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
		if emptied.Heap, err = s.Tables.CreateHeap(ctx, conn, t.Schema, t.Columns); err != nil {
			return true, err
		}
		s.Tables.Put(&emptied)
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

// named are the ordinary tables that references name, nil for none. They are locked for a
// statement that changes their definitions. One that names others as well is 0A000.
func named(ctx context.Context, s *session.Session, st *syntax.Statement, refs []syntax.Ref) ([]*workspace.Table, error) {
	var tables []*workspace.Table
	for _, ref := range refs {
		t, err := find(ctx, s, ref, database.AccessExclusive)
		if err != nil {
			return nil, err
		}
		if t != nil && !slices.Contains(tables, t) {
			tables = append(tables, t)
		}
	}
	if tables != nil && len(tables) < len(refs) {
		return nil, pgerr.Unsupported("%s of ordinary and other tables in one statement is not supported", st.Tag).
			WithHint("Use a statement for each.")
	}
	for _, t := range tables {
		if err := checkChange(s, st.Tag, t.Schema); err != nil {
			return nil, err
		}
	}
	return tables, nil
}

// Find is the ordinary table that a reference names, nil for none: another relation of the
// name may be before it in the search path.
func Find(ctx context.Context, s *session.Session, ref syntax.Ref) (*workspace.Table, error) {
	if !mayName(s, ref) {
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

// mayName reports whether one of the schemas that a reference may mean has an ordinary table
// of its name.
func mayName(s *session.Session, ref syntax.Ref) bool {
	if ref.Schema != "" {
		return s.Tables.Table(ref.Schema, ref.Name) != nil
	}
	return slices.ContainsFunc(s.Resolver().SearchPath(), func(schema string) bool { return s.Tables.Table(schema, ref.Name) != nil })
}

// Discard executes DISCARD TEMP: all temporary tables are dropped.
func Discard(s *session.Session, by InUse) error {
	if err := checkNotInUse(s.Tables.Objects.All(), by, "DROP TABLE"); err != nil {
		return err
	}
	s.Tables.Set(nil)
	return nil
}
