package format_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
)

func TestRecoveries(t *testing.T) {
	at := mustTime(t, "2026-01-01T00:00:00Z")
	all := []format.Recovery{
		{Actor: format.RecoveryActor, At: at, Commit: 7, ForActor: "ann", Outcome: format.RecoveryWritten, Projection: format.RegistryKey},
		{Actor: format.RecoveryActor, At: at, Commit: 7, Outcome: format.RecoveryForeign, Projection: format.TypesKey},
	}
	const want = `{"recoveries":[` +
		`{"actor":"ontosql:recovery","at":"2026-01-01T00:00:00.000000+00:00","commit_id":7,"for_actor":"ann","outcome":"written","projection":"meta/schema/registry.json"},` +
		`{"actor":"ontosql:recovery","at":"2026-01-01T00:00:00.000000+00:00","commit_id":7,"outcome":"foreign change kept","projection":"meta/schema/types.json"}]}`
	body := format.EncodeRecoveries(all)
	if string(body) != want {
		t.Errorf("got  %s\nwant %s", body, want)
	}
	got, err := format.DecodeRecoveries(format.RecoveriesKey, body)
	if diff := cmp.Diff(all, got); diff != "" || err != nil {
		t.Errorf("read again (-want +got): %v\n%s", err, diff)
	}
	for _, none := range []string{`{}`, `{"recoveries":7}`, `[]`} {
		if got, err := format.DecodeRecoveries(format.RecoveriesKey, []byte(none)); err != nil || len(got) != 0 {
			t.Errorf("%s: got %v, %v; want none", none, got, err)
		}
	}
	for _, damaged := range []string{`{"recoveries":[7]}`, `{"recoveries":[{"actor":"a","at":"soon"}]}`, `{"recoveries":[`} {
		var corrupt *ontosql.CorruptError
		if _, err := format.DecodeRecoveries(format.RecoveriesKey, []byte(damaged)); !errors.As(err, &corrupt) {
			t.Errorf("%s: %v, want damage", damaged, err)
		}
	}
}

func TestMigrationMetadata(t *testing.T) {
	got, err := json.Marshal(format.MigrationMetadata([]format.Migrated{{Type: ontosql.TypeRef{Kind: ontosql.Relation, Name: "Buys"}, From: 1, To: 2, Rows: 7}}))
	const want = `{"kind":"migration","migrated_types":[{"from_schema_version_id":1,"rows_rewritten":7,"to_schema_version_id":2,"type_kind":"relation","type_name":"Buys"}]}`
	if err != nil || string(got) != want {
		t.Errorf("got  %s, %v\nwant %s", got, err, want)
	}
}
