package format_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
)

// TestDraft writes drafts, numbers them twice, and compares them with files that were written with
// the commit id.
func TestDraft(t *testing.T) {
	for _, n := range []int{0, 1, 7, 3000, 130_000} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			rows := benchRows(n)
			f, err := os.Create(filepath.Join(t.TempDir(), "draft.parquet"))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			draft, err := format.WriteDraft(f, customer, format.DataFields(benchFields), sequence(rows))
			if err != nil {
				t.Fatalf("WriteDraft: %v", err)
			}
			for _, id := range []ontosql.CommitID{1 << 40, 3} {
				written, err := draft.Number(f, id)
				if err != nil {
					t.Fatalf("Number %d: %v", id, err)
				}
				body, err := os.ReadFile(f.Name())
				if err != nil {
					t.Fatal(err)
				}
				sum := sha256.Sum256(body)
				want := format.Written{SHA256: hex.EncodeToString(sum[:]), Size: int64(len(body)), Rows: int64(n)}
				if diff := cmp.Diff(want, written); diff != "" {
					t.Errorf("result of Number %d (-want +got)\n%s", id, diff)
				}
				for i := range rows {
					rows[i].Commit = id
				}
				whole := write(t, customer, benchFields, rows)
				if diff := cmp.Diff(contents(t, whole), contents(t, f.Name())); diff != "" {
					t.Errorf("draft numbered as commit %d (-written with commit id +draft)\n%s", id, diff)
				}
			}
		})
	}
}

// TestDraftIdentitiesEnd checks that Identities does not return errors of rows after the one at
// which each returned false, in the same row group and in later ones.
func TestDraftIdentitiesEnd(t *testing.T) {
	rows := benchRows(130_000)
	var file bytes.Buffer
	draft, err := format.WriteDraft(&file, customer, format.DataFields(benchFields), sequence(rows))
	if err != nil {
		t.Fatal(err)
	}
	in := &readerUntil{Reader: bytes.NewReader(file.Bytes())}
	seen := 0
	err = draft.Identities(in, func(r *format.Row) bool {
		if r.Key != rows[seen].Key {
			t.Fatalf("row %d is %s", seen, r.Key)
		}
		seen++
		in.broken = seen == 5000
		return !in.broken
	})
	if err != nil || seen != 5000 {
		t.Errorf("%d rows, then %v; want 5000", seen, err)
	}
}

// readerUntil is a reader that fails once it is broken.
type readerUntil struct {
	*bytes.Reader
	broken bool
}

func (r *readerUntil) ReadAt(b []byte, at int64) (int, error) {
	if r.broken {
		return 0, errors.New("the disk is gone")
	}
	return r.Reader.ReadAt(b, at)
}

// contents returns the facts of a data file and all its values.
func contents(t *testing.T, path string) (all struct {
	Facts  *format.Facts
	Values string
},
) {
	t.Helper()
	var err error
	if all.Facts, err = format.Inspect(t.Context(), path); err != nil {
		t.Fatalf("Inspect: %v", err)
	}
	body, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	file, err := format.OpenDataFile(body)
	if err != nil {
		t.Fatalf("OpenDataFile: %v", err)
	}
	h := sha256.New()
	err = file.Scan(t.Context(), func(batch [][]format.Value) error {
		for _, column := range batch {
			for _, v := range column {
				h.Write(v.Append(nil, format.Canonical))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatalf("Scan: %v", err)
	}
	all.Values = hex.EncodeToString(h.Sum(nil))
	return all
}
