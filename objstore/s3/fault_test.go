package s3_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ontosql/ontosql/internal/testenv"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/s3"
)

// fake is a server that answers every request in one way and counts them.
func fake(t *testing.T, answer http.HandlerFunc) (*s3.Bucket, *atomic.Int32) {
	t.Helper()
	return fakeWithin(t, 10*time.Second, answer)
}

// fakeWithin is fake for a client with a request timeout.
func fakeWithin(t *testing.T, timeout time.Duration, answer http.HandlerFunc) (*s3.Bucket, *atomic.Int32) {
	t.Helper()
	testenv.AWS(t, "AKIATEST", "the-secret")
	var requests atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		io.Copy(io.Discard, r.Body)
		answer(w, r)
	}))
	t.Cleanup(server.Close)
	b := open(t, s3.Options{Bucket: "bucket", Prefix: "p", Endpoint: server.URL, RequestTimeout: timeout})
	return b, &requests
}

func refuse(status int, code string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Amz-Request-Id", "REQ42")
		w.Header().Set("Date", time.Now().UTC().Format(http.TimeFormat))
		w.WriteHeader(status)
		if code != "" && r.Method != http.MethodHead {
			fmt.Fprintf(w, `<?xml version="1.0"?><Error><Code>%s</Code><Message>as the test says</Message><AWSAccessKeyId>AKIATEST</AWSAccessKeyId></Error>`, code)
		}
	}
}

