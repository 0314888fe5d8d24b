package format_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
)

func sequence(rows []format.Row) iter.Seq2[format.Row, error] {
	return func(yield func(format.Row, error) bool) {
		for _, r := range rows {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// write writes a file and checks the result of WriteRows.
func write(t testing.TB, ref ontosql.TypeRef, fields []format.SchemaField, rows []format.Row) string {
	t.Helper()
	var body bytes.Buffer
	written, err := format.WriteRows(&body, ref, format.DataFields(fields), sequence(rows))
	if err != nil {
		t.Fatalf("write: %v", err)
	}
	sum := sha256.Sum256(body.Bytes())
	want := format.Written{SHA256: hex.EncodeToString(sum[:]), Size: int64(body.Len()), Rows: int64(len(rows))}
	if written != want {
		t.Errorf("written: got %+v, want %+v", written, want)
	}
	path := filepath.Join(t.TempDir(), "file.parquet")
	if err := os.WriteFile(path, body.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func fieldsOf(names map[string]format.FieldType) []format.SchemaField {
	var fields []format.SchemaField
	for _, name := range slices.Sorted(maps.Keys(names)) {
		fields = append(fields, format.NewField(name, names[name], true))
	}
	return fields
}

func TestWriteEntities(t *testing.T) {
	fields := fieldsOf(map[string]format.FieldType{
		"id": format.FieldStr, "age": format.FieldInt, "score": format.FieldFloat, "active": format.FieldBool,
		"born": format.FieldDate, "tags": format.FieldJSON, "Commit_ID": format.FieldStr, "x": format.FieldStr, "X": format.FieldStr,
	})
	rows := []format.Row{
		{Commit: 3, Key: "c1", SchemaVersionID: 2, Fields: []byte(`{"active":true,"age":30,"id":"c1","score":1.5,"tags":["a",{"b":null}]}`)},
		{Commit: 3, Key: "", SchemaVersionID: 0, Fields: []byte(`{}`)},
		{Commit: 4, Key: "\u00c5 \U0001f600", SchemaVersionID: 2, Fields: []byte(`{"active":null,"age":null,"id":"\u00c5 \ud83d\ude00","score":NaN}`)},
		{Commit: 9, Key: "c1", SchemaVersionID: 3, Fields: []byte(`{"active":false,"age":-9223372036854775808,"id":"c1","score":3}`)},
	}
	path := write(t, customer, fields, rows)
	got, err := format.ReadRows(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(rows, got); diff != "" {
		t.Errorf("rows written and read (-want +got):\n%s", diff)
	}
	facts, err := format.Inspect(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	want := &format.Facts{
		Rows: 4,
		Columns: []format.ColumnFact{
			{Name: "commit_id", Kind: format.KindInt64},
			{Name: "entity_type", Kind: format.KindString},
			{Name: "entity_key", Kind: format.KindString},
			{Name: "schema_version_id", Kind: format.KindInt64},
			{Name: "fields_json", Kind: format.KindString},
			{Name: "active", Kind: format.KindBool},
			{Name: "age", Kind: format.KindInt64},
			{Name: "born:date", Kind: format.KindDate},
			{Name: "id", Kind: format.KindString},
			{Name: "score", Kind: format.KindDouble},
			{Name: "tags:json", Kind: format.KindJSON},
		},
		MinCommit: 3, MaxCommit: 9, KeyBounds: true, MinKey: "", MaxKey: "\u00c5 \U0001f600",
	}
	if diff := cmp.Diff(want, facts); diff != "" {
		t.Errorf("facts (-want +got):\n%s", diff)
	}
}

func TestWriteRelations(t *testing.T) {
	rows := []format.Row{
		{Commit: 1, Left: "a", Right: "b", Instance: "", SchemaVersionID: 1, Fields: []byte(`{"qty":1}`)},
		{Commit: 1, Left: "ab", Right: "", Instance: "", SchemaVersionID: 1, Fields: []byte(`{"qty":2}`)},
		{Commit: 1, Left: "a", Right: "b", Instance: "i", SchemaVersionID: 1, Fields: []byte(`{"qty":null}`)},
	}
	// A field of a relation may have the name of an entity's system column. The file is still
	// read as one of a relation.
	fields := fieldsOf(map[string]format.FieldType{"qty": format.FieldInt, "entity_key": format.FieldStr})
	path := write(t, buys, fields, rows)
	got, err := format.ReadRows(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(rows, got); diff != "" {
		t.Errorf("rows written and read (-want +got):\n%s", diff)
	}
	facts, err := format.Inspect(t.Context(), path)
	if err != nil || facts.Duplicates || facts.MinKey != "a" || facts.MaxKey != "ab" {
		t.Errorf("facts %+v, %v; want no duplicates, keys a to ab", facts, err)
	}
}

// TestColumnsThatDoNotFit checks that a value of another type than its field marks the column, so
// that readers use fields_json instead, also if the value is late in a large file.
func TestColumnsThatDoNotFit(t *testing.T) {
	for _, test := range []struct {
		field format.FieldType
		value string
	}{
		{format.FieldInt, `1.0`},
		{format.FieldInt, `9223372036854775808`},
		{format.FieldInt, `"7"`},
		{format.FieldInt, `true`},
		{format.FieldFloat, `9007199254740993`},
		{format.FieldFloat, `"1"`},
		{format.FieldStr, `"\ud800"`},
		{format.FieldStr, `{"a":[1,2]}`},
		{format.FieldBool, `1`},
		{format.FieldBool, `[]`},
	} {
		fields := fieldsOf(map[string]format.FieldType{"f": test.field, "g": format.FieldInt})
		path := write(t, customer, fields, []format.Row{
			{Commit: 1, Key: "a", SchemaVersionID: 1, Fields: []byte(`{"f":null,"g":1}`)},
			{Commit: 1, Key: "b", SchemaVersionID: 1, Fields: []byte(`{"f":` + test.value + `,"g":2}`)},
		})
		facts, err := format.Inspect(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		f, _ := facts.Column("f")
		g, _ := facts.Column("g")
		if f != format.KindOther || g != format.KindInt64 {
			t.Errorf("type %d with value %s: columns are f %q, g %q; want other, int64", test.field, test.value, f, g)
		}
	}
}

func TestWriteRefuses(t *testing.T) {
	for _, fields := range []string{``, `[]`, `null`, `{"b":1,"a":2}`, `{"a":1,"a":2}`, `{"a":1} `, `{"a":}`, `{"a":1`, `{"a":tru}`} {
		rows := sequence([]format.Row{{Commit: 1, Key: "a", Fields: []byte(fields)}})
		if written, err := format.WriteRows(new(bytes.Buffer), customer, format.DataFields(fieldsOf(map[string]format.FieldType{"a": format.FieldInt})), rows); err == nil {
			t.Errorf("write %q: got %+v, want an error", fields, written)
		}
	}
	broken := errors.New("broken pipe")
	rows := func(yield func(format.Row, error) bool) { yield(format.Row{}, broken) }
	if _, err := format.WriteRows(new(bytes.Buffer), customer, nil, rows); !errors.Is(err, broken) {
		t.Errorf("a sequence that fails: got %v", err)
	}
	failing := func(func(format.Row, error) bool) { panic("out of reach") }
	if _, err := format.WriteRows(new(bytes.Buffer), customer, nil, failing); err == nil {
		t.Error("a sequence that panics: no error")
	}
	for limit := range 600 {
		_, err := format.WriteRows(&shortWriter{left: limit}, customer, nil, sequence([]format.Row{{Commit: 1, Key: "a", Fields: []byte(`{}`)}}))
		if !errors.Is(err, errFull) {
			t.Fatalf("a disk that is full after %d bytes: got %v", limit, err)
		}
	}
}

var errFull = errors.New("disk full")

type shortWriter struct{ left int }

func (w *shortWriter) Write(b []byte) (int, error) {
	n := min(len(b), w.left)
	w.left -= n
	if n < len(b) {
		return n, errFull
	}
	return n, nil
}

func TestEmptyFile(t *testing.T) {
	path := write(t, customer, nil, nil)
	rows, err := format.ReadRows(path)
	if err != nil || len(rows) != 0 {
		t.Errorf("rows of an empty file: %v, %v", rows, err)
	}
	facts, err := format.Inspect(t.Context(), path)
	if err != nil || facts.Rows != 0 || facts.KeyBounds || facts.Duplicates || facts.MaxCommit != 0 {
		t.Errorf("facts of an empty file: %+v, %v", facts, err)
	}
}

func TestDuplicates(t *testing.T) {
	row := func(commit ontosql.CommitID, key string) format.Row {
		return format.Row{Commit: commit, Key: key, Fields: []byte(`{}`)}
	}
	for _, test := range []struct {
		name string
		rows []format.Row
		want bool
	}{
		{"one key in two commits", []format.Row{row(1, "a"), row(2, "a")}, false},
		{"two keys in one commit", []format.Row{row(1, "a"), row(1, "b")}, false},
		{"one key twice in one commit", []format.Row{row(1, "a"), row(2, "a"), row(1, "b"), row(2, "a")}, true},
	} {
		facts, err := format.Inspect(t.Context(), write(t, customer, nil, test.rows))
		if err != nil || facts.Duplicates != test.want {
			t.Errorf("%s: got %+v, %v; want duplicates %t", test.name, facts, err, test.want)
		}
	}
}

// TestManyRowGroups writes several row groups, with a typed column that does not fit in the last
// one, and with a key that is repeated in different groups.
func TestManyRowGroups(t *testing.T) {
	const n = 130_000
	rows := make([]format.Row, n)
	for i := range rows {
		rows[i] = format.Row{
			Commit: 7, Key: fmt.Sprintf("k%07d", i), SchemaVersionID: 1,
			Fields: fmt.Appendf(nil, `{"age":%d,"tier":"t%d"}`, i, i%3),
		}
	}
	rows[n-1].Key = "k0000000"
	rows[n-1].Fields = []byte(`{"age":"old","tier":"t0"}`)
	path := write(t, customer, fieldsOf(map[string]format.FieldType{"age": format.FieldInt, "tier": format.FieldStr}), rows)
	got, err := format.ReadRows(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(rows[n-1000:], got[n-1000:]); diff != "" || len(got) != n {
		t.Errorf("%d rows, the last ones (-want +got):\n%s", len(got), diff)
	}
	facts, err := format.Inspect(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	age, _ := facts.Column("age")
	tier, _ := facts.Column("tier")
	if age != format.KindOther || tier != format.KindString || !facts.Duplicates || facts.MinKey != "k0000000" || facts.MaxKey != "k0129998" {
		t.Errorf("facts %+v", facts)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errFull)
	if _, err := format.Inspect(ctx, path); !errors.Is(err, errFull) {
		t.Errorf("inspect after cancel: got %v, want the cause", err)
	}
}

// TestDamagedFiles truncates a file at many lengths and inverts bytes.
func TestDamagedFiles(t *testing.T) {
	path := write(t, customer, fieldsOf(map[string]format.FieldType{"a": format.FieldInt}), []format.Row{
		{Commit: 1, Key: "a", SchemaVersionID: 1, Fields: []byte(`{"a":1}`)},
		{Commit: 1, Key: "b", SchemaVersionID: 1, Fields: []byte(`{"a":2}`)},
	})
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for length := 0; length < len(whole); length += 2 {
		if err := os.WriteFile(path, whole[:length], 0o600); err != nil {
			t.Fatal(err)
		}
		if facts, err := format.Inspect(t.Context(), path); !errors.Is(err, format.ErrDamagedFile) {
			t.Fatalf("file cut to %d of %d bytes: got %+v, %v", length, len(whole), facts, err)
		}
	}
	for at := 0; at < len(whole); at += 3 {
		body := slices.Clone(whole)
		body[at] ^= 0x5A
		if err := os.WriteFile(path, body, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := format.Inspect(t.Context(), path); err != nil && !errors.Is(err, format.ErrDamagedFile) {
			t.Fatalf("byte %d inverted: %v", at, err)
		}
		if _, err := format.ReadRows(path); err != nil && !errors.Is(err, format.ErrDamagedFile) {
			t.Fatalf("byte %d inverted: %v", at, err)
		}
	}
	if _, err := format.Inspect(t.Context(), filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: got %v", err)
	}
}
