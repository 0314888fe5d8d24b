package nameservicetest

import (
	"fmt"

	"github.com/ontosql/ontosql/nameservice"
)

// legacy is a record of version 1, with a member that nobody knows.
const legacy = `{"ledger_alias":"shop:main","ledger_name":"shop","branch":"main","commit_address":"fluree:s3://b/t42.json","commit_t":42,` +
	`"index_address":"fluree:s3://b/i40.avro","index_t":40,"default_context_address":"fluree:s3://b/c.json","status":"ready",` +
	`"updated_at":1705312200,"owner":{"team":7}}`

// mapped is what version 2 makes of it.
const mapped = `{"pk":"shop:main","v":2,"type":"ledger","name":"shop","branch":"main","deps":null,"created_at":1705312200,"retracted":false,` +
	`"head_v":42,"head":{"address":"fluree:s3://b/t42.json","t":42},` +
	`"index_v":1,"index":{"default":{"address":"fluree:s3://b/i40.avro","t":40,"rev":0}},` +
	`"status_v":1,"status":{"state":"ready"},"config_v":1,"config":{"default_context":"fluree:s3://b/c.json"},"owner":{"team":7}}`

func (w *world) plant(record string) {
	w.Helper()
	if w.store.Plant == nil {
		w.Skip("nobody else writes this store")
	}
	w.store.Plant(shop, record)
}

// wantRecord compares a record with JSON, as another process reads it.
func (w *world) wantRecord(story, want string, legacy bool) {
	w.Helper()
	r, err := w.store.Open().Get(w.Context(), shop)
	if err != nil {
		w.Fatalf("%s: Get: %v", story, err)
	}
	got := r.Members()
	if !nameservice.EqualPayloads(got.Encode(), []byte(want)) {
		w.Errorf("%s:\n got %s\nwant %s", story, got.Encode(), want)
	}
	if r.Legacy != legacy {
		w.Errorf("%s: stored as version 1: %v, want %v", story, r.Legacy, legacy)
	}
}

func testLegacyRead(w *world) {
	w.plant(legacy)
	w.wantRecord("a record of version 1", mapped, true)
	list, err := w.List(w.Context(), nameservice.Ledger)
	if err != nil || len(list) != 1 || !list[0].Legacy {
		w.Errorf("List: got %q, %v; want the record, of version 1", pks(list), err)
	}
	w.store.Plant(shop, `{"ledger_alias":"shop","ledger_name":"shop","status":"retracted"}`)
	w.wantRecord("a record without data or branch", `{"pk":"shop:main","v":2,"type":"ledger","name":"shop","branch":"main","deps":null,"created_at":0,`+
		`"retracted":true,"head_v":0,"head":null,"index_v":0,"index":null,"status_v":1,"status":{"state":"retracted"},"config_v":0,"config":null}`, true)
}

// testLegacyWrite: the first write of any concern stores the whole record as version 2.
func testLegacyWrite(w *world) {
	for _, c := range nameservice.Concerns {
		w.plant(legacy)
		r := w.get(shop)
		next := value(r.Value(c).V+1, `{"new":true}`)
		if result := w.write(shop, nameservice.NewPush(c, value(r.Value(c).V+5, ""), value(100, `{}`))); result.Updated {
			w.Errorf("a stale push of %s was accepted", c)
		}
		w.wantRecord("a refused push of "+c.String(), mapped, true)
		w.mustWrite(shop, nameservice.NewPush(c, r.Value(c), next))
		nameservice.NewFastForward(c, next).Apply(r)
		w.wantRecord("the first write of "+c.String(), string(r.Members().Encode()), false)
	}
}

func testLegacyMigrate(w *world) {
	w.plant(legacy)
	for round, want := range []bool{true, false} {
		if did, err := w.Migrate(w.Context(), shop); did != want || err != nil {
			w.Errorf("migration %d: got %v, %v; want %v", round, did, err, want)
		}
		w.wantRecord(fmt.Sprint("migration ", round), mapped, false)
	}
	_, err := w.Migrate(w.Context(), nameservice.Alias{Name: "none", Branch: "main"})
	w.wantError("migration of nothing", err, nameservice.ErrNotFound)
	_, err = w.Create(w.Context(), nameservice.New{Alias: shop})
	w.wantError("Create over a migrated record", err, nameservice.ErrExists)
}
