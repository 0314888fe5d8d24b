package s3_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/internal/testenv"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/objstoretest"
	"github.com/ontosql/ontosql/objstore/s3"
)

func TestContract(t *testing.T) {
	objstoretest.Run(t, func(t *testing.T) objstore.Bucket { return gateway{fresh(t, "some/onto prod")} })
}

func TestCopy(t *testing.T) {
	objstoretest.RunCopy(t, func(t *testing.T) (to, from objstore.Bucket) {
		store := testenv.S3(t)
		options := func(prefix string) s3.Options {
			return s3.Options{Bucket: store.Bucket, Prefix: prefix, Endpoint: store.Endpoint}
		}
		return gateway{open(t, options("to"))}, open(t, options("from+ prod%"))
	})
}

// TestCopyParts copies an object that the server refuses to copy in one request.
func TestCopyParts(t *testing.T) {
	const size = 5<<30 + 1
	var mu sync.Mutex
	ranges := map[string]bool{}
	completed := ""
	b, _ := fake(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		switch q := r.URL.Query(); {
		case r.Method == http.MethodHead:
			w.Header().Set("Content-Length", strconv.Itoa(size))
			w.Header().Set("ETag", `"etag"`)
		case r.Method == http.MethodPost && q.Has("uploads"):
			fmt.Fprint(w, `<InitiateMultipartUploadResult><UploadId>U</UploadId></InitiateMultipartUploadResult>`)
		case r.Method == http.MethodPut && q.Has("partNumber"):
			ranges[q.Get("partNumber")+" "+r.Header.Get("X-Amz-Copy-Source-Range")+" "+r.Header.Get("X-Amz-Copy-Source-If-Match")] = true
			fmt.Fprint(w, `<CopyPartResult><ETag>"part"</ETag></CopyPartResult>`)
		case r.Method == http.MethodPost:
			completed = q.Get("uploadId")
			fmt.Fprint(w, `<CompleteMultipartUploadResult><ETag>"all"</ETag></CompleteMultipartUploadResult>`)
		default:
			refuse(http.StatusBadRequest, "InvalidRequest")(w, r)
		}
	})
	if err := objstore.Copy(t.Context(), b, b, []string{"snapshots/large"}); err != nil {
		t.Fatalf("Copy: %v", err)
	}
	if len(ranges) != 11 || !ranges[`11 bytes=5368709120-5368709120 "etag"`] || !ranges[`1 bytes=0-536870911 "etag"`] || completed != "U" {
		t.Errorf("parts of %d bytes: got %v, completed %q; want 11 of 512 MiB and the rest", size, ranges, completed)
	}
}

// gateway removes from lists the temporary names of versitygw v1.8.0, which replaces an object
// by way of a second name, ".NAME.sgwtmp.NUMBER", and lists that name for the moment it exists.
type gateway struct{ *s3.Bucket }

func (g gateway) List(ctx context.Context, prefix string, fn func(objstore.Object) error) error {
	return g.Bucket.List(ctx, prefix, func(o objstore.Object) error {
		if strings.Contains(o.Key, ".sgwtmp.") {
			return nil
		}
		return fn(o)
	})
}

func fresh(t *testing.T, prefix string) *s3.Bucket {
	t.Helper()
	store := testenv.S3(t)
	return open(t, s3.Options{Bucket: store.Bucket, Prefix: prefix, Endpoint: store.Endpoint})
}

func open(t *testing.T, opts s3.Options) *s3.Bucket {
	t.Helper()
	b, err := s3.Open(t.Context(), opts)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	return b
}

