package transfer_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/fixtures"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/transfer"
	"github.com/ontosql/ontosql/writepath"
)

// TestPlanIsOvertaken makes a plan, lets another writer commit one of its rows, and
// makes it again from what came since: as the policy says, and with what the store
// has now.
func TestPlanIsOvertaken(t *testing.T) {
	b := &mem.Bucket{}
	fixtures.Load(t, b, "s3-v1/stage3-final")
	before := bucketSource(t, b)
	path := filepath.Join(t.TempDir(), "products.jsonl")
	lines := `{"type_kind":"entity","type_name":"product","fields":{"sku":7,"title":"Widget","price":3}}
{"type_kind":"entity","type_name":"product","fields":{"sku":70,"title":"New","price":1}}
{"type_kind":"entity","type_name":"product","fields":{"sku":71,"title":"Newer","price":1}}
`
	if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	records, err := transfer.ReadRecords(t.Context(), before.Pin(), []string{path}, t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer records.Close()
	if err := records.FindStored(t.Context(), before, 0, transfer.Update); err != nil {
		t.Fatal(err)
	}
	if got, want := records.Plan(transfer.Abort, transfer.Precondition{}), (transfer.Counts{Total: 3, Inserts: 2, Conflicts: 1}); got != want {
		t.Errorf("the plan is %+v, want %+v", got, want)
	}
	if got, want := records.Plan(transfer.Upsert, transfer.Precondition{}), (transfer.Counts{Total: 3, Inserts: 2, Updates: 1}); got != want {
		t.Errorf("the plan is %+v, want %+v", got, want)
	}
	commit := func(tx writepath.Tx) (writepath.Outcome, error) {
		c := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "w"})
		defer c.Close(t.Context())
		return c.Commit(t.Context(), tx)
	}
	mine := records.Data()
	other := mine[0]
	other.Rows = func(yield func(writepath.Row, error) bool) {
		yield(writepath.Row{Row: format.Row{Key: "70", Fields: []byte(`{"price":1.0,"sku":70,"title":"Theirs"}`)}}, nil)
	}
	if _, err := commit(writepath.Tx{Pin: 8, Data: []writepath.Data{other}}); err != nil {
		t.Fatal(err)
	}
	var conflict *writepath.ConflictError
	if _, err := commit(writepath.Tx{Pin: 8, Data: mine}); !errors.As(err, &conflict) || conflict.Key != "70" {
		t.Fatalf("the plan that was overtaken: %v, want a conflict on 70", err)
	}
	now := bucketSource(t, b)
	if err := records.FindStored(t.Context(), now, before.Pin().Head.Commit, transfer.Update); err != nil {
		t.Fatal(err)
	}
	nine := ontosql.CommitID(9)
	for _, c := range []struct {
		policy transfer.Conflicts
		pre    transfer.Precondition
		want   transfer.Counts
	}{
		{transfer.Abort, transfer.Precondition{}, transfer.Counts{Total: 3, Inserts: 1, Conflicts: 2}},
		{transfer.Skip, transfer.Precondition{}, transfer.Counts{Total: 3, Inserts: 1, Skipped: 2}},
		{transfer.Update, transfer.Precondition{IfCommit: &nine}, transfer.Counts{Total: 3, Inserts: 1, Updates: 1, Conflicts: 1}},
		{transfer.Upsert, transfer.Precondition{}, transfer.Counts{Total: 3, Inserts: 1, Updates: 2}},
	} {
		if got := records.Plan(c.policy, c.pre); got != c.want {
			t.Errorf("%q: %+v, want %+v", c.policy, got, c.want)
		}
	}
	out, err := commit(writepath.Tx{Pin: 9, Data: records.Data()})
	if err != nil || out.Commit != 10 || out.Files[0].RowCount != 2 {
		t.Errorf("it committed %+v, %v; want two rows, for one says what is there", out, err)
	}
}

// BenchmarkReadRecords checks rows of a product.
func BenchmarkReadRecords(b *testing.B) {
	bucket := &mem.Bucket{}
	fixtures.Load(b, bucket, "s3-v1/stage3-final")
	src := bucketSource(b, bucket)
	const rows = 20_000
	var text strings.Builder
	for i := range rows {
		text.WriteString(`{"type_kind": "entity", "type_name": "product", "key": "`)
		n := strconv.Itoa(1_000_000 + i)
		text.WriteString(n + `", "fields": {"price": 12.5, "sku": ` + n + `, "title": "a product of some length"}}` + "\n")
	}
	path := filepath.Join(b.TempDir(), "rows.jsonl")
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		records, err := transfer.ReadRecords(b.Context(), src.Pin(), []string{path}, b.TempDir(), nil)
		if err != nil {
			b.Fatal(err)
		}
		records.Close()
	}
	b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}
