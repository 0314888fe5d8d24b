package faults

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/testenv"
	"github.com/ontosql/ontosql/maintain"
	"github.com/ontosql/ontosql/objstore/dir"
	"github.com/ontosql/ontosql/objstore/s3"
)

// addNew is a write to a store of newStore, and seesNew whether it is visible.
const (
	addNew  = `INSERT INTO customer (id, tier) VALUES ('new', 'gold')`
	seesNew = `SELECT count(*) FROM customer WHERE id = 'new'`
)

// sound fails if a store violates a rule of the protocol; indexes may lag behind the head. The
// S3 server of the tests replaces an object by way of a second file name, which a listing shows
// for the moment it exists.
func sound(t *testing.T, path string) {
	t.Helper()
	b, err := dir.Open(path, dir.Options{})
	if err != nil {
		t.Fatal(err)
	}
	report, err := maintain.Verify(t.Context(), b)
	if err != nil {
		t.Fatalf("verify: %v", err)
	}
	for _, p := range report.Problems {
		if p.Severity != maintain.Lag && !strings.Contains(p.String(), ".sgwtmp.") {
			t.Errorf("verify: %s", p)
		}
	}
}

// objectsOf is snapshotOf without what a directory keeps for itself.
func objectsOf(t *testing.T, path string) map[string]string {
	t.Helper()
	content := snapshotOf(t, path)
	for name := range content {
		if strings.HasPrefix(name, ".ontosql/") {
			delete(content, name)
		}
	}
	return content
}

// TestWriteReadOnlyStore writes to read-only stores: the writes fail with a clear error, and
// reading continues.
func TestWriteReadOnlyStore(t *testing.T) {
	refuses := func(t *testing.T, g *gateway) {
		c := g.connect(t, "onto")
		for range 2 {
			c.refuses(t, addNew, "25006", "read-only", "ontosql preflight")
			c.answers(t, `BEGIN; `+addNew)
			c.answers(t, seesNew, "1")
			c.refuses(t, `COMMIT`, "25006", "read-only")
			c.answers(t, seesNew, "0")
		}
	}
	t.Run("directory", func(t *testing.T) {
		s := newStore(t, 3)
		for _, flags := range []uintptr{syscall.MS_BIND, syscall.MS_BIND | syscall.MS_REMOUNT | syscall.MS_RDONLY} {
			if err := syscall.Mount(s.dir, s.dir, "", flags, ""); err != nil {
				t.Skipf("cannot make a directory read-only for root: %v", err)
			}
		}
		t.Cleanup(func() {
			for syscall.Unmount(s.dir, syscall.MNT_DETACH) == nil {
			}
		})
		before := snapshotOf(t, s.dir)
		refuses(t, serve(t, nil, "--cache-dir", t.TempDir(), "--storage-uri", s.dir))
		checkUntouched(t, s.dir, before)
	})
	t.Run("bucket", func(t *testing.T) {
		at := testenv.S3(t)
		s := newBucketStore(t, at, 3)
		before := snapshotOf(t, s.dir)
		refuses(t, serve(t, nil, "--cache-dir", t.TempDir(), "--storage-uri", "s3://"+at.Bucket, "--s3-endpoint-url", testenv.S3ReadOnly(t)))
		checkUntouched(t, s.dir, before)
	})
	t.Run("bucket whose permission goes", func(t *testing.T) {
		at := testenv.S3(t)
		s := newBucketStore(t, at, 3)
		p := newProxy(t, at.Endpoint)
		g := serve(t, nil, "--cache-dir", t.TempDir(), "--storage-uri", "s3://"+at.Bucket, "--s3-endpoint-url", p.URL)
		c := g.connect(t, "onto")
		c.answers(t, `INSERT INTO customer VALUES ('first', 't')`)
		p.set(s3Error("PUT", "", http.StatusForbidden, "AccessDenied"))
		refuses(t, g)
		p.set(nil)
		c.answers(t, addNew)
		c.answers(t, seesNew, "1")
		sound(t, s.dir)
	})
}

