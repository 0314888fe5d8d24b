package tables

import (
	"context"
	"slices"

	"github.com/ontosql/ontosql/acl"
	"github.com/ontosql/ontosql/gateway/access"
	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/gateway/tables/modify"
	"github.com/ontosql/ontosql/gateway/tables/namespace"
	"github.com/ontosql/ontosql/gateway/tables/sequences"
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
	if tables, err = truncated(ctx, s, st, tables); err != nil {
		return true, err
	}
	if err := checkNotInUse(tables, by, "TRUNCATE"); err != nil {
		return true, err
	}
	if err := modify.CheckNotAwaited(s, tables, "TRUNCATE"); err != nil {
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
		if st.Node.GetTruncateStmt().GetRestartSeqs() {
			if err := sequences.RestartOwned(ctx, s, t); err != nil {
				return true, err
			}
		}
	}
	return true, nil
}

// exist is the error of the first reference that names no relation.
func exist(ctx context.Context, s *session.Session, refs []syntax.Ref) error {
	for _, ref := range refs {
		if sequences.Find(s, ref) != nil {
			return pgerr.New(pgerr.WrongObjectType, "%q is not a table", ref.Name)
		}
	}
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
// statement that changes their definitions. One that names other relations as well is 0A000.
func named(ctx context.Context, s *session.Session, st *syntax.Statement, refs []syntax.Ref) ([]*workspace.Table, error) {
	found := make([]*workspace.Table, len(refs))
	var tables []*workspace.Table
	for i, ref := range refs {
		t, err := namespace.FindLocked(ctx, s, ref, database.AccessExclusive)
		if err != nil {
			return nil, err
		}
		if t != nil && t.View != nil {
			return nil, pgerr.New(pgerr.WrongObjectType, "%q is not a table", t.Name)
		}
		if found[i] = t; t != nil && !slices.Contains(tables, t) {
			tables = append(tables, t)
		}
		if v, err := namespace.FindView(ctx, s, ref); v != nil || err != nil {
			if err == nil {
				err = pgerr.New(pgerr.WrongObjectType, "%q is not a table", v.Name)
			}
			return nil, err
		}
	}
	if tables == nil {
		return nil, nil
	}
	for i, ref := range refs {
		if found[i] != nil {
			continue
		}
		err := exist(ctx, s, []syntax.Ref{ref})
		if err == nil {
			err = namespace.Mixed(st)
		}
		return nil, err
	}
	for _, t := range tables {
		if err := namespace.CheckWrites(s, st.Tag, t.Schema); err != nil {
			return nil, err
		}
		if err := namespace.CheckPrivilege(ctx, s, access.OfTable(t), acl.Truncate, 0); err != nil {
			return nil, err
		}
	}
	return tables, nil
}

// Discard executes DISCARD TEMP: all temporary tables and views are dropped.
func Discard(s *session.Session, by InUse) error {
	if err := checkNotInUse(s.Tables.Objects.All(), by, "DROP TABLE"); err != nil {
		return err
	}
	s.Tables.Set(nil)
	return nil
}

// truncated adds the tables that reference those of a TRUNCATE with CASCADE, or returns the error
// of one without.
func truncated(ctx context.Context, s *session.Session, st *syntax.Statement, tables []*workspace.Table) ([]*workspace.Table, error) {
	cascade := ddlstmt.TruncatesCascade(st)
	for i := 0; i < len(tables); i++ {
		for _, r := range s.Tables.Of(tables[i].Schema).ReferencesTo(tables[i].Schema, tables[i].Name) {
			named := func(t *workspace.Table) bool { return t.Schema == r.Table.Schema && t.Name == r.Table.Name }
			switch {
			case slices.ContainsFunc(tables, named):
				continue
			case !cascade:
				return nil, pgerr.Unsupported("cannot truncate a table referenced in a foreign key constraint").
					WithDetail("Table %q references %q.", r.Table.Name, tables[i].Name).
					WithHint("Truncate table %q at the same time, or use TRUNCATE ... CASCADE.", r.Table.Name)
			}
			s.Notice(sqlstate.Notice("truncate cascades to table %q", r.Table.Name))
			if err := namespace.Lock(ctx, s, r.Table, database.AccessExclusive); err != nil {
				return nil, err
			}
			if t := s.Tables.Table(r.Table.Schema, r.Table.Name); t != nil {
				tables = append(tables, t)
			}
		}
	}
	return tables, nil
}
