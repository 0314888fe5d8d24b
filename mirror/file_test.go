package mirror_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/internal/testenv"
	"github.com/ontosql/ontosql/mirror"
)

// full returns a world in which all types are mirrored.
func full(t *testing.T, seed uint64) (*world, *mirror.Mirror) {
	t.Helper()
	w := newWorld(t, seed)
	for range 12 {
		w.commit()
	}
	m := w.mirror(1 << 30)
	w.view().settled(m, customer, product, purchase)
	return w, m
}

// check compares the contents of every type at the head with and without the mirror.
func (v *view) check(m *mirror.Mirror) (mirrored int) {
	v.world.t.Helper()
	conn := v.world.conn()
	defer conn.Close()
	for _, typ := range v.types {
		for _, mode := range []ontosql.Mode{ontosql.Latest, ontosql.History} {
			win := ontosql.Window{Mode: mode, Upper: v.Head()}
			got, used, err := v.answer(conn, m, typ, win, nil)
			if err != nil {
				v.world.t.Fatalf("%s: %v", typ.Ref, err)
			}
			want, _, err := v.answer(conn, nil, typ, win, nil)
			if err != nil {
				v.world.t.Fatalf("%s from files: %v", typ.Ref, err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				v.world.t.Errorf("%s (-files +mirror):\n%s", typ.Ref, diff)
			}
			if used {
				mirrored++
			}
		}
	}
	return mirrored
}

func (w *world) file() string { return filepath.Join(w.dir, "mirror", "mirror-v4.duckdb") }

// TestReopenedFileIsReused closes a mirror and opens its file again: the tables are available
// at once and are extended by the commits made in between.
func TestReopenedFileIsReused(t *testing.T) {
	w, m := full(t, 3)
	v := w.view()
	m.Close()
	again := w.mirror(1 << 30)
	if n := v.check(again); n != 6 {
		t.Errorf("%d of 6 answers came from the mirror after it was opened again", n)
	}
	for range 3 {
		w.commit()
	}
	if n := w.view().check(again); n != 6 {
		t.Errorf("%d of 6 answers came from the mirror after commits it has not seen", n)
	}
	w.view().settled(again, customer)
	w.view().check(again)
}

// TestDamagedFileIsReplaced opens a mirror over invalid files: the file is recreated and all
// answers are right.
func TestDamagedFileIsReplaced(t *testing.T) {
	for name, spoil := range map[string]func(path string) error{
		"empty": func(path string) error { return os.WriteFile(path, nil, 0o644) },
		"garbage": func(path string) error {
			return os.WriteFile(path, []byte(strings.Repeat("no database ", 5000)), 0o644)
		},
		"cut off": func(path string) error { return os.Truncate(path, 40_000) },
		"gone":    os.Remove,
		"zeros in it": func(path string) error {
			f, err := os.OpenFile(path, os.O_RDWR, 0)
			if err != nil {
				return err
			}
			defer f.Close()
			info, err := f.Stat()
			if err != nil {
				return err
			}
			_, err = f.WriteAt(make([]byte, info.Size()-12_288), 12_288)
			return err
		},
		"a log of something else": func(path string) error {
			return os.WriteFile(path+".wal", []byte("no log at all, but long enough"), 0o644)
		},
	} {
		t.Run(name, func(t *testing.T) {
			w, m := full(t, 4)
			m.Close()
			if err := spoil(w.file()); err != nil {
				t.Fatal(err)
			}
			again := w.mirror(1 << 30)
			v := w.view()
			v.check(again)
			v.settled(again, customer, product, purchase)
			if n := v.check(again); n != 6 {
				t.Errorf("%d of 6 answers come from the mirror after it was rebuilt", n)
			}
		})
	}
}

// TestOtherVersionsAreRemoved opens a mirror beside files of other versions.
func TestOtherVersionsAreRemoved(t *testing.T) {
	w := newWorld(t, 5)
	dir := filepath.Join(w.dir, "mirror")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"mirror-v0.duckdb", "mirror-v0.duckdb.wal", "mirror-v99-2.duckdb"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	w.mirror(1 << 30)
	left, err := filepath.Glob(filepath.Join(dir, "*.duckdb"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{w.file()}, left); diff != "" {
		t.Errorf("files after the mirror was opened (-want +got):\n%s", diff)
	}
}

// TestTwoProcessesShareADirectory opens two mirrors with separate engines, as two gateways on
// one machine do: they use different files.
func TestTwoProcessesShareADirectory(t *testing.T) {
	w, m := full(t, 6)
	other, err := duckdb.Open(t.Context(), duckdb.Options{ReadDirs: []string{w.dir}, TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(other.Close)
	second := mirror.Open(t.Context(), mirror.Options{Engine: other, Dir: filepath.Join(w.dir, "mirror"), Budget: 1 << 30})
	t.Cleanup(second.Close)
	v := w.view()
	v.settled(second, customer, product, purchase)
	if n := v.check(m); n != 6 {
		t.Errorf("%d of 6 answers come from the first mirror", n)
	}
	files, _ := filepath.Glob(filepath.Join(w.dir, "mirror", "*.duckdb"))
	if len(files) != 2 {
		t.Errorf("two mirrors have the files %v", files)
	}
}

// TestFileDeletedWhileRunning deletes the file of an open mirror.
func TestFileDeletedWhileRunning(t *testing.T) {
	w, m := full(t, 7)
	if err := os.RemoveAll(filepath.Dir(w.file())); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		w.commit()
		v := w.view()
		m.Follow(v)
		v.check(m)
	}
	m.Close()
	again := w.mirror(1 << 30)
	w.view().settled(again, customer)
	w.view().check(again)
}

// TestDiskFull fills the disk of the mirror: answers must be those of the files.
func TestDiskFull(t *testing.T) {
	w := newWorld(t, 8)
	dir := filepath.Join(w.dir, "small")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=1500k"); err != nil {
		t.Skipf("cannot create a full disk: mount tmpfs: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	m := mirror.Open(t.Context(), mirror.Options{Engine: w.engine, Dir: dir, Budget: 1 << 30})
	t.Cleanup(m.Close)
	for range 12 {
		w.commit()
		v := w.view()
		m.Follow(v)
		v.check(m)
	}
	deadline := time.Now().Add(testenv.Patience)
	for s := m.Status(); len(s) > 0 && !strings.Contains(fmt.Sprint(s), "No space left"); s = m.Status() {
		if time.Now().After(deadline) {
			t.Fatalf("the mirror is on and reports no full disk: %+v", s)
		}
		w.view().check(m)
	}
	w.view().check(m)
}

// TestKeyIsFoundByTheIndex checks with EXPLAIN ANALYZE that a key equality uses the index in
// any window, with other conditions on the column, and with literal and bound keys.
func TestKeyIsFoundByTheIndex(t *testing.T) {
	w, m := full(t, 9)
	v := w.view()
	conn := w.conn()
	defer conn.Close()
	for _, c := range []struct {
		ref         ontosql.TypeRef
		column, key string
		outer       string
		args        []any
	}{
		{customer, "entity_key", "'k3'", "id = 'k3'", nil},
		{customer, "entity_key", "CAST($1 AS VARCHAR)", "id = CAST($1 AS VARCHAR) AND n > 0", []any{"k3"}},
		{product, "entity_key", "'3'", "sku = 3", nil},
		{product, "entity_key", "CAST(CAST(CAST($1 AS VARCHAR) AS BIGINT) AS VARCHAR)", "sku = CAST(CAST($1 AS VARCHAR) AS BIGINT)", []any{"3"}},
		{purchase, "left_key", "'k3'", "left_key = 'k3'", nil},
		{purchase, "right_key", "'3'", "right_key = 3", nil},
	} {
		typ, _ := v.Type(c.ref)
		for _, window := range []ontosql.Window{{Upper: v.Head()}, {Upper: v.Head() / 2}, {Mode: ontosql.History, Upper: v.Head()}, {Mode: ontosql.Changes, Upper: v.Head()}} {
			u := m.Use(v, typ, mirror.Window{Window: window})
			if u == nil {
				t.Fatalf("%s is not mirrored", c.ref)
			}
			sql, err := scan.SQL(scan.Request{
				Type: typ, Window: window, Mirror: &u.Source, Commits: "commits", KeyEquals: []scan.KeyEqual{{Column: c.column, Texts: []string{c.key}}},
			})
			if err != nil {
				t.Fatal(err)
			}
			plan, err := explain(conn, "SELECT * FROM ("+sql+") WHERE "+c.outer, c.args...)
			if err != nil {
				t.Fatal(err)
			}
			sequential := strings.Count(plan, "Sequential Scan") - strings.Count(plan, "main.commits")
			if !strings.Contains(plan, "Index Scan") || sequential > 0 {
				t.Errorf("%s by %s, %+v:\n%s", c.ref, c.column, window, plan)
			}
			u.Release()
		}
	}
}

func explain(conn *duckdb.Conn, sql string, args ...any) (string, error) {
	ctx := contextOfTest()
	st, err := conn.Prepare(ctx, "EXPLAIN ANALYZE "+sql)
	if err != nil {
		return "", err
	}
	defer st.Close()
	rows, err := st.Query(ctx, args)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	b, err := rows.Next(ctx)
	if err != nil {
		return "", err
	}
	return string(b.Cols[1].Str[0]), nil
}