// newBucketStore is newStore in a bucket.
func newBucketStore(t *testing.T, at testenv.S3Store, head int) *store {
	t.Helper()
	b, err := s3.Open(t.Context(), s3.Options{Bucket: at.Bucket, Endpoint: at.Endpoint})
	if err != nil {
		t.Fatal(err)
	}
	return newStoreIn(t, b, at.Dir, ontosql.CommitID(head))
}

// s3Error answers requests of a method whose path contains part with an error.
func s3Error(method, part string, status int, code string) func(http.ResponseWriter, *http.Request) bool {
	return func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != method || !strings.Contains(r.URL.Path, part) {
			return false
		}
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(status)
		_, _ = fmt.Fprintf(w, "<Error><Code>%s</Code><Message>%s</Message></Error>", code, code)
		return true
	}
}

// TestWriteFullStore fills the disk that a store lies on: a commit fails, nothing
// of it is visible, and with room again the next one succeeds.
func TestWriteFullStore(t *testing.T) {
	t.Parallel()
	b := tmpfs(t, 2<<10)
	bucket, err := dir.Open(b, dir.Options{})
	if err != nil {
		t.Fatal(err)
	}
	newStoreIn(t, bucket, b, 3)
	g := serve(t, nil, "--cache-dir", t.TempDir(), "--storage-uri", b)
	c := g.connect(t, "onto")
	c.answers(t, `INSERT INTO customer VALUES ('first', 't')`)
	ballast := fillUp(t, b)
	for range 2 {
		c.refuses(t, addNew, "53100", "full")
		c.answers(t, seesNew, "0")
	}
	// The disk becomes full in the middle of a commit too.
	if err := os.Truncate(ballast, 1<<20); err != nil {
		t.Fatal(err)
	}
	c.refuses(t, `INSERT INTO customer SELECT g::text, md5(g::text) || md5((g + 1)::text) FROM generate_series(1, 40000) g`, "53100", "full")
	c.answers(t, `SELECT count(*) FROM customer`, "3")
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	c.answers(t, addNew)
	c.answers(t, seesNew, "1")
	sound(t, b)
}

// TestWriteFailingStore answers every PUT with a server error. Commits fail and report it; if
// the PUT of the head failed, the error says that the outcome is unknown.
func TestWriteFailingStore(t *testing.T) {
	at := testenv.S3(t)
	s := newBucketStore(t, at, 3)
	for _, test := range []struct {
		part         string
		status       int
		s3Code, code string
		says         string
	}{
		{"", http.StatusInsufficientStorage, "InsufficientStorage", "53100", "the object store is full"},
		{"", http.StatusInternalServerError, "InternalError", "58030", "InternalError"},
		{"", http.StatusForbidden, "RequestTimeTooSkewed", "58030", "clock"},
		{"/commits/", http.StatusInternalServerError, "InternalError", "58030", "InternalError"},
		{"/manifest.json", http.StatusServiceUnavailable, "SlowDown", "58030", "SlowDown"},
		{"/ontology_write.json", http.StatusInternalServerError, "InternalError", "58030", "InternalError"},
		{"/head.json", http.StatusInternalServerError, "InternalError", "08007", "Attempt"},
	} {
		t.Run(fmt.Sprint(test.s3Code, test.part), func(t *testing.T) {
			p := newProxy(t, at.Endpoint)
			g := serve(t, nil, "--cache-dir", t.TempDir(), "--storage-uri", "s3://"+at.Bucket, "--s3-endpoint-url", p.URL)
			c := g.connect(t, "onto")
			c.answers(t, `SELECT count(*) FROM customer`, "2")
			p.set(s3Error("PUT", test.part, test.status, test.s3Code))
			began := time.Now()
			c.refuses(t, addNew, test.code, test.says)
			atMost(t, "a commit to a store that fails", began, 25*time.Second)
			p.set(nil)
			c.answers(t, seesNew, "0")
			sound(t, s.dir)
		})
	}
}

