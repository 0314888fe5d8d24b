package gateway

import (
	"context"
	"fmt"

	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/resolver"
)

// prepareCatalog makes pg_catalog and its functions show the catalog of the pin, if the
// plan reads them.
func (s *Session) prepareCatalog(ctx context.Context, pin *resolver.Pin, p *planner.Plan) error {
	if !p.Catalog {
		return nil
	}
	shown, err := s.db.AcquireCatalog(ctx, pin.Catalog, s.peers.Superuser)
	if err != nil {
		return err
	}
	s.releaseCatalog(ctx)
	s.shown = shown
	return s.setView(ctx, shown.View(s.Resolver().NamedPath()))
}

// releaseCatalog releases the version of pg_catalog that the transaction has read.
func (s *Session) releaseCatalog(ctx context.Context) {
	if s.shown == nil {
		return
	}
	if err := s.db.ReleaseCatalog(context.WithoutCancel(ctx), s.shown); err != nil {
		s.log.WarnContext(ctx, "tables of the catalog stay", "error", err)
	}
	s.shown = nil
}

// setView sets what the functions of pg_catalog answer from.
func (s *Session) setView(ctx context.Context, v *pgcatalog.View) error {
	if s.view == v {
		return nil
	}
	conn, err := s.freeConn(ctx) // an open stream still asks the old view
	if err != nil {
		return err
	}
	if s.view == nil {
		if err := conn.Exec(ctx, fmt.Sprintf("SET VARIABLE %s = %d", pgcatalog.SessionVariable, s.serial)); err != nil {
			return err
		}
	}
	s.prepared.clear() // what the engine found when it planned
	s.db.SetView(s.serial, v)
	s.view = v
	return nil
}

// withCTIDs adds a column of ctids to the rows of a relation of pg_catalog, as if all
// rows were in the first page of a heap.
func withCTIDs(source, name string) string {
	return "(SELECT *, '(0,' || row_number() OVER () || ')' AS " + duckdb.Ident(name) + " FROM " + source + ")"
}
