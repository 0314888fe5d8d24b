package session

import (
	"context"
	"fmt"

	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/resolver"
)

// PrepareCatalog makes pg_catalog and its functions show the catalog of the pin, if the
// plan reads them.
func (s *Session) PrepareCatalog(ctx context.Context, pin *resolver.Pin, p *planner.Plan) error {
	if !p.Catalog {
		return nil
	}
	shown, err := s.DB.AcquireCatalog(ctx, pin.Catalog, s.Roles(), s.ordinaryTables())
	if err != nil {
		return err
	}
	s.ReleaseCatalog(ctx)
	s.Shown = shown
	return s.setView(ctx, shown.View(s.Resolver().CatalogPath()))
}

// ReleaseCatalog releases the version of pg_catalog that the transaction has read.
func (s *Session) ReleaseCatalog(ctx context.Context) {
	if s.Shown == nil {
		return
	}
	if err := s.DB.ReleaseCatalog(context.WithoutCancel(ctx), s.Shown); err != nil {
		s.Log.WarnContext(ctx, "tables of the catalog stay", "error", err)
	}
	s.Shown = nil
}

// setView sets what the functions of pg_catalog answer from.
func (s *Session) setView(ctx context.Context, v *pgcatalog.View) error {
	if s.view == v {
		return nil
	}
	conn, err := s.FreeConn(ctx) // an open stream still asks the old view
	if err != nil {
		return err
	}
	if s.view == nil {
		if err := conn.Exec(ctx, fmt.Sprintf("SET VARIABLE %s = %d", pgcatalog.SessionVariable, s.Serial)); err != nil {
			return err
		}
	}
	s.Prepared.Clear() // what the engine found when it planned
	s.DB.SetView(s.Serial, v)
	s.view = v
	return nil
}

// WithCTIDs adds a column of ctids to the rows of a relation of pg_catalog, as if all
// rows were in the first page of a heap.
func WithCTIDs(source, name string) string {
	return "(SELECT *, row_number() OVER () AS " + duckdb.Ident(name) + " FROM " + source + ")"
}
