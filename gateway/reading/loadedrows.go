package reading

import (
	"context"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/gateway/relation"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/temptable"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rewrite/scope"
)

// virtual loads the rows of a relation of the schema ontosql into a table for this
// execution.
func (o *Sources) virtual(ctx context.Context, pin *resolver.Pin, r *relation.Relation, need scope.Need, args [][]byte) (string, error) {
	s := o.Session
	b := column.NewBuilder(r.Virtual.Named())
	src := s.Introspection()
	src.Asked = relation.Asked(need, args, s.TimeInput(), s.Zone())
	if err := r.Virtual.Rows(ctx, src, pin, b); err != nil {
		return "", err
	}
	return o.load(ctx, r.Virtual.Named(), b.Batch())
}

// live is the FROM item of a live relation of pg_catalog, with the rows of this moment.
func (o *Sources) live(r *relation.Relation) (string, error) {
	s, name := o.Session, r.Catalog.Name
	batch, err := r.Catalog.Batch(s.LiveRows(name))
	if err != nil {
		return "", err
	}
	offer := s.Moments[name]
	if offer == nil {
		offer = s.DB.Engine.NewVirtualTable(r.Catalog.Columns, int64(batch.Len))
		s.Moments[name] = offer
	}
	offer.SetRows(batch)
	return "SELECT * FROM " + offer.SQL(), nil
}

// load puts rows into a table for this execution.
func (o *Sources) load(ctx context.Context, cols []column.Named, batch *column.Batch) (string, error) {
	table, err := Load(ctx, o.Session, cols, batch)
	if err != nil {
		return "", err
	}
	o.tables, o.Once = append(o.tables, table), true
	return "SELECT * FROM " + table, nil
}

// Load puts rows into a temporary table of the engine, which the caller drops. It returns its
// name for SQL.
func Load(ctx context.Context, s *session.Session, cols []column.Named, batch *column.Batch) (string, error) {
	name := s.Temp.Name("v")
	conn, err := s.FreeConn(ctx)
	if err != nil {
		return "", err
	}
	if err := conn.Load(ctx, temptable.Schema, name, cols, batch); err != nil {
		return "", err
	}
	return temptable.Schema + "." + name, nil
}
