// Package gateway is one SQL session: what a statement means and where it goes.
// It pins a head, lets resolver find the files of each reference, puts their
// SQL in its place and hands batches to wire. It knows meaning and no bytes of
// the protocol; it reads and writes no object itself.
package gateway

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/auth"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/settings"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/gateway/typeddl"
	"github.com/ontosql/ontosql/gateway/writing"
	"github.com/ontosql/ontosql/pgfunc/datetime"
	"github.com/ontosql/ontosql/wire"
)

// Gateway opens the sessions of the databases of a directory.
type Gateway struct {
	databases Directory
	log       *slog.Logger
	parsed    *parsedTexts
	*session.Peers
}

// Options configures a Gateway.
type Options struct {
	Databases Directory
	Users     *auth.Users // the roles; nil without a users file
	Logger    *slog.Logger
}

// New makes a gateway. Closing the databases is the caller's, after the last session has ended.
func New(o Options) *Gateway {
	return &Gateway{databases: o.Databases, log: o.Logger, parsed: newParsedTexts(), Peers: session.NewPeers(o.Users)}
}

var _ wire.Handler = (*Gateway)(nil)

// address is a database name taken apart: alias[:branch][@point].
type address struct {
	alias, branch, point string
}

func parseAddress(name string) address {
	var a address
	a.alias, a.point, _ = strings.Cut(name, "@")
	a.alias, a.branch, _ = strings.Cut(a.alias, ":")
	return a
}

// Open starts a session (wire.Handler). An unknown alias or branch is 3D000, a
// bad point 22023.
func (g *Gateway) Open(ctx context.Context, start wire.Startup) (wire.Session, []wire.Option, error) {
	a := parseAddress(start.Database)
	point := ontosql.AtHead()
	pinned := strings.Contains(start.Database, "@")
	if pinned {
		var err error
		now := func() time.Time { return time.Now().UTC() }
		if point, err = settings.ReadPoint(a.point, datetime.TimeInput{Now: now}, time.UTC); err != nil {
			return nil, nil, err
		}
	}
	s, err := g.newSession(ctx, a, start)
	if err != nil {
		return nil, nil, sqlstate.Of(ctx, g.log, err)
	}
	if pinned {
		s.Fixed = &point
	}
	if err = s.StartReadAfter(ctx); err == nil {
		err = s.CheckStart(ctx)
	}
	if err != nil {
		s.Close()
		return nil, nil, sqlstate.Of(ctx, g.log, err)
	}
	report := make([]wire.Option, 0, 16)
	for _, d := range s.Settings.Parameters() {
		if d.Reported {
			report = append(report, wire.Option{Name: d.Name, Value: s.Settings.Value(d.Name)})
		}
	}
	g.Add(s.Session)
	return s, report, nil
}

// ChangeSchema carries out a plan; of a dry run the commit is 0. Errors are *pgerr.Error.
func (g *Gateway) ChangeSchema(ctx context.Context, database string, plan *typeddl.SchemaPlan) (*typeddl.ChangedSchema, error) {
	s, err := g.newSession(ctx, address{alias: database}, wire.Startup{Database: database, User: plan.User})
	if err != nil {
		return nil, sqlstate.Of(ctx, g.log, err)
	}
	defer s.Close()
	s.Tx.Explicit, s.Tx.Planned, s.Tx.Began = true, true, time.Now()
	changed, err := writing.CarryOut(ctx, s.Session, plan)
	if err != nil {
		return nil, sqlstate.Of(ctx, g.log, err)
	}
	return changed, nil
}
