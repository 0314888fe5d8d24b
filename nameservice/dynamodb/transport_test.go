package dynamodb

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ontosql/ontosql/internal/testenv"
)

// exchange is a request and how it was answered.
type exchange struct {
	op   string // "PutItem"
	body string
}

// transport notes requests and answers some of them itself.
type transport struct {
	// answer may answer the nth request of all, counted from 0. A response and an error that are both
	// nil mean that the server answers.
	answer func(n int, e exchange) (*http.Response, error)
	// lose says that the server gets the nth request and its answer is lost.
	lose func(n int, e exchange) bool
	// spoil says that the server gets the nth request and its answer is that something has failed.
	spoil func(n int, e exchange) bool

	mu   sync.Mutex
	seen []exchange
}

var errLost = errors.New("connection reset by the test")

func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r = r.Clone(r.Context())
	r.Body = io.NopCloser(strings.NewReader(string(body)))
	_, op, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	e := exchange{op, string(body)}
	t.mu.Lock()
	n := len(t.seen)
	t.seen = append(t.seen, e)
	t.mu.Unlock()
	if t.answer != nil {
		if resp, err := t.answer(n, e); resp != nil || err != nil {
			return resp, err
		}
	}
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err == nil && t.lose != nil && t.lose(n, e) {
		resp.Body.Close()
		return nil, errLost
	}
	if err == nil && t.spoil != nil && t.spoil(n, e) {
		resp.Body.Close()
		return refusal(500, "InternalServerError", "as the test says"), nil
	}
	return resp, err
}

// ops are the requests in order.
func (t *transport) ops() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := make([]string, len(t.seen))
	for i, e := range t.seen {
		all[i] = e.op
	}
	return all
}

// count is how often an operation was asked for.
func (t *transport) count(op string) (n int) {
	for _, o := range t.ops() {
		if o == op {
			n++
		}
	}
	return n
}

// last is the body of the last request of an operation.
func (t *transport) last(tb testing.TB, op string, to any) {
	tb.Helper()
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, e := range slices.Backward(t.seen) {
		if e.op == op {
			if err := json.Unmarshal([]byte(e.body), to); err != nil {
				tb.Fatal(err)
			}
			return
		}
	}
	tb.Fatalf("no %s among the requests", op)
}

func response(status int, body string) *http.Response {
	return &http.Response{
		StatusCode: status, Status: http.StatusText(status), ProtoMajor: 1, ProtoMinor: 1,
		Header:        http.Header{"Content-Type": {"application/x-amz-json-1.0"}, "X-Amzn-Requestid": {"REQ42"}, "Date": {time.Now().UTC().Format(http.TimeFormat)}},
		Body:          io.NopCloser(strings.NewReader(body)),
		ContentLength: int64(len(body)),
	}
}

// refusal is how DynamoDB says that it has refused a request.
func refusal(status int, code, message string) *http.Response {
	return response(status, fmt.Sprintf(`{"__type":"com.amazonaws.dynamodb.v20120810#%s","message":%q}`, code, message))
}

// alone is a service without a server: transport answers everything.
func alone(t *testing.T, tr *transport) *Service {
	t.Helper()
	testenv.AWS(t, "AKIATEST", "the-secret")
	s, err := Open(t.Context(), Options{
		Table: "names", Endpoint: "http://127.0.0.1:1", Transport: tr,
		Backoff: func(int) time.Duration { return 0 },
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}