func TestErrorWords(t *testing.T) {
	get := func(b *s3.Bucket) error { _, _, err := b.Get(t.Context(), "k"); return err }
	swap := func(b *s3.Bucket) error { _, err := b.Swap(t.Context(), "k", `"v"`, nil); return err }
	create := func(b *s3.Bucket) error { _, err := b.Swap(t.Context(), "k", objstore.Absent, nil); return err }
	deleteIf := func(b *s3.Bucket) error { return b.DeleteIf(t.Context(), "k", `"v"`) }
	put := func(b *s3.Bucket) error { _, err := b.Put(t.Context(), "k", nil); return err }
	list := func(b *s3.Bucket) error {
		return b.List(t.Context(), "", func(objstore.Object) error { return nil })
	}
	for _, tc := range []struct {
		op       string
		ask      func(*s3.Bucket) error
		status   int
		code     string
		want     error
		requests int32
	}{
		{"get", get, 404, "NoSuchKey", objstore.ErrNotFound, 1},
		{"get", get, 404, "", objstore.ErrUnreachable, 1},
		{"get", get, 404, "XAdminUserNotFound", objstore.ErrDenied, 1},
		{"get", get, 404, "NoSuchBucket", objstore.ErrNoBucket, 1},
		{"get", get, 403, "AccessDenied", objstore.ErrDenied, 1},
		{"get", get, 403, "InvalidAccessKeyId", objstore.ErrDenied, 1},
		{"get", get, 403, "SignatureDoesNotMatch", objstore.ErrDenied, 1},
		{"get", get, 401, "", objstore.ErrDenied, 1},
		{"get", get, 400, "ExpiredToken", objstore.ErrDenied, 1},
		{"get", get, 500, "InternalError", objstore.ErrUnreachable, 4},
		{"get", get, 503, "SlowDown", objstore.ErrUnreachable, 4},
		{"get", get, 502, "", objstore.ErrUnreachable, 4},
		{"put", put, 403, "RequestTimeTooSkewed", objstore.ErrClockSkew, 1},
		{"put", put, 403, "RequestTimeTooSkewed", objstore.ErrDenied, 1},
		{"put", put, 500, "InternalError", objstore.ErrUnreachable, 4},
		{"put", put, 404, "NoSuchBucket", objstore.ErrNoBucket, 1},
		{"put", put, 400, "KeyTooLongError", objstore.ErrInvalidKey, 1},
		{"put", put, 507, "InsufficientStorage", objstore.ErrFull, 1},
		{"put", put, 507, "XMinioStorageFull", objstore.ErrFull, 1},
		{"put", put, 403, "QuotaExceeded", objstore.ErrFull, 1},
		{"put", put, 400, "XMinioAdminBucketQuotaExceeded", objstore.ErrFull, 1},
		{"list", list, 404, "", objstore.ErrUnreachable, 1},
		{"list", list, 404, "NoSuchBucket", objstore.ErrNoBucket, 1},
		{"list", list, 403, "AccessDenied", objstore.ErrDenied, 1},
		{"swap", swap, 412, "PreconditionFailed", objstore.ErrPreconditionFailed, 1},
		{"swap", create, 412, "", objstore.ErrPreconditionFailed, 1},
		{"swap", swap, 404, "NoSuchKey", objstore.ErrPreconditionFailed, 1},
		{"swap", swap, 409, "ConditionalRequestConflict", objstore.ErrConflict, 1},
		{"swap", create, 409, "ConditionalRequestConflict", objstore.ErrConflict, 1},
		{"swap", swap, 403, "AccessDenied", objstore.ErrDenied, 1},
		{"swap", swap, 403, "RequestTimeTooSkewed", objstore.ErrClockSkew, 1},
		{"swap", swap, 501, "NotImplemented", errors.ErrUnsupported, 1},
		{"swap", swap, 500, "InternalError", objstore.ErrUnreachable, 1},
		{"swap", swap, 503, "SlowDown", objstore.ErrUnreachable, 1},
		{"swap", create, 500, "", objstore.ErrUnreachable, 1},
		{"swap", swap, 507, "InsufficientStorage", objstore.ErrFull, 1},
		{"delete if", deleteIf, 412, "PreconditionFailed", objstore.ErrPreconditionFailed, 1},
		{"delete if", deleteIf, 500, "InternalError", objstore.ErrUnreachable, 1},
	} {
		t.Run(fmt.Sprint(tc.op, " ", tc.status, " ", tc.code), func(t *testing.T) {
			b, requests := fake(t, refuse(tc.status, tc.code))
			err := tc.ask(b)
			if !errors.Is(err, tc.want) {
				t.Errorf("got %v, want %v", err, tc.want)
			}
			if got := requests.Load(); got != tc.requests {
				t.Errorf("sent %d times, want %d", got, tc.requests)
			}
			var e *objstore.Error
			if !errors.As(err, &e) || e.Op != tc.op || e.Bucket != "bucket" || !strings.HasPrefix(e.Key, "p/") || e.RequestID != "REQ42" {
				t.Errorf("facts of the error: got %+v, want operation, bucket, full key and request id", e)
			}
			if text := err.Error(); strings.Contains(text, "AKIATEST") || strings.Contains(text, "the-secret") {
				t.Errorf("credentials in %q", text)
			}
		})
	}
}

// TestNoS3Server asks a web server that has a page for everything.
func TestNoS3Server(t *testing.T) {
	b, _ := fake(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<html>welcome</html>") })
	_, _, getErr := b.Get(t.Context(), "k")
	_, _, openErr := b.Open(t.Context(), "k")
	_, swapErr := b.Swap(t.Context(), "k", objstore.Absent, nil)
	listErr := b.List(t.Context(), "", func(objstore.Object) error { return nil })
	for op, err := range map[string]error{"get": getErr, "open": openErr, "swap": swapErr, "list": listErr} {
		if !errors.Is(err, objstore.ErrUnreachable) {
			t.Errorf("%s: got %v, want %v", op, err, objstore.ErrUnreachable)
		}
	}
}

func TestWrongRegionIsNamed(t *testing.T) {
	b, _ := fake(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Amz-Bucket-Region", "eu-central-1")
		refuse(301, "PermanentRedirect")(w, r)
	})
	_, _, err := b.Get(t.Context(), "k")
	if err == nil || !strings.Contains(err.Error(), "eu-central-1") {
		t.Errorf("Get from a bucket in another region: got %v, want an error that names the region", err)
	}
}

