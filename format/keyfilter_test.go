package format_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/ontosql/ontosql/format"
)

// TestKeyFilter: a file of several row groups may have each of its keys, and few others; a filter that
// is damaged is an error or none.
func TestKeyFilter(t *testing.T) {
	rows := make([]format.Row, 250_000)
	for i := range rows {
		rows[i] = format.Row{Commit: 7, Key: fmt.Sprintf("k%07d", i*7919%len(rows)), SchemaVersionID: 1, Fields: []byte("{}")}
	}
	path := filepath.Join(t.TempDir(), "a.parquet")
	read := func(body []byte) (*format.KeyFilter, error) {
		if err := os.WriteFile(path, body, 0o600); err != nil {
			t.Fatal(err)
		}
		return format.ReadKeyFilter(path)
	}
	var body bytes.Buffer
	if _, err := format.WriteRows(&body, customer, nil, sequence(rows)); err != nil {
		t.Fatal(err)
	}
	f, err := read(body.Bytes())
	if err != nil || f == nil {
		t.Fatalf("filter %v, %v", f, err)
	}
	others := 0
	for i := range rows {
		if !f.May(rows[i].Key) {
			t.Fatalf("the file has no %s", rows[i].Key)
		}
		if f.May(fmt.Sprint("other", i)) {
			others++
		}
	}
	if most := len(rows) / 10; others > most {
		t.Errorf("%d of %d other keys may be there, want %d at most", others, len(rows), most)
	}
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		damaged := bytes.Clone(body.Bytes())
		for range 20 {
			damaged[len(damaged)-1-r.IntN(400_000)] ^= byte(1 + r.IntN(255))
		}
		if f, err := read(damaged); err == nil && f != nil {
			f.May("k1")
		}
	}
}

// TestKeyFilterOfOneRow: a file whose only row group has one row has no filter, and one that is not there is an
// error.
func TestKeyFilterOfOneRow(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.parquet")
	var body bytes.Buffer
	if _, err := format.WriteRows(&body, customer, nil, sequence([]format.Row{{Commit: 7, Key: "k", SchemaVersionID: 1, Fields: []byte("{}")}})); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, body.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if f, err := format.ReadKeyFilter(path); f != nil || err != nil {
		t.Errorf("a file of one row: %v, %v", f, err)
	}
	if _, err := format.ReadKeyFilter(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("no file: no error")
	}
}
