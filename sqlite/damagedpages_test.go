package sqlite

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/sqlite/dbschema"
	"github.com/ontosql/ontosql/sqlite/pages"
)

// TestDamagedPages damages single pages of the rows: the error is the one that SQL has.
func TestDamagedPages(t *testing.T) {
	path := manyRows(t, "DELETE", 3000).path
	sound, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	failed := 0
	for no := 3; no*4096 < len(sound); no += 5 {
		for _, damage := range [][]byte{slices.Repeat([]byte{0xff}, 4096), make([]byte, 4096), {13, 0, 0, 0xff, 0xff}, {5}, {13, 0, 0, 0, 3, 0x0f, 0xff, 0, 0, 1, 1, 1, 1}} {
			image := slices.Clone(sound)
			copy(image[no*4096:], damage)
			broken := filepath.Join(t.TempDir(), "onto.db")
			if err := os.WriteFile(broken, image, 0o600); err != nil {
				t.Fatal(err)
			}
			db := openDB(t, Options{Path: broken})
			pin, err := db.Pin(t.Context())
			if err != nil {
				continue // the index, or a table of schemas
			}
			typ, known := pin.Catalog.Type(ontosql.TypeRef{Kind: ontosql.Entity, Name: "A"})
			if !known {
				continue
			}
			read := func(bySQL bool) (string, error) {
				c, err := db.Versions(t.Context(), pin, typ, ontosql.Window{Upper: pin.Head.Commit}, nil)
				if err != nil {
					return "", err
				}
				c.bySQL = bySQL
				rows, err := drain(t.Context(), c)
				return fmt.Sprint(rows), err
			}
			want, wantErr := read(true)
			got, err := read(false)
			if (err == nil) != (wantErr == nil) || err == nil && got != want {
				t.Errorf("page %d begins with % x: by page %v, by SQL %v, and the rows are the same: %v", no+1, damage[:min(len(damage), 13)], err, wantErr, got == want)
			}
			if wantErr != nil {
				failed++
			}
		}
	}
	if failed == 0 {
		t.Error("no damage was seen")
	}
}

// damagedPages are the pages of a small file, to be damaged.
func damagedPages(tb testing.TB) (image []byte, entityRoot, indexRoot uint32) {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "onto.db")
	c := connection(tb, path, "PRAGMA page_size = 512", ddl, `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600)
		INSERT INTO entity_history (entity_type, entity_key, fields_json, commit_id) SELECT 'A', 'key' || i, '{"id": "' || iif(i % 20 = 0, hex(randomblob(400)), 'x') || '"}', 1 + i / 100 FROM n`)
	for name, root := range map[string]*uint32{"entity_history": &entityRoot, "idx_entity_history_lookup": &indexRoot} {
		stmt, err := c.Prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?")
		if err != nil {
			tb.Fatal(err)
		}
		stmt.BindText(1, name)
		if _, err := stmt.Step(); err != nil {
			tb.Fatal(err)
		}
		*root = uint32(stmt.ColumnInt64(0))
		_ = stmt.Reset()
	}
	if err := c.Close(); err != nil {
		tb.Fatal(err)
	}
	image, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	return image, entityRoot, indexRoot
}

// walk reads the rows and the entries of an image, both ways, and ends.
func walk(image []byte, size int, entityRoot, indexRoot uint32) (rows, entries int, err error) {
	read := func(no uint32, into []byte) error {
		copy(into, image[int(no-1)*size:])
		return nil
	}
	for _, newest := range []bool{false, true} {
		h := dbschema.Tables{"entity_history": {"schema_version_id": true}}.Histories()[0]
		c := &Cursor{
			ref: ontosql.TypeRef{Kind: ontosql.Entity, Name: "A"}, upper: math.MaxInt64, history: h, newest: newest, fullScan: true,
			stored: &recordLayout{columns: 6, id: 0, typeName: 1, keys: []int{2}, fields: 3, commit: 4, version: 5, shortest: 5},
		}
		c.batch = newBatch(h)
		for left := []span{{-10, 300}, {302, math.MaxInt64}}; len(left) > 0; {
			c.batch.reset()
			if left, err = c.readPages(pages.New(size, size, len(image)/size, read), entityRoot, left); err != nil {
				return rows, entries, err
			}
			if rows += c.batch.n; rows > 10*len(image) {
				return rows, entries, io.ErrNoProgress
			}
		}
	}
	err = pages.New(size, size, len(image)/size, read).EachEntry(indexRoot, func(payload []byte) error {
		var values [8]pages.Value
		n, err := pages.Values(payload, values[:])
		for _, v := range values[:n] {
			_, _ = v.Text(payload)
			_, _ = v.Int64(payload)
		}
		entries++
		return err
	})
	return rows, entries, err
}

// FuzzPages damages pages: what is in them is read, or it is said that they are odd.
func FuzzPages(f *testing.F) {
	image, entityRoot, indexRoot := damagedPages(f)
	if rows, entries, err := walk(image, 512, entityRoot, indexRoot); rows != 2*599 || entries != 600 || err != nil {
		f.Fatalf("of a sound file %d rows and %d entries were read, %v, want %d and %d", rows, entries, err, 2*599, 600)
	}
	f.Add([]byte{})
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var damage []byte
		for range 1 + random.IntN(8) {
			page := random.IntN(len(image) / 512)
			at := page*512 + random.IntN(16)
			if random.IntN(2) == 0 {
				at = random.IntN(len(image))
			}
			damage = append(damage, byte(at>>16), byte(at>>8), byte(at), []byte{0, 1, 2, 5, 10, 13, 0x7f, 0x80, 0xff}[random.IntN(9)])
		}
		f.Add(damage)
	}
	f.Fuzz(func(t *testing.T, damage []byte) {
		broken := slices.Clone(image)
		for ; len(damage) >= 4; damage = damage[4:] {
			broken[(int(damage[0])<<16|int(damage[1])<<8|int(damage[2]))%len(broken)] = damage[3]
		}
		if _, _, err := walk(broken, 512, entityRoot, indexRoot); err != nil && !errors.Is(err, pages.ErrMalformed) {
			t.Errorf("damaged pages: %v", err)
		}
	})
}
