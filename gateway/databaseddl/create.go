package databaseddl

import (
	"context"
	"errors"

	"github.com/ontosql/ontosql/nameservice"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
)

// create executes CREATE DATABASE.
func (st *statement) create(ctx context.Context, c *ddlstmt.CreateDatabase) error {
	a, err := alias(c.Name)
	if err != nil {
		return err
	}
	if err := st.checkCreate(ctx, c.Template); err != nil {
		return err
	}
	if err := checkOwners(st.session, c.Owner); err != nil {
		return err
	}
	err = st.names.CreateDatabase(ctx, a, c.Template)
	st.session.DB.NamesChanged()
	switch {
	case errors.Is(err, nameservice.ErrExists):
		return st.exists(ctx, a, c.Name)
	case errors.Is(err, nameservice.ErrNotFound) && c.Template != "":
		return pgerr.New(pgerr.InvalidCatalogName, "template database %q does not exist", c.Template).Because(err)
	}
	return err
}

// exists is the error of CREATE DATABASE with a name that is taken.
func (st *statement) exists(ctx context.Context, a nameservice.Alias, name string) error {
	e := pgerr.New(duplicateDatabase, "database %q already exists", name)
	if r, err := st.names.Get(ctx, a); err == nil && r.Retracted {
		return e.WithDetail("It was dropped, and its record and its data are still there.").
			WithHint("\"ontosql ns purge %s\" removes the record.", a)
	}
	return e
}

// duplicateDatabase is ERRCODE_DUPLICATE_DATABASE of PostgreSQL.
const duplicateDatabase = "42P04"
