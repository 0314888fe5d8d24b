package compat

import (
	"context"
	"testing"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway/gatewaytest"
	"github.com/ontosql/ontosql/maintain/maintaintest"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/writepath"
)

// serveShop serves an ontology of its own with the types of shop, through the
// gateway. At the end of the test the store must satisfy every rule of the
// format.
func serveShop(t *testing.T) (dsn string) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	bucket := mem.New("shop")
	if err := registerShop(ctx, bucket); err != nil {
		t.Fatal(err)
	}
	g, err := gatewaytest.Open(ctx, gatewaytest.Options{Bucket: bucket, Mirror: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Errorf("close the gateway: %v", err)
		}
		maintaintest.Clean(t, bucket)
	})
	return g.Listen(t)
}

// registerShop makes an ontology with two entity types and two relations between
// them, of which one has an instance key.
func registerShop(ctx context.Context, b *mem.Bucket) error {
	if _, err := writepath.Init(ctx, b, writepath.InitOptions{Engine: "v1"}); err != nil {
		return err
	}
	p, err := writepath.NewPublisher(ctx, b, "compat")
	if err != nil {
		return err
	}
	key := func(name string, t format.FieldType) format.SchemaField {
		f := format.NewField(name, t, false)
		f.PrimaryKey = true
		return f
	}
	must, may := func(name string, t format.FieldType) format.SchemaField { return format.NewField(name, t, false) },
		func(name string, t format.FieldType) format.SchemaField { return format.NewField(name, t, true) }
	_, err = p.Register(ctx, time.Now(), []format.Schema{
		{Ref: ontosql.TypeRef{Kind: ontosql.Entity, Name: "Item"}, Fields: []format.SchemaField{
			key("sku", format.FieldInt), must("title", format.FieldStr), may("price", format.FieldDecimal), may("weight", format.FieldFloat),
			may("sold", format.FieldBool), may("added", format.FieldDatetime), may("day", format.FieldDate), may("code", format.FieldUUID),
			may("raw", format.FieldBytes), may("tags", format.FieldJSON), may("stock", format.FieldInt),
		}},
		{Ref: ontosql.TypeRef{Kind: ontosql.Entity, Name: "Shelf"}, Fields: []format.SchemaField{
			key("name", format.FieldStr), must("height", format.FieldInt), may("note", format.FieldStr),
		}},
		{Ref: ontosql.TypeRef{Kind: ontosql.Relation, Name: "Stands"}, Left: "Item", Right: "Shelf", InstanceKey: "slot", Fields: []format.SchemaField{
			must("slot", format.FieldStr), may("since", format.FieldDate), must("places", format.FieldInt),
		}},
		{Ref: ontosql.TypeRef{Kind: ontosql.Relation, Name: "Owns"}, Left: "Shelf", Right: "Item", Fields: []format.SchemaField{
			may("share", format.FieldFloat),
		}},
	})
	if err != nil {
		return err
	}
	return p.Close(ctx)
}

// shopInPostgres are the same tables, with the columns in the order in which
// ontosql shows them.
var shopInPostgres = []string{
	`CREATE TABLE item (sku bigint PRIMARY KEY, added timestamptz, code uuid, day date, price numeric, raw bytea, sold boolean,
		stock bigint, tags jsonb, title text NOT NULL, weight double precision)`,
	`CREATE TABLE shelf (name text PRIMARY KEY, height bigint NOT NULL, note text)`,
	`CREATE TABLE stands (left_key bigint, right_key text, slot text, places bigint NOT NULL, since date, PRIMARY KEY (left_key, right_key, slot))`,
	`CREATE TABLE owns (left_key text, right_key bigint, share double precision, PRIMARY KEY (left_key, right_key))`,
}
