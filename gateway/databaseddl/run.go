package databaseddl

import (
	"context"
	"errors"
	"fmt"

	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/nameservice"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// statement is one that is run.
type statement struct {
	session *session.Session
	names   database.Names
}

// Run runs a statement of the kind OnDatabase.
func Run(ctx context.Context, s *session.Session, st *syntax.Statement) error {
	return sqlstate.OfRecord(run(ctx, s, st))
}

func run(ctx context.Context, s *session.Session, st *syntax.Statement) error {
	if err := s.CheckAtOnce(st.Tag); err != nil {
		return err
	}
	if err := outsideOfTransactions(s, st); err != nil {
		return err
	}
	names, err := s.DB.NameService()
	if err != nil {
		return err
	}
	on := statement{s, names}
	switch st.Tag {
	case "CREATE DATABASE":
		create, err := ddlstmt.ParseCreateDatabase(st)
		if err != nil {
			return err
		}
		return on.create(ctx, create)
	case "DROP DATABASE":
		drop, err := ddlstmt.ParseDropDatabase(st)
		if err != nil {
			return err
		}
		return on.drop(ctx, drop)
	}
	change, err := ddlstmt.ParseDatabaseChange(st)
	if err != nil {
		return err
	}
	return on.alter(ctx, change)
}

// checkOwner is the error of a role that would have to own the database. All belong to the role ontosql.
func (st *statement) checkOwner(ctx context.Context, name string) error {
	if checked, err := st.checked(ctx); err != nil || !checked || st.session.Role().Owns("") {
		return err
	}
	return pgerr.New(pgerr.InsufficientPrivilege, "must be owner of database %s", name)
}

// checkCreate is the error of a role that may not create a database, or not a copy of another.
func (st *statement) checkCreate(ctx context.Context, template string) error {
	checked, err := st.checked(ctx)
	role := st.session.Role()
	if err != nil || !checked || role.Owns("") {
		return err
	}
	if of, _ := role.Roles.Lookup(role.Name); !of.CreateDB {
		return pgerr.New(pgerr.InsufficientPrivilege, "permission denied to create database")
	}
	if template != "" {
		return pgerr.New(pgerr.InsufficientPrivilege, "permission denied to copy database %q", template)
	}
	return nil
}

// checked reports whether it is asked who may administer databases: roles say who may, or the database of
// the session requires grants.
func (st *statement) checked(ctx context.Context) (bool, error) {
	if st.session.Roles().Administered() {
		return true, nil
	}
	return st.session.Governed(ctx)
}

// outsideOfTransactions is the error of a statement in a transaction block. PostgreSQL allows ALTER and
// COMMENT there, because it can take them back.
func outsideOfTransactions(s *session.Session, st *syntax.Statement) error {
	what := st.Tag
	if what == "COMMENT" {
		what = "COMMENT ON DATABASE"
	}
	switch {
	case s.Tx.Block():
		return pgerr.New(pgerr.ActiveSQLTransaction, "%s cannot run inside a transaction block", what)
	case s.Tx.Ran > 1:
		return pgerr.New(pgerr.ActiveSQLTransaction, "%s cannot be executed within a pipeline", what)
	}
	return nil
}

// alias is the alias that the name of a database means. The error is that of a name that no database
// can have.
func alias(name string) (nameservice.Alias, error) {
	a, err := nameservice.ParseAlias(name)
	if err == nil && a.Graph {
		err = errGraph
	}
	if err != nil {
		return a, pgerr.New(pgerr.InvalidName, "invalid name of a database: %.100q", name).WithDetail("The %v.", err).Because(err)
	}
	return a, nil
}

var errGraph = errors.New(`name is that of a graph source: it begins with "vg:"`)

// find is the record of a database. The error of one that is not there is 3D000.
func (st *statement) find(ctx context.Context, name string) (*nameservice.Record, error) {
	unknown := pgerr.New(pgerr.InvalidCatalogName, "database %q does not exist", name)
	a, err := alias(name)
	if err != nil {
		return nil, unknown
	}
	r, err := st.names.Get(ctx, a)
	switch {
	case errors.Is(err, nameservice.ErrNotFound):
		return nil, unknown
	case err != nil:
		return nil, fmt.Errorf("look up database %s: %w", a, err)
	case r.Retracted:
		return nil, unknown
	}
	return r, nil
}