// TestPrefixes opens two stores in one bucket whose prefixes begin alike.
func TestPrefixes(t *testing.T) {
	store := testenv.S3(t)
	a := open(t, s3.Options{Bucket: store.Bucket, Prefix: "/a/", Endpoint: store.Endpoint + "/"})
	ab := open(t, s3.Options{Bucket: store.Bucket, Prefix: "ab", Endpoint: store.Endpoint})
	for _, b := range []*s3.Bucket{a, ab} {
		if _, err := b.Put(t.Context(), "meta/k", []byte(b.String())); err != nil {
			t.Fatalf("Put: %v", err)
		}
	}
	for _, b := range []*s3.Bucket{a, ab} {
		var keys []string
		err := b.List(t.Context(), "", func(o objstore.Object) error {
			keys = append(keys, o.Key)
			return nil
		})
		if diff := cmp.Diff([]string{"meta/k"}, keys); diff != "" || err != nil {
			t.Errorf("List of %s: %v (-want +got)\n%s", b, err, diff)
		}
	}
	if err := a.Delete(t.Context(), "meta/k"); err != nil {
		t.Fatalf("Delete: %v", err)
	}
	if body, _, err := ab.Get(t.Context(), "meta/k"); string(body) != ab.String() || err != nil {
		t.Errorf("Get from the sibling after a Delete: got %q, %v", body, err)
	}
	whole := open(t, s3.Options{Bucket: store.Bucket, Endpoint: store.Endpoint})
	if body, _, err := whole.Get(t.Context(), "ab/meta/k"); string(body) != ab.String() || err != nil {
		t.Errorf("Get by the full key from the store without prefix: got %q, %v", body, err)
	}
	if want := "s3://" + store.Bucket + "/a"; a.String() != want {
		t.Errorf("String: got %q, want %q", a.String(), want)
	}
}

func TestRefusals(t *testing.T) {
	store := testenv.S3(t)
	b := open(t, s3.Options{Bucket: store.Bucket, Prefix: "p", Endpoint: store.Endpoint})
	v, err := b.Put(t.Context(), "k", []byte("body"))
	if err != nil {
		t.Fatalf("Put: %v", err)
	}
	all := func(b *s3.Bucket) map[string]error {
		_, _, getErr := b.Get(t.Context(), "k")
		_, putErr := b.Put(t.Context(), "k", nil)
		_, swapErr := b.Swap(t.Context(), "k", v, nil)
		return map[string]error{
			"get": getErr, "put": putErr, "swap": swapErr,
			"delete": b.Delete(t.Context(), "k"), "delete if": b.DeleteIf(t.Context(), "k", v),
			"list": b.List(t.Context(), "", func(objstore.Object) error { return nil }),
		}
	}
	check := func(story string, errs map[string]error, want error, ops ...string) {
		t.Helper()
		for _, op := range ops {
			err := errs[op]
			var e *objstore.Error
			if !errors.Is(err, want) || !errors.As(err, &e) || e.Op != op {
				t.Errorf("%s: %s: got %v, want an *objstore.Error of it that wraps %v", story, op, err, want)
				continue
			}
			if strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "AKIA") {
				t.Errorf("%s: %s: credentials in %q", story, op, err)
			}
		}
	}
	everything := []string{"get", "put", "swap", "delete", "delete if", "list"}

	readOnly := open(t, s3.Options{Bucket: store.Bucket, Prefix: "p", Endpoint: testenv.S3ReadOnly(t)})
	errs := all(readOnly)
	check("a server that refuses writes", errs, objstore.ErrDenied, "put", "swap", "delete", "delete if")
	if errs["get"] != nil || errs["list"] != nil {
		t.Errorf("a server that refuses writes: get: %v, list: %v; want reads to work", errs["get"], errs["list"])
	}

	none := open(t, s3.Options{Bucket: "no-such-bucket", Prefix: "p", Endpoint: store.Endpoint})
	check("no such bucket", all(none), objstore.ErrNoBucket, everything...)

	testenv.AWS(t, testenv.S3AccessKey, "a wrong secret")
	check("wrong secret", all(open(t, s3.Options{Bucket: store.Bucket, Prefix: "p", Endpoint: store.Endpoint})), objstore.ErrDenied, everything...)

	testenv.AWS(t, "AKIAUNKNOWN", "a secret")
	check("unknown access key", all(open(t, s3.Options{Bucket: store.Bucket, Prefix: "p", Endpoint: store.Endpoint})), objstore.ErrDenied, everything...)

	testenv.AWS(t, "", "")
	check("no credentials", all(open(t, s3.Options{Bucket: store.Bucket, Prefix: "p", Endpoint: store.Endpoint})), objstore.ErrDenied, everything...)

	if body, err := os.ReadFile(filepath.Join(store.Dir, "p/k")); string(body) != "body" || err != nil {
		t.Errorf("the object after all refusals: got %q, %v; want it unchanged", body, err)
	}
}

func TestServerTime(t *testing.T) {
	got, err := fresh(t, "").ServerTime(t.Context())
	if off := time.Since(got); err != nil || math.Abs(off.Seconds()) > 5 {
		t.Errorf("ServerTime of a server on this machine: got %v, %v off, %v", got, off, err)
	}
}
