package s3_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ontosql/ontosql/internal/testenv"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/s3"
)

func TestParseURI(t *testing.T) {
	for _, tc := range []struct{ uri, bucket, prefix string }{
		{"s3://my-bucket/onto-prod", "my-bucket", "onto-prod"},
		{"s3://b/a/b c/", "b", "a/b c"},
		{"s3://b", "b", ""},
		{"s3://b/", "b", ""},
		{"s3://b/100%25", "b", "100%25"},
	} {
		bucket, prefix, err := s3.ParseURI(tc.uri)
		if bucket != tc.bucket || prefix != tc.prefix || err != nil {
			t.Errorf("ParseURI(%q): got %q, %q, %v; want %q, %q", tc.uri, bucket, prefix, err, tc.bucket, tc.prefix)
		}
	}
	for _, uri := range []string{
		"", "s3:", "s3://", "s3:///prefix", "S3://b/p", "file:///x", "s3://b/a//b", "s3://b/../c", "s3://b/p?versionId=1",
		"s3://b/p#x", "s3://b:80/p", "s3://key:topsecret@b/p",
	} {
		if bucket, prefix, err := s3.ParseURI(uri); err == nil || strings.Contains(err.Error(), "topsecret") {
			t.Errorf("ParseURI(%q): got %q, %q, %v; want an error without credentials", uri, bucket, prefix, err)
		}
	}
}

func FuzzParseURI(f *testing.F) {
	for _, uri := range []string{"s3://my-bucket/onto-prod", "s3://b", "s3://b//", "s3://k:s@b/p", "s3://b/a\x00"} {
		f.Add(uri)
	}
	f.Fuzz(func(t *testing.T, uri string) {
		bucket, prefix, err := s3.ParseURI(uri)
		if err != nil {
			return
		}
		again := strings.TrimSuffix("s3://"+bucket+"/"+prefix, "/")
		if b, p, err := s3.ParseURI(again); b != bucket || p != prefix || err != nil {
			t.Errorf("ParseURI(%q) = %q, %q; its canonical form %q gives %q, %q, %v", uri, bucket, prefix, again, b, p, err)
		}
	})
}

func TestOpenRefuses(t *testing.T) {
	testenv.AWS(t, "AKIATEST", "the-secret")
	for story, opts := range map[string]s3.Options{
		"no bucket":               {},
		"endpoint without scheme": {Bucket: "b", Endpoint: "localhost:9000"},
		"endpoint of FTP":         {Bucket: "b", Endpoint: "ftp://localhost"},
		"endpoint that is no URL": {Bucket: "b", Endpoint: "http://%zz"},
		"endpoint with a secret":  {Bucket: "b", Endpoint: "http://key:topsecret@localhost"},
		"prefix that goes up":     {Bucket: "b", Prefix: "a/../b"},
	} {
		if _, err := s3.Open(t.Context(), opts); err == nil || strings.Contains(err.Error(), "topsecret") {
			t.Errorf("Open with %s: got %v, want an error without credentials", story, err)
		}
	}
}

// TestRequestOnTheWire looks at what reaches a server with an endpoint of its
// own: the bucket in the path, plain keys escaped, and no checksum trailers.
func TestRequestOnTheWire(t *testing.T) {
	for _, byEnv := range []bool{false, true} {
		var path atomic.Value
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			path.Store(r.URL.EscapedPath())
			if r.Header.Get("X-Amz-Sdk-Checksum-Algorithm") != "" || r.Header.Get("Content-Encoding") != "" || r.Header.Get("Content-Length") != "4" {
				t.Errorf("headers that look-alikes refuse: %v", r.Header)
			}
			w.Header().Set("ETag", `"with quotes"`)
		}))
		defer server.Close()
		testenv.AWS(t, "AKIATEST", "the-secret")
		opts := s3.Options{Bucket: "bucket", Prefix: "some prefix", Endpoint: server.URL}
		if byEnv {
			opts.Endpoint = ""
			t.Setenv("AWS_ENDPOINT_URL_S3", server.URL)
		}
		v, err := open(t, opts).Put(t.Context(), "k+1", []byte("body"))
		if err != nil || v != objstore.Version(`"with quotes"`) {
			t.Errorf("Put: got version %s, %v", v, err)
		}
		if want := "/bucket/some%20prefix/k%2B1"; path.Load() != want {
			t.Errorf("endpoint of the environment %v: asked for %v, want %s", byEnv, path.Load(), want)
		}
	}
}
