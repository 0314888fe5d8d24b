package format_test

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/fixtures"
)

// scanned returns a data file as one line of text for each column, with its kind and its values.
func scanned(t *testing.T, body []byte) []string {
	t.Helper()
	f, err := format.OpenDataFile(body)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	lines := make([]string, len(f.Columns()))
	for i, c := range f.Columns() {
		lines[i] = c.Name + " " + string(c.Kind)
		if c.Unfit {
			lines[i] += " unfit"
		}
	}
	err = f.Scan(t.Context(), func(batch [][]format.Value) error {
		for i, values := range batch {
			for _, v := range values {
				lines[i] += " " + string(v.Append(nil, format.Canonical))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatalf("scan: %v", err)
	}
	return lines
}

func dataFile(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	ref := ontosql.TypeRef{Kind: ontosql.Entity, Name: "Thing"}
	fields := []format.SchemaField{
		format.NewField("id", format.FieldStr, false),
		format.NewField("n", format.FieldInt, true),
		format.NewField("ok", format.FieldBool, false),
		format.NewField("x", format.FieldFloat, false),
	}
	rows := []format.Row{
		{Commit: 7, Key: "a", SchemaVersionID: 1, Fields: []byte(`{"id":"a","n":null,"ok":true,"x":1.5}`)},
		{Commit: 7, Key: "b", Fields: []byte(`{"id":"b","n":3,"ok":"yes","x":-0.0}`)},
	}
	_, err := format.WriteRows(&out, ref, format.DataFields(fields), func(yield func(format.Row, error) bool) {
		for _, row := range rows {
			if !yield(row, nil) {
				return
			}
		}
	})
	if err != nil {
		t.Fatalf("write: %v", err)
	}
	return out.Bytes()
}

func TestDataFile(t *testing.T) {
	want := []string{
		`commit_id int64 7 7`,
		`entity_type string "Thing" "Thing"`,
		`entity_key string "a" "b"`,
		`schema_version_id int64 1 null`,
		`fields_json string "{\"id\":\"a\",\"n\":null,\"ok\":true,\"x\":1.5}" "{\"id\":\"b\",\"n\":3,\"ok\":\"yes\",\"x\":-0.0}"`,
		`id string "a" "b"`,
		`n int64 null 3`,
		`ok bool unfit true null`,
		`x double 1.5 -0.0`,
	}
	if diff := cmp.Diff(want, scanned(t, dataFile(t))); diff != "" {
		t.Errorf("a file of two rows (-want +got):\n%s", diff)
	}
}

// TestDataFileDamaged checks that damaged content is ErrDamagedFile and does not panic.
func TestDataFileDamaged(t *testing.T) {
	whole := dataFile(t)
	for at := range whole {
		body := bytes.Clone(whole)
		body[at] ^= 0xff
		f, err := format.OpenDataFile(body)
		if err == nil {
			err = f.Scan(t.Context(), func([][]format.Value) error { return nil })
		}
		if err != nil && !errors.Is(err, format.ErrDamagedFile) {
			t.Errorf("byte %d changed: %v, want ErrDamagedFile or nothing", at, err)
		}
	}
	for size := range len(whole) {
		if _, err := format.OpenDataFile(whole[:size]); !errors.Is(err, format.ErrDamagedFile) {
			t.Errorf("the first %d bytes: %v, want ErrDamagedFile", size, err)
		}
	}
}

func TestDataFileScanEnds(t *testing.T) {
	f, err := format.OpenDataFile(dataFile(t))
	if err != nil {
		t.Fatal(err)
	}
	stop := errors.New("enough")
	if err := f.Scan(t.Context(), func([][]format.Value) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("visit ended the scan: %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stop)
	if err := f.Scan(ctx, func([][]format.Value) error { return nil }); !errors.Is(err, stop) {
		t.Errorf("the context ended: %v", err)
	}
}

func FuzzDataFile(f *testing.F) {
	f.Add([]byte("PAR1"))
	for _, name := range []string{
		"s3-v1/stage1-commits/objects/commits/1-fa6c6a91/entities/Customer.parquet",
		"s3-v1/stage1-commits/objects/commits/1-fa6c6a91/relations/Follows.parquet",
	} {
		f.Add(fixtures.File(f, name))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second) // a few bytes can encode billions of equal rows
		defer cancel()
		file, err := format.OpenDataFile(body)
		if err == nil {
			err = file.Scan(ctx, func(batch [][]format.Value) error {
				if len(batch) != len(file.Columns()) {
					t.Errorf("a batch has %d columns, the file %d", len(batch), len(file.Columns()))
				}
				return nil
			})
		}
		if err != nil && !errors.Is(err, format.ErrDamagedFile) && ctx.Err() == nil {
			t.Errorf("got %v, want ErrDamagedFile or cancellation", err)
		}
	})
}
