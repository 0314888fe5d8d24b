package databaseddl

import (
	"context"
	"errors"
	"time"

	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/nameservice"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
)

// drop executes DROP DATABASE: it takes the record out of service. The data stays.
func (st *statement) drop(ctx context.Context, d *ddlstmt.DropDatabase) error {
	s := st.session
	r, err := st.find(ctx, d.Name)
	var unknown *pgerr.Error
	switch {
	case d.IfExists && errors.As(err, &unknown) && unknown.Code == pgerr.InvalidCatalogName:
		s.Notice(sqlstate.Notice("database %q does not exist, skipping", d.Name))
		return nil
	case err != nil:
		return err
	}
	if err := st.checkOwner(ctx, d.Name); err != nil {
		return err
	}
	switch {
	case s.DB.Is(r.Alias):
		return pgerr.New(pgerr.ObjectInUse, "cannot drop the currently open database")
	}
	others := st.sessionsOf(r.Alias)
	if len(others) > 0 && !d.Force {
		e := pgerr.New(pgerr.ObjectInUse, "database %q is being accessed by other users", d.Name)
		if len(others) == 1 {
			return e.WithDetail("There is 1 other session using the database.")
		}
		return e.WithDetail("There are %d other sessions using the database.", len(others))
	}
	err = nameservice.Retract(ctx, st.names, r.Alias, "DROP DATABASE by "+s.SessionUser(), time.Now())
	s.DB.NamesChanged()
	if err != nil {
		return err
	}
	for _, other := range others {
		if other.Start.Terminate != nil {
			other.Start.Terminate(pgerr.New(pgerr.AdminShutdown, "terminating connection due to administrator command"))
		}
	}
	return nil
}

// sessionsOf are the sessions of a database at this gateway.
func (st *statement) sessionsOf(a nameservice.Alias) (found []*session.Session) {
	for _, other := range st.session.Peers.Running() {
		if other.DB.Is(a) {
			found = append(found, other)
		}
	}
	return found
}