// TestWriteBucketIgnoresConditions: where If-Match and If-None-Match have no
// effect the first write is refused, and nothing is left behind.
func TestWriteBucketIgnoresConditions(t *testing.T) {
	at := testenv.S3(t)
	s := newBucketStore(t, at, 3)
	b, err := s3.Open(t.Context(), s3.Options{Bucket: at.Bucket, Endpoint: at.Endpoint})
	if err != nil {
		t.Fatal(err)
	}
	p := newProxy(t, at.Endpoint)
	var written atomic.Int64
	p.set(func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodPut {
			return false
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		key := strings.TrimPrefix(r.URL.Path, "/"+at.Bucket+"/")
		if !strings.HasPrefix(key, "meta/ontosql/probe-") {
			written.Add(1)
		}
		version, err := b.Put(r.Context(), key, body)
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("ETag", string(version))
		return true
	})
	before := snapshotOf(t, s.dir)
	g := serve(t, nil, "--cache-dir", t.TempDir(), "--storage-uri", "s3://"+at.Bucket, "--s3-endpoint-url", p.URL)
	c := g.connect(t, "onto")
	for range 2 {
		c.refuses(t, addNew, "55000", "ignores conditional writes", "ontosql preflight")
	}
	c.answers(t, `SELECT count(*) FROM customer`, "2")
	if n := written.Load(); n > 0 {
		t.Errorf("%d writes besides the probe", n)
	}
	checkUntouched(t, s.dir, before)
}

// lose passes requests of PUT meta/head.json on, if applied, and loses the
// answer; then, if dead, every request.
func lose(t *testing.T, endpoint string, applied, dead bool) func(http.ResponseWriter, *http.Request) bool {
	t.Helper()
	target, err := url.Parse(endpoint)
	if err != nil {
		t.Fatal(err)
	}
	onward := httputil.NewSingleHostReverseProxy(target)
	var lost atomic.Bool
	return func(_ http.ResponseWriter, r *http.Request) bool {
		swap := r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, "/meta/head.json")
		switch {
		case swap && lost.CompareAndSwap(false, true):
			if applied {
				onward.ServeHTTP(httptest.NewRecorder(), r)
			}
		case lost.Load() && dead:
		default:
			return false
		}
		panic(http.ErrAbortHandler)
	}
}

// TestWriteAnswerLost loses the answer to the head swap. With the store in reach
// the gateway finds out, and the client sees nothing of it; without, it says
// which attempt to ask for, and the question is answered later.
func TestWriteAnswerLost(t *testing.T) {
	for _, test := range []struct {
		applied, dead bool
		outcome       string
	}{
		{true, false, ""}, {false, false, ""}, {true, true, "committed"}, {false, true, "aborted"},
	} {
		t.Run(fmt.Sprintf("applied %v, dead %v", test.applied, test.dead), func(t *testing.T) {
			at := testenv.S3(t)
			s := newBucketStore(t, at, 3)
			p := newProxy(t, at.Endpoint)
			g := serve(t, nil, "--cache-dir", t.TempDir(), "--storage-uri", "s3://"+at.Bucket, "--s3-endpoint-url", p.URL, "--s3-request-timeout-s", "5")
			c := g.connect(t, "onto")
			c.answers(t, `INSERT INTO customer VALUES ('first', 't')`)
			p.set(lose(t, at.Endpoint, test.applied, test.dead))
			c.answers(t, `BEGIN; `+addNew+`; INSERT INTO customer VALUES ('other', 't')`)
			began := time.Now()
			if !test.dead {
				c.answers(t, `COMMIT`)
				c.answers(t, `SHOW ontosql.last_commit_id`, "5")
				p.set(nil)
			} else {
				e := c.refuses(t, `COMMIT`, "08007", "Attempt")
				atMost(t, "an outcome that stays unknown", began, 25*time.Second)
				p.set(nil)
				if e == nil {
					return
				}
				named := regexp.MustCompile(`[0-9]+-[0-9a-f]{8}`).FindString(e.Detail)
				if named == "" || !strings.Contains(e.Hint, "ontosql.commit_outcome('"+named+"')") {
					t.Fatalf("the error names no attempt to ask for: %s", describe(e))
				}
				ask := `SELECT ontosql.commit_outcome('` + named + `')`
				if !test.applied {
					c.answers(t, ask, "in progress")
				}
				c.answers(t, `INSERT INTO customer VALUES ('later', 't')`)
				c.answers(t, ask, test.outcome)
			}
			want := map[bool]string{true: "2", false: "0"}[test.outcome != "aborted"]
			c.answers(t, `SELECT count(*) FROM customer WHERE id IN ('new', 'other')`, want)
			sound(t, s.dir)
		})
	}
}

