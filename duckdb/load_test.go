package duckdb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/ontosql/ontosql/column"
)

// rowsOf returns batches of rows and then an error.
type rowsOf struct {
	batch *column.Batch
	left  int
	end   error
}

func (r *rowsOf) Next(context.Context) (*column.Batch, error) {
	if r.left == 0 {
		return nil, r.end
	}
	r.left--
	return r.batch, nil
}

var versionColumns = []column.Named{
	{Name: "entity_key", Type: column.Type{Kind: column.Text}},
	{Name: "fields_json", Type: column.Type{Kind: column.Text}},
	{Name: "commit_id", Type: column.Type{Kind: column.Int64}},
	{Name: "schema_version_id", Type: column.Type{Kind: column.Int64}},
}

func versionBatch(n int) *column.Batch {
	b := column.NewBuilder(versionColumns)
	for i := range n {
		var version any
		if i%2 == 0 {
			version = int64(i)
		}
		b.Append(fmt.Sprintf("k%d", i), fmt.Sprintf(`{"balance":%d.5,"id":"k%d","name":"number %d","tier":"gold"}`, i, i, i), int64(i), version)
	}
	return b.Batch()
}

// TestLoadFrom loads the rows of a source, all or none.
func TestLoadFrom(t *testing.T) {
	c := connect(t, openEngine(t, Options{}))
	texts := column.NewBuilder(versionColumns)
	for _, text := range []string{"", "a", "twelve bytes", "thirteen byte", "Ålice 12345", "長い名前です、とても", strings.Repeat("x", 100_000), "a\x00b"} {
		texts.Append(text, text, int64(len(text)), nil)
	}
	if err := c.LoadFrom(t.Context(), "s", "texts", versionColumns, &rowsOf{texts.Batch(), 2, io.EOF}); err != nil {
		t.Fatal(err)
	}
	const wrong = "SELECT count(*) || ' ' || count(*) FILTER (WHERE entity_key <> fields_json OR strlen(entity_key) <> commit_id OR schema_version_id IS NOT NULL) FROM s.texts"
	if got := one(t, c, wrong); got != "16 0" {
		t.Errorf("texts and wrong texts: %s, want 16 0", got)
	}
	if err := c.LoadFrom(t.Context(), "s", "many", versionColumns, &rowsOf{versionBatch(5000), 3, io.EOF}); err != nil {
		t.Fatal(err)
	}
	const sums = "SELECT count(*) || ' ' || count(DISTINCT entity_key) || ' ' || sum(commit_id) || ' ' || count(schema_version_id) || ' ' || sum(json_extract_string(fields_json, '$.balance')::DOUBLE) FROM s.many"
	if got := one(t, c, sums); got != "15000 5000 37492500 7500 37500000.0" {
		t.Errorf("the sum of the rows is %s", got)
	}
	lost := errors.New("the cursor broke")
	if err := c.LoadFrom(t.Context(), "s", "half", versionColumns, &rowsOf{versionBatch(5000), 50, lost}); !errors.Is(err, lost) {
		t.Errorf("a failing source: %v, want its error", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("the client has gone")
	cancel(gone)
	if err := c.LoadFrom(ctx, "s", "none", versionColumns, &rowsOf{versionBatch(10), 50, io.EOF}); !errors.Is(err, gone) {
		t.Errorf("a cancelled load: %v, want %v", err, gone)
	}
	if got := one(t, c, "SELECT string_agg(table_name, ' ' ORDER BY table_name) FROM duckdb_tables() WHERE schema_name = 's'"); got != "many texts" {
		t.Errorf("the tables are %q, want many texts", got)
	}
}

// TestLoadTextsOfAllLengths loads texts that are stored inline, copied in batches, and copied
// alone; the batched ones fill more than one batch.
func TestLoadTextsOfAllLengths(t *testing.T) {
	c := connect(t, openEngine(t, Options{}))
	b := column.NewBuilder(versionColumns)
	for n := range 2000 {
		text := strings.Repeat(fmt.Sprintf("%d ", n), 1+n)[:n]
		if n%7 == 0 {
			text = strings.Repeat("é", n)
		}
		b.Append(text, text+text, int64(len(text)), nil)
	}
	if err := c.Load(t.Context(), "s", "texts", versionColumns, b.Batch()); err != nil {
		t.Fatal(err)
	}
	const wrong = "SELECT count(*) || ' ' || count(*) FILTER (WHERE fields_json <> entity_key || entity_key OR strlen(entity_key) <> commit_id OR entity_key <> left(repeat(CASE WHEN i % 7 = 0 THEN 'é' ELSE i || ' ' END, i + 1), i)) FROM (SELECT *, rowid AS i FROM s.texts)"
	if got := one(t, c, wrong); got != "2000 0" {
		t.Errorf("texts and wrong texts: %s, want 2000 0", got)
	}
}

// one returns the single value of a query.
func one(t *testing.T, c *Conn, sql string) (text string) {
	t.Helper()
	if err := c.Each(t.Context(), sql, nil, func(b *column.Batch, i int) { text = string(b.Cols[0].Str[i]) }); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return text
}

// BenchmarkLoadFrom loads a million versions.
func BenchmarkLoadFrom(b *testing.B) {
	c := connect(b, openEngine(b, Options{}))
	batch := versionBatch(2048)
	b.SetBytes(1)
	for b.Loop() {
		if err := c.LoadFrom(b.Context(), "s", "many", versionColumns, &rowsOf{batch, 488, io.EOF}); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		if err := c.Exec(b.Context(), "DROP TABLE s.many"); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(488*2048), "ns/row")
}
