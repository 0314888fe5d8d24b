package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	parquetfile "github.com/apache/arrow-go/v18/parquet/file"
)

// overwrite replaces an object of a store in a directory, and the checksums that other objects
// have of it.
func overwrite(t *testing.T, store, path string, body []byte) {
	t.Helper()
	sum := func(b []byte) string {
		h := sha256.Sum256(b)
		return hex.EncodeToString(h[:])
	}
	old, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, body, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(store, func(by string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || by == path || !strings.HasSuffix(by, ".json") {
			return err
		}
		text, err := os.ReadFile(by)
		if err == nil && bytes.Contains(text, []byte(sum(old))) {
			overwrite(t, store, by, bytes.ReplaceAll(text, []byte(sum(old)), []byte(sum(body))))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestDistrust: a native column that contradicts fields_json is believed until fsck finds it, one
// that cannot be read is an error until then, and fields_json is read from then on.
func TestDistrust(t *testing.T) {
	contradict := func(body []byte) []byte {
		return bytes.Replace(body, []byte("2024-01-01"), []byte("2024-01-02"), 1) // the column has the number of the day
	}
	damage := func(body []byte) []byte {
		p, err := parquetfile.NewParquetReader(bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		group := p.MetaData().RowGroup(0)
		chunk, err := group.ColumnChunk(p.MetaData().Schema.ColumnIndexByName("d:date"))
		if err != nil {
			t.Fatal(err)
		}
		body = bytes.Clone(body)
		for i := range chunk.TotalCompressedSize() {
			body[chunk.DataPageOffset()+i] = 0xFF
		}
		return body
	}
	for _, c := range []struct {
		name          string
		change        func([]byte) []byte
		before, after string // the day; "" for an error
	}{
		{"a column that contradicts", contradict, "2024-01-01", "2024-01-02"},
		{"a damaged column", damage, "", "2024-01-01"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path, cache := filepath.Join(t.TempDir(), "store"), t.TempDir()
			sql := func(text string) (code int, out string) {
				code, out, _ = command(t, "sql", "--storage-uri", path, "--cache-dir", cache, "--workspace-dir", t.TempDir(), "--format", "csv", "-c", text)
				return code, out
			}
			if code, _, problem := command(t, "init", "--storage-uri", path); code != exitOK {
				t.Fatalf("init: %s", problem)
			}
			if code, out := sql("CREATE TABLE day (id text PRIMARY KEY, d date, n bigint); INSERT INTO day VALUES ('a', '2024-01-01', 7)"); code != exitOK {
				t.Fatalf("fill: %s", out)
			}
			object := dataFile(t, path, "1", "day.parquet")
			body, err := os.ReadFile(object)
			if err != nil {
				t.Fatal(err)
			}
			overwrite(t, path, object, c.change(body))
			if _, out := sql("SELECT n FROM day"); out != "n\n7\n" {
				t.Errorf("a sound column beside it: %q", out)
			}
			read := func(want string) {
				t.Helper()
				code, out := sql("SELECT d FROM day")
				if got := strings.TrimSpace(strings.TrimPrefix(out, "d\n")); (code == exitOK) != (want != "") || code == exitOK && got != want {
					t.Errorf("exit %d, %q, want %q", code, out, want)
				}
			}
			read(c.before)
			code, out, _ := command(t, "fsck", "--distrust", "--json", "--storage-uri", path)
			if r := decoded[fsckReport](t, out); code != exitExecution || r.Distrusted != 1 || !strings.Contains(out, "d:date") {
				t.Errorf("fsck --distrust: exit %d\n%s", code, out)
			}
			read(c.after)
			code, out, _ = command(t, "fsck", "--data", "--json", "--storage-uri", path)
			if r := decoded[fsckReport](t, out); code != exitOK || r.Warnings != 1 {
				t.Errorf("fsck after it: exit %d\n%s", code, out)
			}
		})
	}
}
