package faults

import (
	"errors"
	"fmt"
	"io"
	stdlog "log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/internal/testenv"
	"github.com/ontosql/ontosql/objstore/s3"
)

// proxy stands between a gateway and an S3 server and misbehaves on demand.
type proxy struct {
	*httptest.Server
	mu     sync.Mutex
	answer func(w http.ResponseWriter, r *http.Request) bool // false passes the request on
}

func newProxy(t *testing.T, endpoint string) *proxy {
	t.Helper()
	target, err := url.Parse(endpoint)
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{}
	onward := httputil.NewSingleHostReverseProxy(target)
	onward.ErrorLog = stdlog.New(io.Discard, "", 0) // of clients that gave up, which is what tests make them do
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		answer := p.answer
		p.mu.Unlock()
		if answer == nil || !answer(w, r) {
			onward.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(p.Close)
	return p
}

func (p *proxy) set(answer func(w http.ResponseWriter, r *http.Request) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answer = answer
}

// hang leaves requests whose path contains part unanswered until the client times out.
func hang(part string) func(http.ResponseWriter, *http.Request) bool {
	return func(_ http.ResponseWriter, r *http.Request) bool {
		if !strings.Contains(r.URL.Path, part) {
			return false
		}
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
		return true
	}
}

// closedPort is a loopback address on which no process listens.
func closedPort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

const query = `SELECT id, tier FROM customer ORDER BY id`

// TestS3 serves one sound store through servers, credentials and addresses that
// are not.
func TestS3(t *testing.T) {
	at := testenv.S3(t)
	b, err := s3.Open(t.Context(), s3.Options{Bucket: at.Bucket, Endpoint: at.Endpoint})
	if err != nil {
		t.Fatal(err)
	}
	s := newStoreIn(t, b, at.Dir, 3)
	before := snapshotOf(t, s.dir)
	uri := "s3://" + at.Bucket
	want := []string{"c2|t2", "c3|t3"}
	t.Run("all", func(t *testing.T) {
		t.Run("right", func(t *testing.T) {
			t.Parallel()
			g := serve(t, nil, "--cache-dir", t.TempDir(), "--storage-uri", uri, "--s3-endpoint-url", at.Endpoint)
			g.connect(t, "onto").answers(t, query, want...)
		})
		t.Run("read-only", func(t *testing.T) {
			t.Parallel()
			endpoint := testenv.S3ReadOnly(t)
			g := serve(t, nil, "--cache-dir", t.TempDir(), "--storage-uri", uri, "--s3-endpoint-url", endpoint)
			c := g.connect(t, "onto")
			c.answers(t, query, want...)
			c.answers(t, `SELECT status, problem FROM ontosql.index_health`, "ok|")
			got := command(t, nil, "preflight", "--storage-uri", uri, "--s3-endpoint-url", endpoint)
			got.check(t, 0, "s3:PutObject", "get", "yes", "no")
			command(t, nil, "init", "--storage-uri", uri+"/new", "--s3-endpoint-url", endpoint).
				check(t, 4, "permission denied", "ontosql preflight")
		})
		for name, test := range map[string]struct {
			env  []string
			uri  string
			args []string
			says []string // in the message or hint of 58030, and on stderr of a command
		}{
			"wrong secret":      {env: []string{"AWS_SECRET_ACCESS_KEY=" + wrongSecret}, says: []string{"permission denied", "ontosql preflight"}},
			"unknown account":   {env: []string{"AWS_ACCESS_KEY_ID=nobody", "AWS_SECRET_ACCESS_KEY=" + wrongSecret}, says: []string{"permission denied", "ontosql preflight"}},
			"no credentials":    {env: []string{"AWS_ACCESS_KEY_ID=", "AWS_SECRET_ACCESS_KEY="}, says: []string{"permission denied", "AWS_ACCESS_KEY_ID"}},
			"no such bucket":    {uri: "s3://nosuchbucket/prefix", says: []string{"no such bucket", "nosuchbucket"}},
			"endpoint down":     {args: []string{"--s3-endpoint-url", "http://" + closedPort(t)}, says: []string{"unreachable", "connection refused"}},
			"unknown host":      {args: []string{"--s3-endpoint-url", "http://nosuch.invalid:9"}, says: []string{"unreachable", "nosuch.invalid"}},
			"no S3 server":      {args: []string{"--s3-endpoint-url", htmlServer(t)}, says: []string{"unreachable"}},
			"https for plain":   {args: []string{"--s3-endpoint-url", strings.Replace(at.Endpoint, "http:", "https:", 1)}, says: []string{"unreachable"}},
			"every request 503": {args: []string{"--s3-endpoint-url", statusServer(t, 503)}, says: []string{"unreachable", "ServiceUnavailable"}},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				args := []string{"--storage-uri", uri, "--s3-endpoint-url", at.Endpoint}
				if test.uri != "" {
					args[1] = test.uri
				}
				args = append(args, test.args...)
				g := serve(t, test.env, append(args, "--cache-dir", t.TempDir())...)
				c := g.connect(t, "onto")
				c.refuses(t, query, "58030", test.says...)
				c.answers(t, `SHOW server_encoding`, "UTF8")
				command(t, test.env, append(args, "info", "--cache-dir", t.TempDir())...).check(t, 5, test.says...)
				command(t, test.env, append(args, "preflight")...).check(t, 5)
				got := command(t, test.env, append(args, "sql", "--cache-dir", t.TempDir(), "-c", query)...)
				got.check(t, 4, test.says...)
			})
		}
		t.Run("slow", func(t *testing.T) {
			t.Parallel()
			testSlow(t, newProxy(t, at.Endpoint), uri, want)
		})
		t.Run("slow data", func(t *testing.T) {
			t.Parallel()
			testSlowData(t, newProxy(t, at.Endpoint), uri, want)
		})
		t.Run("cut answers", func(t *testing.T) {
			t.Parallel()
			testCutAnswers(t, newProxy(t, at.Endpoint), uri, want)
		})
	})
	checkUntouched(t, s.dir, before)
}

