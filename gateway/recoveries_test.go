package gateway_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/writepath"
)

// TestRecoveriesRelation shows the recoveries of commits that the session sees. A damaged
// record is an error.
func TestRecoveriesRelation(t *testing.T) {
	asksNoMirror(t)
	h := newHouse(t, nil)
	s, past := h.session(t, "onto"), h.session(t, "onto@40")
	const sql = "SELECT actor, for_actor, commit_id, projection, outcome, at = '2026-01-02 03:04:05Z' FROM ontosql.recoveries ORDER BY commit_id"
	if got := must(t, s, sql); len(got) != 0 {
		t.Errorf("a store without a record has %q", got)
	}
	at := format.TimeOf(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	put := func(body []byte) {
		t.Helper()
		if _, err := h.bucket.Put(t.Context(), format.RecoveriesKey, body); err != nil {
			t.Fatal(err)
		}
	}
	put(format.EncodeRecoveries([]format.Recovery{
		{Actor: format.RecoveryActor, At: at, Commit: 7, ForActor: "ann", Outcome: format.RecoveryWritten, Projection: format.RegistryKey},
		{Actor: format.RecoveryActor, At: at, Commit: 50, Outcome: format.RecoveryForeign, Projection: format.TypesKey},
	}))
	rows := []string{
		"ontosql:recovery|ann|7|meta/schema/registry.json|written|true",
		"ontosql:recovery|NULL|50|meta/schema/types.json|foreign change kept|true",
	}
	if got := must(t, s, sql); !slices.Equal(got, rows) {
		t.Errorf("ontosql.recoveries has %q, want %q", got, rows)
	}
	if got := must(t, past, sql); !slices.Equal(got, rows[:1]) {
		t.Errorf("at commit 40 ontosql.recoveries has %q, want %q", got, rows[:1])
	}
	put([]byte(`{"recoveries":[{"actor":`))
	if e := refused(t, s, "XX001", sql); !strings.Contains(e.Message, format.RecoveriesKey) || e.Hint == "" {
		t.Errorf("a damaged record: %q, hint %q", e.Message, e.Hint)
	}
	if err := h.bucket.Delete(t.Context(), format.RecoveriesKey); err != nil {
		t.Fatal(err)
	}
	if got := must(t, s, sql); len(got) != 0 {
		t.Errorf("a store whose record was removed has %q", got)
	}
}

// TestOpenGatewayHeals lets another writer change a type and takes back what it wrote behind the
// head, as if it had died there. Sessions that were open before see the change, and the next write
// of one of them completes it.
func TestOpenGatewayHeals(t *testing.T) {
	for name, write := range map[string]string{
		"INSERT":       "INSERT INTO store (code, city, open) VALUES ('h-1', 'Riga', true)",
		"UPDATE":       "UPDATE customer SET name = 'Healed' WHERE id = 'c1'",
		"ALTER TABLE":  "ALTER TABLE store ADD COLUMN floor bigint",
		"CREATE TABLE": "CREATE TABLE shed (id text PRIMARY KEY)",
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t, nil)
			s := h.session(t, "onto")
			ref := ontosql.TypeRef{Kind: ontosql.Entity, Name: "Store"}
			before := map[string][]byte{}
			for _, key := range []string{format.RegistryKey, format.VersionsKey(ref)} {
				body, _, err := h.bucket.Get(t.Context(), key)
				if err != nil {
					t.Fatal(err)
				}
				before[key] = body
			}
			another := writepath.Open(writepath.Options{Bucket: h.bucket, RuntimeID: "another"})
			_, err := another.Commit(t.Context(), writepath.Tx{Actor: "ann", Schema: func(s *migration.State) error {
				schema, err := format.DecodeSchema("", ref.Name, s.Types[ref])
				if err != nil {
					return err
				}
				schema.Fields = append(schema.Fields, format.NewField("width", format.FieldInt, true))
				return s.Migrate(1, schema, nil, migration.ReasonMigration)
			}})
			if err := errors.Join(err, another.Close(t.Context())); err != nil {
				t.Fatal(err)
			}
			for key, body := range before {
				if _, err := h.bucket.Put(t.Context(), key, body); err != nil {
					t.Fatal(err)
				}
			}
			if got := must(t, s, "SELECT count(*), count(width) FROM store"); !slices.Equal(got, []string{"4|0"}) {
				t.Errorf("the changed type has %q rows and widths", got)
			}
			must(t, s, write)
			told := []string{"ann|meta/schema/registry.json|written", "ann|meta/schema/versions/entity/Store.json|written"}
			const sql = "SELECT for_actor, projection, outcome FROM ontosql.recoveries WHERE outcome = 'written' ORDER BY projection"
			for end := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
				got := must(t, s, sql)
				if slices.Equal(got, told) {
					break
				}
				if time.Now().After(end) {
					t.Fatalf("after %s ontosql.recoveries has %q, want %q", write, got, told)
				}
			}
			must(t, s, "INSERT INTO store (code, city, open) VALUES ('h-2', 'Riga', true)")
			if got := must(t, s, sql); !slices.Equal(got, told) {
				t.Errorf("after the next write ontosql.recoveries has %q", got)
			}
		})
	}
}
