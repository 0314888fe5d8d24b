package schemas

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/fixtures"
	"github.com/ontosql/ontosql/internal/original"
	"github.com/ontosql/ontosql/objstore/mem"
)

// continuation is one turn of ours at a store of the original.
type continuation struct {
	do    []string
	wants map[string][]string // what queries then answer
}

// turns are what we do where the original migrated Customer, and at the last stage
// dropped Scratch. Between them the original writes a customer and a product.
var turns = []continuation{
	{
		do: []string{
			"ALTER TABLE customer ALTER COLUMN age TYPE text USING 'a' || age, ADD COLUMN vip boolean NOT NULL DEFAULT false, DROP COLUMN tier",
			"SET ontosql.purge_history = on",
			"DROP TABLE IF EXISTS scratch",
			`CREATE TABLE "Scratch" (id text PRIMARY KEY, n bigint)`,
			"INSERT INTO scratch VALUES ('ours', 1)",
			"DROP TABLE follows",
			"COMMENT ON TABLE product IS 'What is sold.'",
		},
		wants: map[string][]string{
			"SELECT count(*) FILTER (WHERE age NOT LIKE 'a%' OR vip IS DISTINCT FROM false) FROM customer": {"0"},
			"SELECT id, n FROM scratch": {"ours|1"},
			"SELECT DISTINCT schema_version_id FROM history.customer ORDER BY 1": {"1", "2", "3"},
		},
	},
	{
		do: []string{
			"BEGIN",
			"ALTER TABLE customer ALTER COLUMN age TYPE bigint USING substr(age, 2)::bigint",
			"ALTER TABLE product RENAME COLUMN title TO label",
			`CREATE TABLE "Follows" (left_key text REFERENCES customer, right_key text REFERENCES customer, since date, PRIMARY KEY (left_key, right_key))`,
			"INSERT INTO follows SELECT min(id), max(id), '2026-01-02' FROM customer",
			"COMMIT",
			"ALTER TABLE scratch ALTER COLUMN n TYPE text",
			"ALTER TABLE scratch RENAME COLUMN id TO key",
		},
		wants: map[string][]string{
			"SELECT age, vip FROM customer WHERE id = 'theirs'": {"40|true"},
			"SELECT label FROM product WHERE sku = 4711":        {"theirs"},
			"SELECT key, n FROM scratch":                        {"ours|1"},
			"SELECT count(*), max(since)::text FROM follows":    {"1|2026-01-02"},
		},
	},
}

// TestContinueSchemas runs DDL on stores in which the original migrated and dropped types: we
// migrate the types that it migrated, create the types that it dropped, and drop other types.
// After each turn the original reads and continues the store, and the state at every earlier
// point is unchanged.
func TestContinueSchemas(t *testing.T) {
	for _, name := range fixtures.Stores {
		if strings.HasSuffix(name, "stage0-init") || strings.HasSuffix(name, "stage1-commits") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			disk := mem.New("onto")
			fixtures.Load(t, disk, name)
			agree(t, disk)
			past := pastOf(t, disk)
			for i, turn := range turns {
				if err := doAll(t.Context(), disk, turn.do); err != nil {
					t.Fatal(err)
				}
				agree(t, disk)
				asks(t, disk, turn.wants)
				if diff := cmp.Diff(past, pastOf(t, disk)[:len(past)]); diff != "" {
					t.Errorf("after turn %d the past is another one (-before +after):\n%s", i+1, diff)
				}
				if i > 0 {
					continue
				}
				theirTurn(t, disk)
				agree(t, disk)
			}
		})
	}
}

// pastOf is what the points up to the head show of what no turn changes.
func pastOf(t *testing.T, disk *mem.Bucket) (past []string) {
	t.Helper()
	s := reader(t, disk)
	head, err := s.ask("SELECT max(commit_id) FROM ontosql.commits")
	if err != nil {
		t.Fatal(err)
	}
	for point := 1; fmt.Sprint(point-1) != head[0]; point++ {
		rows, err := s.ask(fmt.Sprintf(`SELECT 'customer ' || id || ' ' || name || ' ' || coalesce(email, '-') FROM as_of.customer(%[1]d)
			UNION ALL SELECT 'product ' || sku || ' ' || price FROM as_of.product(%[1]d)
			UNION ALL SELECT 'purchase ' || left_key || right_key || order_no || ' ' || qty FROM as_of.purchase(%[1]d) ORDER BY 1`, point))
		if err != nil {
			t.Fatal(err)
		}
		past = append(past, strings.Join(rows, "\n"))
	}
	return past
}

func reader(t *testing.T, disk *mem.Bucket) *session {
	t.Helper()
	s, err := gateOver(t, disk).session(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func asks(t *testing.T, disk *mem.Bucket, wants map[string][]string) {
	t.Helper()
	s := reader(t, disk)
	for sql, want := range wants {
		if got, err := s.ask(sql); err != nil || !cmp.Equal(want, got) {
			t.Errorf("%s: %q, %v, want %q", sql, got, err, want)
		}
	}
}

// theirTurn lets the original write rows under the schemas that we left.
func theirTurn(t *testing.T, disk *mem.Bucket) {
	t.Helper()
	w := &original.Writer{Bucket: disk, Owner: "original"}
	customer, product := ontosql.TypeRef{Kind: ontosql.Entity, Name: "Customer"}, ontosql.TypeRef{Kind: ontosql.Entity, Name: "product"}
	_, err := w.Commit(t.Context(), func(*format.Head) ([]original.Data, error) {
		return []original.Data{
			{Type: customer, Rows: []format.Row{{Key: "theirs", Fields: []byte(
				`{"active":true,"address":null,"age":"a40","attrs":{},"email":null,"id":"theirs","name":"Theirs","tags":[],"vip":true,"visits":[]}`)}}},
			{Type: product, Rows: []format.Row{{Key: "4711", Fields: []byte(`{"price":1.5,"sku":4711,"title":"theirs"}`)}}},
		}, nil
	})
	if err != nil || w.IndexWarning != nil {
		t.Fatalf("the original: %v, %v", err, w.IndexWarning)
	}
}