// htmlServer answers everything with a page, as a captive portal does.
func htmlServer(t *testing.T) string {
	return answering(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<html><body>Welcome</body></html>")
	})
}

func statusServer(t *testing.T, status int) string {
	return answering(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
}

func answering(t *testing.T, h http.HandlerFunc) string {
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// testSlow lets an endpoint fall silent under a gateway: requests time out,
// and cancel and statement_timeout end the wait before that.
func testSlow(t *testing.T, p *proxy, uri string, want []string) {
	patient := serve(t, nil, "--cache-dir", t.TempDir(), "--storage-uri", uri, "--s3-endpoint-url", p.URL)
	hasty := serve(t, nil, "--cache-dir", t.TempDir(), "--storage-uri", uri, "--s3-endpoint-url", p.URL, "--s3-request-timeout-s", "0.2")
	p.set(hang(""))
	began := time.Now()
	h := hasty.connect(t, "onto")
	h.refuses(t, query, "58030", "unreachable")
	atMost(t, "a request timeout of 0.2 s with repetitions", began, 20*time.Second)

	c := patient.connect(t, "onto")
	began = time.Now()
	err := cancelled(t, c, query)
	wantError(t, "cancel while the store is silent", err, "57014", "canceling statement due to user request")
	atMost(t, "a cancelled statement", began, 20*time.Second)

	began = time.Now()
	c.answers(t, `SET statement_timeout = 300`)
	c.refuses(t, query, "57014", "canceling statement due to statement timeout")
	atMost(t, "a statement with statement_timeout = 300", began, 20*time.Second)
	c.refuses(t, `BEGIN; SELECT * FROM ontosql.commits`, "57014", "canceling statement due to statement timeout")
	c.refuses(t, query, "25P02", "current transaction is aborted")
	c.answers(t, `ROLLBACK`)

	began = time.Now()
	leaver := patient.connect(t, "onto")
	gone := leaver.Exec(t.Context(), query)
	time.Sleep(200 * time.Millisecond) // until the gateway waits for the store
	_ = leaver.Conn().Close()
	_ = gone.Close()

	p.set(nil)
	waitFor(t, "the hasty one to read all of it", func() bool { // 0.2 s may be short for a request
		rows, err := h.ask(t, query)
		return err == nil && cmp.Equal(rows, want)
	})
	c.answers(t, query, want...)
	waitFor(t, "the session of a client that left to end", func() bool {
		rows, err := c.ask(t, `SELECT count(*) FROM pg_stat_activity WHERE datname = 'onto' AND pid <> pg_backend_pid()`)
		return err == nil && rows[0] == "0"
	})
	// Far below the minutes that a session would wait for a silent store; on a
	// busy machine the catalog's first fill is in it too.
	atMost(t, "the session of a client that left", began, time.Minute)
}

// testSlowData is testSlow for the data files alone, after head and manifests
// were read.
func testSlowData(t *testing.T, p *proxy, uri string, want []string) {
	g := serve(t, nil, "--cache-dir", t.TempDir(), "--storage-uri", uri, "--s3-endpoint-url", p.URL)
	p.set(hang(".parquet"))
	c := g.connect(t, "onto")
	err := cancelled(t, c, query)
	wantError(t, "cancel while data files are fetched", err, "57014", "canceling statement due to user request")
	c.answers(t, `SET statement_timeout = '300ms'`)
	c.refuses(t, query, "57014", "canceling statement due to statement timeout")
	c.answers(t, `RESET statement_timeout; SELECT count(*) FROM ontosql.commits`, "3")

	// A shutdown waits for the statement for a while, then ends it.
	busy := g.connect(t, "onto")
	running := make(chan error, 1)
	go func() {
		_, err := busy.Exec(t.Context(), query).ReadAll()
		running <- err
	}()
	waitFor(t, "the statement to run", func() bool {
		rows, err := c.ask(t, `SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid()`)
		return err == nil && rows[0] == "1"
	})
	g.signal(t, syscall.SIGTERM)
	select {
	case err := <-running:
		wantError(t, "a statement that a shutdown ends", err, "57P01", "terminating connection due to administrator command")
	case <-time.After(testenv.Patience):
		t.Errorf("a statement that waits for a silent store outlives the shutdown")
	}
	if code := g.wait(t); code != 0 {
		t.Errorf("after SIGTERM during a statement the gateway exited with %d, want 0; its log:\n%s", code, g.log)
	}
	p.set(nil)
	again := serve(t, nil, "--cache-dir", t.TempDir(), "--storage-uri", uri, "--s3-endpoint-url", p.URL)
	again.connect(t, "onto").answers(t, query, want...)
}

// testCutAnswers closes the connection in the middle of every data file, and
// then lies about their length.
func testCutAnswers(t *testing.T, p *proxy, uri string, want []string) {
	g := serve(t, nil, "--cache-dir", t.TempDir(), "--storage-uri", uri, "--s3-endpoint-url", p.URL)
	c := g.connect(t, "onto")
	p.set(func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, ".parquet") {
			return false
		}
		w.Header().Set("Content-Length", "4096")
		w.Header().Set("ETag", `"0123456789abcdef0123456789abcdef"`)
		_, _ = w.Write(make([]byte, 1000))
		panic(http.ErrAbortHandler)
	})
	c.refuses(t, query, "58030", "unreachable")
	p.set(func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, ".parquet") {
			return false
		}
		w.Header().Set("ETag", `"0123456789abcdef0123456789abcdef"`)
		_, _ = fmt.Fprint(w, "PAR1 and no more")
		return true
	})
	c.refuses(t, query, "XX001", "sha256")
	p.set(nil)
	c.answers(t, query, want...)
}

// cancelled runs SQL, sends a cancel request once it runs, and returns its
// error.
func cancelled(t *testing.T, c *client, sql string) error {
	t.Helper()
	done := make(chan error, 1)
	go func() {
		_, err := c.Exec(t.Context(), sql).ReadAll()
		done <- err
	}()
	for {
		select {
		case err := <-done:
			return err
		case <-time.After(200 * time.Millisecond): // a cancel request for an idle session does nothing
			if err := c.CancelRequest(t.Context()); err != nil && !errors.Is(err, io.EOF) {
				t.Fatalf("send a cancel request: %v", err)
			}
		}
	}
}

// atMost bounds a wait. The bounds are wide, for busy machines, and below the 40
// s that a silent store would take with four attempts of 10 s.
func atMost(t *testing.T, what string, began time.Time, limit time.Duration) {
	t.Helper()
	if took := time.Since(began); took > limit {
		t.Errorf("%s took %s, want at most %s", what, took.Round(time.Millisecond), limit)
	}
}

// waitFor asks until the answer is yes.
func waitFor(t *testing.T, what string, yes func() bool) {
	t.Helper()
	for deadline := time.Now().Add(testenv.Patience); !yes(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited %s for %s", testenv.Patience, what)
		}
	}
}
