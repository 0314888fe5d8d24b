package pages

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	lite "zombiezen.com/go/sqlite"

	"github.com/ontosql/ontosql/sqlite/sqlconn"
)

// written is a file with a connection that writes to it, as another process's.
type written struct {
	tb   testing.TB
	path string
	conn *lite.Conn
}

// newFile makes a file in a journal mode, with a table t of so many rows.
func newFile(tb testing.TB, pageSize int, journal string, rows int) *written {
	tb.Helper()
	m := &written{tb: tb, path: filepath.Join(tb.TempDir(), "test.db")}
	var err error
	if m.conn, err = lite.OpenConn(m.path, lite.OpenReadWrite, lite.OpenCreate); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = m.conn.Close() }) // a test may have closed it
	m.exec(fmt.Sprintf("PRAGMA page_size = %d", pageSize))
	m.exec("PRAGMA journal_mode = " + journal)
	m.exec(fmt.Sprintf(`CREATE TABLE t (id INTEGER PRIMARY KEY, x TEXT); WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < %d - 1)
		INSERT INTO t (x) SELECT hex(randomblob(40)) FROM n`, rows))
	return m
}

func (m *written) exec(script string) {
	m.tb.Helper()
	for script = strings.TrimSpace(script); script != ""; {
		stmt, rest, err := m.conn.PrepareTransient(script)
		if err != nil {
			m.tb.Fatalf("%v in %s", err, script)
		}
		for more := true; more && err == nil; {
			more, err = stmt.Step()
		}
		if err := errors.Join(err, stmt.Finalize()); err != nil {
			m.tb.Fatalf("%v in %s", err, script)
		}
		script = strings.TrimSpace(script[len(script)-rest:])
	}
}

