package commit_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ontosql/ontosql/sqlite/sqlitetest"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/writepath"
)

// TestWritesToTheOriginalsFile does everything that a commit can do to a file that
// the original wrote, and then holds the file against what the original demands of
// one when it opens it (COMPAT 1.3, 3 and 4).
func TestWritesToTheOriginalsFile(t *testing.T) {
	customer := ontosql.TypeRef{Kind: ontosql.Entity, Name: "Customer"}
	product := ontosql.TypeRef{Kind: ontosql.Entity, Name: "product"}
	purchase := ontosql.TypeRef{Kind: ontosql.Relation, Name: "Purchase"}
	follows := ontosql.TypeRef{Kind: ontosql.Relation, Name: "Follows"}
	for _, name := range []string{sqlitetest.FileV1, sqlitetest.FileV2} {
		t.Run(name, func(t *testing.T) {
			path := sqlitetest.Fixture(t, name)
			var events, before []string
			for _, table := range []string{"events", "event_claims", "dead_letters", "sessions"} {
				events = append(events, "SELECT '"+table+"', * FROM "+table)
				before = append(before, sqlitetest.Ask(t, path, events[len(events)-1])...)
			}
			s := openSite(t, path)
			row := func(r format.Row, fields string) writepath.Row {
				r.Fields = []byte(fields)
				return writepath.Row{Row: r}
			}
			data := func(ref ontosql.TypeRef, version int64, rows ...writepath.Row) writepath.Data {
				return writepath.Data{Type: ref, SchemaVersion: version, Rows: inOrder(rows)}
			}
			s.must(writepath.Tx{Pin: 7, Data: []writepath.Data{
				data(customer, 2, row(format.Row{Key: "c1"}, `{"active":true,"address":null,"age":31,"attrs":{"a":2,"z":1},"email":null,"id":"c1","name":"\u00c5lice","tags":[],"tier":"Gold","visits":[]}`)),
				data(purchase, 1, row(format.Row{Left: "c1", Right: "7", Instance: "o9"}, `{"qty":3}`)),
				data(follows, 1, row(format.Row{Left: "c1", Right: "c3"}, `{}`)),
			}})
			sqlitetest.Told(t, "rows of commit 8", append(
				sqlitetest.Ask(t, path, "SELECT entity_type, entity_key, fields_json, schema_version_id FROM entity_history WHERE commit_id = 8"),
				sqlitetest.Ask(t, path, "SELECT relation_type, left_key, right_key, instance_key, fields_json, schema_version_id FROM relation_history WHERE commit_id = 8")...),
				`Customer|c1|{"id": "c1", "name": "\u00c5lice", "age": 31, "active": true, "email": null, "tags": [], "attrs": {"a": 2, "z": 1}, "address": null, "visits": [], "tier": "Gold"}|2`,
				`Purchase|c1|7|o9|{"qty": 3}|1`, `Follows|c1|c3||{}|1`)

			// A conflict with what the original wrote.
			_, err := s.Commit(t.Context(), writepath.Tx{Pin: 4, Data: []writepath.Data{data(customer, 2, row(format.Row{Key: "c3"}, `{"id":"c3"}`))}})
			if !says(err, &writepath.ConflictError{Type: customer, Key: "c3", Actual: 5}) {
				t.Errorf("got %v, want a conflict with commit 5", err)
			}
			// The original dropped Scratch in commit 7.
			_, err = s.Commit(t.Context(), writepath.Tx{Pin: 6, Data: []writepath.Data{data(ontosql.TypeRef{Kind: ontosql.Entity, Name: "Scratch"}, 1, row(format.Row{Key: "s"}, `{"id":"s"}`))}})
			if !says(err, &writepath.SchemaChangedError{Type: ontosql.TypeRef{Kind: ontosql.Entity, Name: "Scratch"}, Expected: 1}) {
				t.Errorf("got %v, want a schema that changed", err)
			}

			order := func(ref ontosql.TypeRef) string {
				text := sqlitetest.Ask(t, path, "SELECT schema_json FROM schema_registry WHERE type_name = ?", ref.Name)[0]
				return strings.Join(fieldsIn(t, text), " ")
			}
			customers := order(customer)
			tx := creates(8, thing)
			create := tx.Schema
			tx.Schema = func(state *migration.State) error {
				schema, err := format.DecodeSchema("test", "product", state.Types[product])
				if err != nil {
					return err
				}
				schema.Fields = append(schema.Fields, format.NewField("colour", format.FieldStr, true), format.NewField("age", format.FieldInt, true))
				return errors.Join(create(state), state.Migrate(1, schema, nil, migration.ReasonMigration),
					state.Drop(follows, true))
			}
			tx.Data = []writepath.Data{data(product, 2, row(format.Row{Key: "7"}, `{"age":null,"colour":"red","price":3.0,"sku":7,"title":"Widget"}`))}
			s.must(tx)
			sqlitetest.Told(t, "the product", sqlitetest.Ask(t, path, "SELECT fields_json FROM entity_history WHERE commit_id = 9"),
				`{"sku": 7, "title": "Widget", "price": 3.0, "age": null, "colour": "red"}`)
			if got, want := order(product), "sku title price age colour"; got != want {
				t.Errorf("the fields of product are %s, want %s", got, want)
			}
			if got := order(customer); got != customers {
				t.Errorf("the fields of Customer are %s, were %s", got, customers)
			}
			for _, v := range sqlitetest.Ask(t, path, "SELECT schema_version_id, type_name, schema_hash, schema_json FROM schema_versions") {
				parts := strings.SplitN(v, "|", 4)
				canonical, err := format.Canonicalize([]byte(parts[3]))
				if err != nil {
					t.Fatal(err)
				}
				if sum := sha256.Sum256(canonical); hex.EncodeToString(sum[:]) != parts[2] {
					t.Errorf("version %s of %s has the hash %s", parts[0], parts[1], parts[2])
				}
			}
			sqlitetest.Told(t, "current layouts", sqlitetest.Ask(t, path, currentLayouts(name)), map[string][]string{
				sqlitetest.FileV1: nil,
				sqlitetest.FileV2: {"entity|Customer|2|4", "entity|product|2|9", "relation|Purchase|1|1", "relation|Subscription|1|1"},
			}[name]...)
			var after []string
			for _, query := range events {
				after = append(after, sqlitetest.Ask(t, path, query)...)
			}
			sqlitetest.Told(t, "events", after, before...)
			sqlitetest.Sound(t, path)
		})
	}
}

func currentLayouts(name string) string {
	if name == sqlitetest.FileV1 {
		return "SELECT 1 FROM sqlite_schema WHERE name = 'type_layout_catalog'"
	}
	return "SELECT type_kind, type_name, schema_version_id, activation_commit_id FROM type_layout_catalog WHERE is_current = 1 ORDER BY 1, 2"
}

// fieldsIn are the fields of a registered schema in their order.
func fieldsIn(t *testing.T, text string) []string {
	t.Helper()
	v, err := format.ParseJSON([]byte(text))
	if err != nil {
		t.Fatal(fmt.Errorf("%s: %w", text, err))
	}
	fields, _ := v.Get("fields")
	return fields.Names()
}