// hang answers nothing until the client goes away.
func hang(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// begin answers the first half of an object and then nothing.
func begin(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Length", "10")
	w.Header().Set("ETag", `"v"`)
	io.WriteString(w, "12345")
	w.(http.Flusher).Flush()
	<-r.Context().Done()
}

func TestSilentServer(t *testing.T) {
	for _, tc := range []struct {
		op       string
		answer   http.HandlerFunc
		ask      func(b *s3.Bucket) error
		requests int32
	}{
		{"get", hang, func(b *s3.Bucket) error { _, _, err := b.Get(t.Context(), "k"); return err }, 4},
		{"get that begins", begin, func(b *s3.Bucket) error { _, _, err := b.Get(t.Context(), "k"); return err }, 4},
		{"swap", hang, func(b *s3.Bucket) error { _, err := b.Swap(t.Context(), "k", `"v"`, []byte("x")); return err }, 1},
		{"delete if", hang, func(b *s3.Bucket) error { return b.DeleteIf(t.Context(), "k", `"v"`) }, 1},
		{"open that begins", begin, func(b *s3.Bucket) error {
			r, _, err := b.Open(t.Context(), "k")
			if err != nil {
				return err
			}
			defer r.Close()
			_, err = io.ReadAll(r)
			return err
		}, 1},
	} {
		t.Run(tc.op, func(t *testing.T) {
			b, requests := fakeWithin(t, 500*time.Millisecond, tc.answer)
			began := time.Now()
			err := tc.ask(b)
			if !errors.Is(err, objstore.ErrUnreachable) || errors.Is(err, context.Canceled) {
				t.Errorf("got %v, want %v and no cancelled context", err, objstore.ErrUnreachable)
			}
			if took := time.Since(began); took > 30*time.Second { // far more than four requests take, and less than without the setting
				t.Errorf("took %v with a request timeout of 500 ms", took)
			}
			if got := requests.Load(); got != tc.requests {
				t.Errorf("sent %d times, want %d", got, tc.requests)
			}
		})
	}
}

// TestSlowIsNotSilent takes longer than the request timeout over one object.
func TestSlowIsNotSilent(t *testing.T) {
	b, requests := fakeWithin(t, 2*time.Second, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"v"`)
		for range 6 {
			io.WriteString(w, "12345")
			w.(http.Flusher).Flush()
			time.Sleep(400 * time.Millisecond)
		}
	})
	body, _, err := b.Get(t.Context(), "k")
	if err != nil || len(body) != 30 || requests.Load() != 1 {
		t.Errorf("Get of a slow object: got %d bytes after %d requests, %v; want 30 after one", len(body), requests.Load(), err)
	}
}

// TestSlowReader pauses between two reads for longer than the request timeout.
func TestSlowReader(t *testing.T) {
	const timeout = time.Second
	b, _ := fakeWithin(t, timeout, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("ETag", `"v"`)
		io.WriteString(w, "12345")
	})
	r, _, err := b.Open(t.Context(), "k")
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	defer r.Close()
	head := make([]byte, 2)
	if _, err := io.ReadFull(r, head); err != nil {
		t.Fatalf("read: %v", err)
	}
	time.Sleep(timeout + timeout/2)
	if rest, err := io.ReadAll(r); string(rest) != "345" || err != nil {
		t.Errorf("read on after a pause: got %q, %v; want the rest", rest, err)
	}
}

func TestCancelWhileTheServerHangs(t *testing.T) {
	cause := errors.New("the client has gone")
	for op, ask := range map[string]func(context.Context, *s3.Bucket) error{
		"get":  func(ctx context.Context, b *s3.Bucket) error { _, _, err := b.Get(ctx, "k"); return err },
		"put":  func(ctx context.Context, b *s3.Bucket) error { _, err := b.Put(ctx, "k", nil); return err },
		"swap": func(ctx context.Context, b *s3.Bucket) error { _, err := b.Swap(ctx, "k", `"v"`, nil); return err },
		"list": func(ctx context.Context, b *s3.Bucket) error {
			return b.List(ctx, "", func(objstore.Object) error { return nil })
		},
	} {
		for name, answer := range map[string]http.HandlerFunc{"hangs": hang, "says to retry": refuse(503, "SlowDown")} {
			t.Run(op+" "+name, func(t *testing.T) {
				if op == "swap" && name != "hangs" {
					return // is not retried
				}
				asked := make(chan struct{}, 8)
				b, _ := fake(t, func(w http.ResponseWriter, r *http.Request) {
					asked <- struct{}{}
					answer(w, r)
				})
				ctx, cancel := context.WithCancelCause(t.Context())
				ended := make(chan time.Time, 1)
				go func() {
					<-asked
					ended <- time.Now()
					cancel(cause)
				}()
				err := ask(ctx, b)
				if took := time.Since(<-ended); took > 5*time.Second { // less than the request timeout
					t.Errorf("returned %v after the context ended, want at once", took)
				}
				if !errors.Is(err, cause) || !errors.Is(err, context.Canceled) {
					t.Errorf("got %v, want the cause and context.Canceled", err)
				}
			})
		}
	}
}

func TestServerDown(t *testing.T) {
	testenv.AWS(t, "AKIATEST", "the-secret")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	b := open(t, s3.Options{Bucket: "bucket", Endpoint: "http://" + l.Addr().String()})
	if _, _, err := b.Get(t.Context(), "k"); !errors.Is(err, objstore.ErrUnreachable) {
		t.Errorf("Get from a port where nobody listens: got %v, want %v", err, objstore.ErrUnreachable)
	}
}

// TestConnectionLost drops the connection after the request was read: the SDK,
// net/http and we must each leave a conditional write alone.
func TestConnectionLost(t *testing.T) {
	drop := func(w http.ResponseWriter, _ *http.Request) {
		c, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			c.Close()
		}
	}
	b, requests := fake(t, drop)
	_, err := b.Swap(t.Context(), "k", `"v"`, []byte("body"))
	if !errors.Is(err, objstore.ErrUnreachable) || requests.Load() != 1 {
		t.Errorf("Swap: got %v after %d requests, want %v after one", err, requests.Load(), objstore.ErrUnreachable)
	}
	b, requests = fake(t, drop)
	if _, _, err := b.Get(t.Context(), "k"); !errors.Is(err, objstore.ErrUnreachable) || requests.Load() < 4 {
		t.Errorf("Get: got %v after %d requests, want %v after several", err, requests.Load(), objstore.ErrUnreachable)
	} else if errors.Is(err, io.EOF) {
		t.Errorf("Get: %v has io.EOF inside, which a reader of rows takes for their end", err)
	}
}

// TestAnswerBreaksOff sends half of the object the first time.
func TestAnswerBreaksOff(t *testing.T) {
	var asked atomic.Int32
	b, _ := fake(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("ETag", `"v"`)
		w.Header().Set("Content-Length", "10")
		io.WriteString(w, "12345")
		if asked.Add(1) > 1 {
			io.WriteString(w, "67890")
		}
	})
	body, v, err := b.Get(t.Context(), "k")
	if string(body) != "1234567890" || v != `"v"` || err != nil {
		t.Errorf("Get: got %q, version %s, %v; want the whole object of the second answer", body, v, err)
	}
}

func TestServerIgnoresRange(t *testing.T) {
	b, _ := fake(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("ETag", `"v"`)
		io.WriteString(w, "0123456789")
	})
	if got, err := b.GetRange(t.Context(), "k", 3, 4); string(got) != "3456" || err != nil {
		t.Errorf("4 bytes from 3: got %q, %v; want %q", got, err, "3456")
	}
}
