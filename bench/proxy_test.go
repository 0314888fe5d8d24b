package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestProxyDelaysAndCounts sends 64 requests at once through a proxy that
// delays each of them: all take the delay, and none waits for another.
func TestProxyDelaysAndCounts(t *testing.T) {
	const delay = 250 * time.Millisecond
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Errorf("body at the server: %v", err)
		}
		_, _ = w.Write(body)
	}))
	defer server.Close()
	p, err := startProxy(strings.TrimPrefix(server.URL, "http://"), delay)
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	client := &http.Client{Transport: &http.Transport{ExpectContinueTimeout: time.Minute}}
	defer client.CloseIdleConnections()

	began := time.Now()
	var all sync.WaitGroup
	for i := range 64 {
		all.Go(func() {
			want := bytes.Repeat([]byte{byte('a' + i%26)}, i*1000) // some longer than every buffer
			req, err := http.NewRequestWithContext(t.Context(), []string{http.MethodPut, http.MethodGet}[i%2], p.endpoint(), bytes.NewReader(want))
			if err != nil {
				t.Error(err)
				return
			}
			if i%4 == 0 {
				req.Header.Set("Expect", "100-continue")
			}
			got, took, err := ask(client, req)
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("request %d: got %d bytes, %v; want the %d that were sent", i, len(got), err, len(want))
			}
			if took < delay {
				t.Errorf("request %d: answered after %s, want no less than %s", i, took, delay)
			}
		})
	}
	all.Wait()
	if took := time.Since(began); took > 32*delay {
		t.Errorf("64 requests at once: got %s, want far less than 64 delays of %s", took, delay)
	}
	if diff := cmp.Diff(requestCounts{"PUT": 32, "GET": 32}, p.counts()); diff != "" {
		t.Errorf("requests counted (-want +got):\n%s", diff)
	}
}

func ask(c *http.Client, req *http.Request) ([]byte, time.Duration, error) {
	began := time.Now()
	resp, err := c.Do(req)
	if err != nil {
		return nil, 0, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, 0, fmt.Errorf("status %s", resp.Status)
	}
	body, err := io.ReadAll(resp.Body)
	return body, time.Since(began), err
}

func TestRequestCountsSince(t *testing.T) {
	before := requestCounts{"GET": 3, "PUT": 5}
	now := requestCounts{"GET": 3, "PUT": 9, "DELETE": 1}
	if diff := cmp.Diff(requestCounts{"PUT": 4, "DELETE": 1}, now.since(before)); diff != "" {
		t.Errorf("requests since the earlier count (-want +got):\n%s", diff)
	}
}