// TestWriteClientGone: the client leaves while its COMMIT is under way. What the
// store was asked it decides; nothing is half done, and the session ends.
func TestWriteClientGone(t *testing.T) {
	at := testenv.S3(t)
	s := newBucketStore(t, at, 3)
	p := newProxy(t, at.Endpoint)
	g := serve(t, nil, "--cache-dir", t.TempDir(), "--storage-uri", "s3://"+at.Bucket, "--s3-endpoint-url", p.URL)
	c, leaver := g.connect(t, "onto"), g.connect(t, "onto")
	swapping, left := make(chan struct{}), make(chan struct{})
	var once atomic.Bool
	p.set(func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, "/meta/head.json") && once.CompareAndSwap(false, true) {
			close(swapping)
			<-left
		}
		return false
	})
	leaver.answers(t, `BEGIN; `+addNew+`; INSERT INTO customer VALUES ('other', 't')`)
	gone := leaver.Exec(t.Context(), `COMMIT`)
	<-swapping
	_ = leaver.Conn().Close()
	_ = gone.Close()
	time.Sleep(200 * time.Millisecond) // for the gateway to see it
	close(left)
	waitFor(t, "the commit of a client that left", func() bool {
		rows, err := c.ask(t, `SELECT count(*) FROM customer WHERE id IN ('new', 'other')`)
		return err == nil && rows[0] == "2"
	})
	waitFor(t, "the session of a client that left to end", func() bool {
		rows, err := c.ask(t, `SELECT count(*) FROM pg_stat_activity WHERE datname = 'onto' AND pid <> pg_backend_pid()`)
		return err == nil && rows[0] == "0"
	})
	// One that leaves before COMMIT has written nothing.
	leaver = g.connect(t, "onto")
	leaver.answers(t, `BEGIN; INSERT INTO customer VALUES ('never', 't')`)
	_ = leaver.Conn().Close()
	c.answers(t, `INSERT INTO customer VALUES ('never', 'now')`)
	sound(t, s.dir)
}

// TestWriteTerminate: SIGTERM ends a transaction that has written and not committed. None of
// its rows is visible, and the lock object has been deleted.
func TestWriteTerminate(t *testing.T) {
	t.Parallel()
	s := newStore(t, 3)
	g := launch(t, nil, "--cache-dir", t.TempDir(), "--storage-uri", s.dir)
	g.connect(t, "onto").answers(t, `INSERT INTO customer VALUES ('first', 't')`)
	before := objectsOf(t, s.dir)
	delete(before, format.LockKey)
	r := g.raw(t).login(t)
	r.write(t, message('Q', []byte("BEGIN; "+addNew+"\x00")...))
	if e := r.untilReady(t); e != nil {
		t.Fatalf("%s: %s", e.Code, e.Message)
	}
	g.signal(t, syscall.SIGTERM)
	if e := r.untilClosed(t); e == nil || e.Code != "57P01" || e.Severity != "FATAL" {
		t.Errorf("a transaction with staged rows is told %+v at SIGTERM, want FATAL 57P01", e)
	}
	if code := g.wait(t); code != 0 {
		t.Errorf("exit code %d after SIGTERM, want 0; the log:\n%s", code, g.log)
	}
	after := objectsOf(t, s.dir)
	for key := range after {
		if _, ok := before[key]; !ok {
			t.Errorf("%s is new after SIGTERM", key)
		}
	}
	if after["meta/head.json"] != before["meta/head.json"] {
		t.Errorf("the head has moved:\n%s", after["meta/head.json"])
	}
	sound(t, s.dir)
}
