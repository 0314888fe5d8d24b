package gateway

import (
	"context"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/gateway/relation"
	"github.com/ontosql/ontosql/gateway/temptable"
	"github.com/ontosql/ontosql/resolver"
)

// virtual loads the rows of a relation of the schema ontosql into a table for this
// execution.
func (o *sources) virtual(ctx context.Context, pin *resolver.Pin, r *relation.Relation) (string, error) {
	s := o.session
	b := column.NewBuilder(r.Virtual.Named())
	if err := r.Virtual.Rows(ctx, s.introspection(), pin, b); err != nil {
		return "", err
	}
	return o.load(ctx, r.Virtual.Named(), b.Batch())
}

// live is the FROM item of a live relation of pg_catalog, with the rows of this moment.
func (o *sources) live(r *relation.Relation) (string, error) {
	s, name := o.session, r.Catalog.Name
	batch, err := r.Catalog.Batch(s.moment(name))
	if err != nil {
		return "", err
	}
	offer := s.moments[name]
	if offer == nil {
		offer = s.db.Engine.NewVirtualTable(r.Catalog.Columns, int64(batch.Len))
		s.moments[name] = offer
	}
	offer.SetRows(batch)
	return "SELECT * FROM " + offer.SQL(), nil
}

// load puts rows into a table for this execution.
func (o *sources) load(ctx context.Context, cols []column.Named, batch *column.Batch) (string, error) {
	s := o.session
	name := s.temp.Name("v")
	conn, err := s.freeConn(ctx)
	if err != nil {
		return "", err
	}
	if err := conn.Load(ctx, temptable.Schema, name, cols, batch); err != nil {
		return "", err
	}
	table := temptable.Schema + "." + name
	o.tables, o.once = append(o.tables, table), true
	return "SELECT * FROM " + table, nil
}
