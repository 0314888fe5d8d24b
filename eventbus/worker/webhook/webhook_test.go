package webhook_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/eventbus/worker/webhook"
	"github.com/ontosql/ontosql/format"
)

func delivery() *eventbus.Delivery {
	return &eventbus.Delivery{
		Event: format.Event{ID: "e1", Namespace: "n", Type: "order.placed", Payload: []byte(`{"a":"é"}`), CreatedAt: format.TimeOf(time.Unix(0, 0)), Priority: 100, RootEventID: "e1"},
		Lease: eventbus.Lease{Handler: "h"}, Attempts: 2,
	}
}

// TestRequest: what the other side gets, with the signature that RFC 2104 and openssl dgst -sha256
// -hmac say.
func TestRequest(t *testing.T) {
	const body = `{"attempts":2,"chain_depth":0,"created_at":"1970-01-01T00:00:00.000000+00:00","handler_id":"h","id":"e1","namespace":"n","payload":{"a":"\u00e9"},"priority":100,"root_event_id":"e1","type":"order.placed"}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got, _ := io.ReadAll(r.Body)
		if r.Method != "POST" || r.Header.Get("Content-Type") != "application/json" || r.Header.Get("Ontosql-Event-Id") != "e1" || string(got) != body {
			t.Errorf("%s %v\n%s\nwant\n%s", r.Method, r.Header, got, body)
		}
		if got := r.Header.Get("Ontosql-Signature"); got != webhook.Sign([]byte("secret"), []byte(body)) || len(got) != len("sha256=")+64 {
			t.Errorf("signature %q", got)
		}
		w.WriteHeader(http.StatusAccepted)
	}))
	defer server.Close()
	h, err := webhook.New(webhook.Options{URL: server.URL, Secret: []byte("secret")})
	if err != nil {
		t.Fatal(err)
	}
	if follow, err := h.Handle(t.Context(), delivery()); err != nil || follow != nil {
		t.Errorf("%v, %v", follow, err)
	}
	if got := webhook.Sign([]byte("key"), []byte("The quick brown fox jumps over the lazy dog")); got != "sha256=f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8" {
		t.Errorf("Sign: %s", got)
	}
}

// TestFailures: what is no success, and what it is called.
func TestFailures(t *testing.T) {
	var followed atomic.Bool
	hang := make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("/500", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(500)
		_, _ = io.WriteString(w, "\nno disk\nleft")
	})
	mux.HandleFunc("/redirect", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/ok", http.StatusTemporaryRedirect) })
	mux.HandleFunc("/ok", func(http.ResponseWriter, *http.Request) { followed.Store(true) })
	mux.HandleFunc("/hang", func(http.ResponseWriter, *http.Request) { <-hang })
	mux.HandleFunc("/body", func(w http.ResponseWriter, _ *http.Request) { // the answer is there before its body
		w.WriteHeader(200)
		w.(http.Flusher).Flush()
		<-hang
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	for path, want := range map[string]string{
		"/500": "the webhook answered 500 Internal Server Error: no disk", "/redirect": "the webhook answered 307 Temporary Redirect",
		"/none": "the webhook answered 404 Not Found: 404 page not found", "/hang?token=x": "the webhook did not answer in time", "/body": "",
	} {
		h, err := webhook.New(webhook.Options{URL: server.URL + path, Timeout: 300 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		_, err = h.Handle(t.Context(), delivery())
		switch {
		case want == "" && err == nil:
		case err == nil, !strings.HasPrefix(err.Error(), want), strings.Contains(err.Error(), "token"):
			t.Errorf("%s: %v, want %s", path, err, want)
		}
	}
	if followed.Load() {
		t.Error("a redirect was followed")
	}
	close(hang)
	server.Close()
	h, _ := webhook.New(webhook.Options{URL: server.URL})
	if _, err := h.Handle(t.Context(), delivery()); err == nil || strings.Contains(err.Error(), "Post ") {
		t.Errorf("nobody there: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := h.Handle(ctx, delivery()); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
	for _, bad := range []string{"", "ftp://host/x", "http:///x", "host:80", "http://%"} {
		if _, err := webhook.New(webhook.Options{URL: bad}); !errors.Is(err, webhook.ErrURL) {
			t.Errorf("New(%q): %v", bad, err)
		}
	}
}