// directly runs f in a read transaction of a file, with its pages past SQLite; d is nil
// where they are not there.
func directly(t *testing.T, path string, f func(file File, d *direct)) {
	t.Helper()
	c, err := lite.OpenConn(path, lite.OpenReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := sqlconn.Each(c, "SELECT 1 FROM sqlite_schema", nil); err != nil {
		t.Fatal(err)
	}
	file := File{Path: path}
	if file.Info, err = os.Stat(path); err != nil {
		t.Fatal(err)
	}
	if log, err := os.Stat(sqlconn.WALPath(path)); err == nil {
		file.WAL = log
	}
	if err := sqlconn.Each(c, "BEGIN", nil); err != nil {
		t.Fatal(err)
	}
	size, err := sqlconn.Pragma(c, "page_size")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sqlconn.Pragma(c, "page_count"); err != nil {
		t.Fatal(err)
	}
	d := directOf(file, int(size))
	if d != nil {
		defer d.close()
	}
	f(file, d)
}

// TestDirectPages reads pages past SQLite in ways that tables and indexes are walked.
func TestDirectPages(t *testing.T) {
	for seed := range uint64(8) {
		random := rand.New(rand.NewPCG(seed, 3))
		size := 512 << seed
		m := newFile(t, size, []string{"WAL", "DELETE"}[seed%2], 0)
		m.exec(fmt.Sprintf("CREATE TABLE more (x); INSERT INTO more VALUES (randomblob(%d))", 3*windowBytes+random.IntN(windowBytes)))
		if err := m.conn.Close(); err != nil {
			t.Fatal(err)
		}
		path := m.path
		image, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		directly(t, path, func(_ File, d *direct) {
			if d == nil {
				t.Fatalf("the pages of %d bytes are not read directly", size)
			}
			page := make([]byte, size)
			no, step := uint32(1), 1
			for range 5000 {
				if err := d.read(no, page); err != nil {
					t.Fatalf("page %d of %d bytes: %v", no, size, err)
				}
				if !bytes.Equal(page, image[int(no-1)*size:][:size]) {
					t.Fatalf("page %d of %d bytes is another one", no, size)
				}
				switch random.IntN(30) {
				case 0:
					no = 1 + random.Uint32N(uint32(len(image)/size))
				case 1:
					step = -step
				}
				if next := int(no) + step; 1 <= next && next <= len(image)/size {
					no = uint32(next)
				}
			}
			for range 2 { // alone, and with those before it
				if err := d.read(uint32(len(image)/size)+1, page); err == nil {
					t.Error("a page behind the last was read")
				}
			}
		})
	}
}

// TestDirectPagesStay reads the pages of a transaction while other processes commit and
// checkpoint the log.
func TestDirectPagesStay(t *testing.T) {
	m := newFile(t, 4096, "WAL", 3000)
	m.exec("PRAGMA wal_checkpoint(TRUNCATE)")
	image, err := os.ReadFile(m.path)
	if err != nil {
		t.Fatal(err)
	}
	directly(t, m.path, func(_ File, d *direct) {
		if d == nil {
			t.Fatal("the log is empty, and the pages are not read directly")
		}
		page := make([]byte, d.size)
		for no := uint32(1); int(no) <= len(image)/d.size; no++ {
			if no%20 == 0 {
				m.exec("PRAGMA busy_timeout = 0; UPDATE t SET x = '{}' WHERE id % 7 = 0")
				for _, how := range []string{"PASSIVE", "TRUNCATE"} {
					m.exec(fmt.Sprintf("PRAGMA wal_checkpoint(%s)", how))
				}
			}
			if err := d.read(no, page); err != nil || !bytes.Equal(page, image[int(no-1)*d.size:][:d.size]) {
				t.Fatalf("page %d is another one: %v", no, err)
			}
		}
	})
	directly(t, m.path, func(_ File, d *direct) {
		if d != nil {
			t.Error("the log has pages, and the file's are read")
		}
	})
}

// TestDirectPagesOfAnother has the file replaced, its log taken away and its log replaced
// while a connection has them open.
func TestDirectPagesOfAnother(t *testing.T) {
	for name, change := range map[string]func(t *testing.T, path string){
		"the file is replaced": func(t *testing.T, path string) { replace(t, path) },
		"its log is replaced":  func(t *testing.T, path string) { replace(t, path+"-wal") },
		"its log is gone": func(t *testing.T, path string) {
			if err := os.Remove(path + "-wal"); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := newFile(t, 4096, "WAL", 10)
			m.exec("PRAGMA wal_checkpoint(TRUNCATE)")
			directly(t, m.path, func(file File, d *direct) {
				if d == nil {
					t.Fatal("the log is empty, and the pages are not read directly")
				}
				change(t, m.path)
				if d := directOf(file, d.size); d != nil {
					d.close()
					t.Error("pages of another file are read")
				}
			})
		})
	}
}

// replace puts a copy of a file in its place.
func replace(t *testing.T, path string) {
	t.Helper()
	body, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+"-new", body, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+"-new", path); err != nil {
		t.Fatal(err)
	}
}

// TestLocksOutliveOtherDescriptors: SQLite's lock stays when the file is opened and closed by
// another descriptor, as a second process sees.
func TestLocksOutliveOtherDescriptors(t *testing.T) {
	m := newFile(t, 4096, "DELETE", 10)
	directly(t, m.path, func(File, *direct) {
		file, err := os.OpenFile(m.path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		for range 2 {
			// The bytes that readers lock (https://www.sqlite.org/lockingv3.html). POSIX's
			// locks are the process's and would not be in their own way.
			lock := syscall.Flock_t{Type: syscall.F_WRLCK, Whence: io.SeekStart, Start: 0x40000000 + 2, Len: 510}
			if err := syscall.FcntlFlock(file.Fd(), syscall.F_GETLK, &lock); err != nil {
				t.Fatal(err)
			}
			if lock.Type != syscall.F_RDLCK {
				t.Errorf("nobody has the file locked who reads it: %+v", lock)
			}
			another, err := os.Open(m.path)
			if err != nil {
				t.Fatal(err)
			}
			another.Close()
		}
	})
}
