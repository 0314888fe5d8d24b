package s3_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ontosql/ontosql/internal/testenv"
	"github.com/ontosql/ontosql/objstore/s3"
)

// TestConnectionsAreKept: the uploads of one group of commits leave their
// connections to those of the next.
func TestConnectionsAreKept(t *testing.T) {
	testenv.AWS(t, "AKIATEST", "the-secret")
	const objects, groups = 128, 3
	var dialled atomic.Int32
	var here sync.WaitGroup // all uploads of a group are at the server at once
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		here.Done()
		here.Wait()
		w.Header().Set("ETag", `"v"`)
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			dialled.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	b := open(t, s3.Options{Bucket: "bucket", Endpoint: server.URL})
	for group := range groups {
		here.Add(objects)
		var uploads sync.WaitGroup
		for i := range objects {
			uploads.Go(func() {
				if _, err := b.Put(t.Context(), fmt.Sprintf("commits/%d/%d", group, i), []byte("x")); err != nil {
					t.Error(err)
				}
			})
		}
		uploads.Wait()
	}
	// A connection may be dialled for an upload that then finds a free one.
	if n := dialled.Load(); n > objects*3/2 {
		t.Errorf("%d uploads at a time, %d times, took %d connections, want about %d", objects, groups, n, objects)
	}
}
