package histories

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/testenv"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/dir"
	"github.com/ontosql/ontosql/objstore/s3"
)

// place is a store and the ways to it.
type place struct {
	bucket objstore.Bucket // of the history itself, past the proxy
	flags  []string        // for "ontosql serve"
	config writerConfig    // for writer processes
	head   string          // the file of the head object
	proxy  *proxy          // between them and the store; nil for a directory
}

func inDirectory(t *testing.T) *place {
	folder := t.TempDir()
	b, err := dir.Open(folder, dir.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return &place{bucket: b, flags: []string{"--storage-uri", folder}, config: writerConfig{Dir: folder}, head: filepath.Join(folder, format.HeadKey)}
}

func inS3(t *testing.T, seed uint64) *place {
	at := testenv.S3(t)
	t.Cleanup(func() { os.RemoveAll(at.Dir) })
	b, err := s3.Open(t.Context(), s3.Options{Bucket: at.Bucket, Endpoint: at.Endpoint})
	if err != nil {
		t.Fatal(err)
	}
	target, err := url.Parse(at.Endpoint)
	if err != nil {
		t.Fatal(err)
	}
	p := newProxy(target, seed)
	t.Cleanup(p.Close)
	return &place{
		bucket: b, proxy: p, head: filepath.Join(at.Dir, format.HeadKey),
		flags: []string{
			"--storage-uri", "s3://" + at.Bucket, "--s3-endpoint-url", p.URL,
			"--s3-request-timeout-s", fmt.Sprint(requestTimeout.Seconds()),
		},
		config: writerConfig{Bucket: at.Bucket, Endpoint: p.URL},
	}
}
