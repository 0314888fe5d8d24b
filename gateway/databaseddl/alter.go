package databaseddl

import (
	"context"
	"errors"
	"maps"
	"strings"

	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/nameservice"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
)

// alter executes ALTER DATABASE and COMMENT ON DATABASE.
func (st *statement) alter(ctx context.Context, c *ddlstmt.DatabaseChange) error {
	r, err := st.find(ctx, c.Name)
	var unknown *pgerr.Error
	if c.Comment != nil && errors.As(err, &unknown) && unknown.Code == pgerr.InvalidCatalogName {
		st.session.Notice(sqlstate.Warning(unknown.Code, "%s", unknown.Message)) // as PostgreSQL, for scripts of pg_dump
		return nil
	}
	if err == nil {
		err = st.checkOwner(ctx, c.Name)
	}
	if err != nil {
		return err
	}
	switch {
	case c.Rename:
		return pgerr.Unsupported("a database cannot be renamed").
			WithDetail("The name is the key of its record in the name service, and never changes.").
			WithHint("CREATE DATABASE ... TEMPLATE makes a copy under another name.")
	case c.Refresh:
		st.session.Notice(sqlstate.Notice("version has not changed"))
		return nil
	case c.Setting != nil:
		err = st.set(ctx, r.Alias, c)
	case c.Comment != nil:
		err = nameservice.ReviseComment(ctx, st.names, r.Alias, *c.Comment)
	default:
		return checkOwners(st.session, c.Owner)
	}
	st.session.DB.NamesChanged()
	return err
}

// set executes ALTER DATABASE ... SET and RESET.
func (st *statement) set(ctx context.Context, a nameservice.Alias, c *ddlstmt.DatabaseChange) error {
	stored, err := st.session.StoredSetting(c.Setting, c.Current)
	if err != nil {
		return err
	}
	return nameservice.ReviseSettings(ctx, st.names, a, func(settings map[string]string) {
		maps.DeleteFunc(settings, func(n, _ string) bool { return stored.All || strings.EqualFold(n, stored.Name) })
		if !stored.All && !stored.Reset {
			settings[stored.Name] = stored.Value
		}
	})
}
