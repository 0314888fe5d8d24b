package gateway

import (
	"context"
	"fmt"

	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/duckdb"
)

// fillDraft makes the rows of pg_catalog with the transaction's change of the schema.
func (s *Session) fillDraft() (*pgcatalog.Filled, error) {
	d := s.tx.schema
	if d.filled != nil {
		return d.filled, nil
	}
	s.db.catalog.Lock()
	defer s.db.catalog.Unlock()
	filled, err := s.db.fillCatalog(s.tx.pin.Catalog, s.gateway.superuser)
	d.filled = filled
	return filled, err
}

// drafted is a relation of pg_catalog as the transaction's change of the schema
// makes it.
func (o *sources) drafted(ctx context.Context, r *relation) (string, error) {
	filled, err := o.session.fillDraft()
	if err != nil {
		return "", err
	}
	batch := filled.Batches[r.catalog.Table()]
	if batch == nil {
		return "SELECT * FROM " + catalogTable(r.catalog), nil
	}
	return o.load(ctx, r.catalog.Columns, batch)
}

// applyDraft lets the functions of the catalog answer from the transaction's change of
// the schema, or, where draft is nil, from what is committed.
func (s *Session) applyDraft(ctx context.Context, draft *schemaDraft) error {
	if s.shown == draft {
		return nil
	}
	s.prepared.clear() // the engine reads the variable when it plans
	prefix := fmt.Sprintf("c%d_", s.serial)
	if draft == nil {
		if err := s.conn.Exec(ctx, "RESET VARIABLE "+pgcatalog.TablesVariable); err != nil {
			return err
		}
		s.shown = nil
		return s.dropDraft(ctx, prefix)
	}
	filled, err := s.fillDraft()
	if err != nil {
		return err
	}
	var tables []duckdb.Table
	for _, r := range pgcatalog.AskedTables() {
		t := duckdb.Table{Name: prefix + r.Table(), Columns: r.Columns}
		if b := filled.Batches[r.Table()]; b != nil {
			t.Batches = append(t.Batches, b)
		}
		tables = append(tables, t)
	}
	if err := s.conn.LoadAll(ctx, sessionSchema, tables); err != nil {
		return err
	}
	if err := s.conn.Exec(ctx, "SET VARIABLE "+pgcatalog.TablesVariable+" = "+duckdb.Literal(sessionSchema+"."+prefix)); err != nil {
		return err
	}
	s.shown = draft
	return nil
}

func (s *Session) dropDraft(ctx context.Context, prefix string) error {
	for _, r := range pgcatalog.AskedTables() {
		if err := s.conn.Exec(ctx, "DROP TABLE IF EXISTS "+sessionSchema+"."+duckdb.Ident(prefix+r.Table())); err != nil {
			return err
		}
	}
	return nil
}
