package tables

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/gateway/access"
	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/gateway/tables/namespace"
	"github.com/ontosql/ontosql/gateway/tables/sequences"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/workspace"
)

// reserved are schema names that are kept for later versions.
var reserved = []string{"diff", "blame"}

// CreateSchema executes CREATE SCHEMA of a schema that the ontology has not.
func CreateSchema(ctx context.Context, s *session.Session, st *syntax.Statement) error {
	def, err := ddlstmt.ParseSchema(st)
	if err != nil {
		return err
	}
	if err := checkSchemaName(def.Name); err != nil {
		return err
	}
	if err := namespace.CheckShared(s, st.Tag); err != nil {
		return err
	}
	if err := namespace.LockSchema(ctx, s, def.Name, database.AccessExclusive); err != nil {
		return err
	}
	if s.Tables.Shared().HasSchema(def.Name) {
		if def.IfNotExists {
			s.Notice(sqlstate.Skipped(pgerr.DuplicateSchema, "schema %q already exists, skipping", def.Name))
			return nil
		}
		return pgerr.New(pgerr.DuplicateSchema, "schema %q already exists", def.Name)
	}
	conn, err := s.FreeConn(ctx)
	if err != nil {
		return err
	}
	owner, grants, err := namespace.NewRights(ctx, s, "", ddlstmt.OnSchema)
	if err != nil {
		return err
	}
	if owner != "" && !s.Role().Owns("") {
		return pgerr.New(pgerr.InsufficientPrivilege, "permission denied for database %s", s.DB.Name)
	}
	if err := s.Tables.CreateSchema(ctx, conn, def.Name); err != nil {
		return namespace.Unavailable(err)
	}
	if grants != nil || owner != "" {
		s.Tables.PutSchema(&workspace.Schema{Name: def.Name, Owner: owner, Grants: grants})
	}
	return nil
}

// checkSchemaName is the error of a name that no schema of the workspace may have.
func checkSchemaName(name string) error {
	switch {
	case strings.HasPrefix(name, "pg_"):
		return pgerr.New(pgerr.ReservedName, "unacceptable schema name %q", name).WithDetail("The prefix \"pg_\" is reserved for system schemas.")
	case slices.Contains(reserved, name):
		return pgerr.New(pgerr.ReservedName, "unacceptable schema name %q", name).WithDetail("The name is reserved for a schema of the ontology.")
	}
	return nil
}

// DropSchemas executes DROP SCHEMA of schemas of the workspace. ours is false if the statement
// names none of them.
func DropSchemas(ctx context.Context, s *session.Session, st *syntax.Statement, drops *ddlstmt.Drops) (ours bool, err error) {
	var names []string
	for _, ref := range drops.Names {
		if s.Tables.Shared().HasSchema(ref.Name) {
			names = append(names, ref.Name)
			continue
		}
		if slices.Contains(catalog.Schemas, ref.Name) {
			return false, nil // the error of the ontology's
		}
	}
	if names == nil && !s.Tables.Wrote() {
		return false, nil
	}
	if err := namespace.CheckShared(s, st.Tag); err != nil {
		return true, err
	}
	for _, ref := range drops.Names {
		if err := namespace.LockSchema(ctx, s, ref.Name, database.AccessExclusive); err != nil {
			return true, err
		}
		if !s.Tables.Shared().HasSchema(ref.Name) {
			missing := sqlstate.UndefinedSchema(ref.Name)
			if !drops.IfExists {
				return true, missing
			}
			s.Notice(sqlstate.Notice("%s, skipping", missing.Message))
		} else if err := namespace.CheckOwner(ctx, s, access.OfSchema(s.Tables.Shared().Schema(ref.Name), ref.Name)); err != nil {
			return true, err
		}
	}
	return true, dropSchemas(ctx, s, names, drops.Cascade)
}

// dropSchemas drops schemas, which are locked, with their tables and views if cascade is set.
func dropSchemas(ctx context.Context, s *session.Session, names []string, cascade bool) error {
	all, d := s.Tables.Everything(), namespace.NewDependents(s)
	var inside []*workspace.Table
	for _, name := range names {
		for _, t := range s.Tables.Shared().In(name) {
			if t.View != nil { // it is among the views
				continue
			}
			inside = append(inside, t)
			d.Describe("table "+d.Shown(t.Schema, t.Name), "schema "+namespace.QuotedName("", name))
			for _, v := range all.Dependents(t.Schema, t.Name) {
				if !slices.Contains(names, v.View.Schema) { // others depend on their schema in the first place
					d.AddDependent(v, "table", t.Schema, t.Name)
				}
			}
		}
	}
	for _, name := range names {
		for _, v := range all.Views() {
			if v.Schema != name {
				continue
			}
			d.Add(v, "schema "+namespace.QuotedName("", name))
			for _, next := range all.Dependents(v.Schema, v.Name) {
				if !slices.Contains(names, next.View.Schema) {
					d.AddDependent(next, v.Kind(), v.Schema, v.Name)
				}
			}
		}
	}
	dropped := sequences.AddInSchemas(s, d, names)
	d.AddReferences(inside)
	what := "desired object(s) because other objects depend on them"
	if len(names) == 1 {
		what = fmt.Sprintf("schema %s because other objects depend on it", namespace.QuotedName("", names[0]))
	}
	if err := d.Report(what, cascade); err != nil {
		return err
	}
	if err := d.DropKeys(ctx); err != nil {
		return err
	}
	for _, q := range dropped {
		if err := sequences.Remove(ctx, s, q); err != nil {
			return err
		}
	}
	for _, t := range inside {
		if err := namespace.Lock(ctx, s, t, database.AccessExclusive); err != nil {
			return err
		}
		s.Tables.Remove(t)
	}
	for _, v := range d.Views {
		if err := namespace.LockView(ctx, s, v); err != nil {
			return err
		}
		s.Tables.RemoveView(v)
	}
	for _, name := range names {
		s.Tables.DropSchema(name)
	}
	return nil
}
