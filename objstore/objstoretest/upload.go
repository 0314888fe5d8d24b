package objstoretest

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/objstore"
)

func testUpload(t *testing.T, b objstore.Bucket) {
	large := strings.Repeat("ontosql ", 5<<20/8)
	versions := map[objstore.Version]bool{}
	for _, tc := range []struct{ story, body, beyond string }{
		{"empty", "", ""},
		{"small", "one", ""},
		{"large", large, ""},
		{"over a longer one, from the beginning of a body that goes on", "two", "not this"},
	} {
		v, err := b.Upload(t.Context(), "commits/1/data.parquet", strings.NewReader(tc.body+tc.beyond), int64(len(tc.body)))
		if err != nil || v == objstore.Absent {
			t.Errorf("Upload, %s: got version %q, %v", tc.story, v, err)
		}
		versions[v] = true
		got, gotVersion, err := b.Get(t.Context(), "commits/1/data.parquet")
		if err != nil || string(got) != tc.body || gotVersion != v {
			t.Errorf("Get after Upload, %s: got %d bytes, version %s, %v; want %d bytes, version %s",
				tc.story, len(got), gotVersion, err, len(tc.body), v)
		}
	}
	if len(versions) != 4 {
		t.Errorf("versions of four contents: got %d different ones", len(versions))
	}
	put(t, b, "commits/1/data.parquet", "three")
	if got := get(t, b, "commits/1/data.parquet"); string(got) != "three" {
		t.Errorf("Get after Put over an upload: got %q", got)
	}
	if got := list(t, b, ""); !cmp.Equal(got, []string{"commits/1/data.parquet"}) {
		t.Errorf("List after uploads: got %q, want the one object", got)
	}
}

// breaking is a body whose reads fail after the first bytes.
type breaking struct {
	io.ReaderAt
	from int64
	err  error
}

func (b breaking) ReadAt(p []byte, off int64) (int, error) {
	if off+int64(len(p)) <= b.from {
		return b.ReaderAt.ReadAt(p, off)
	}
	n, _ := b.ReaderAt.ReadAt(p[:max(b.from-off, 0)], off)
	return n, b.err
}

func testUploadBroken(t *testing.T, b objstore.Bucket) {
	body := bytes.NewReader(bytes.Repeat([]byte("x"), 3<<20))
	failure := errors.New("the disk of the body is gone")
	put(t, b, "old", "kept")
	for _, key := range []string{"old", "new"} {
		_, err := b.Upload(t.Context(), key, breaking{ReaderAt: body, from: 2 << 20, err: failure}, body.Size())
		wantError(t, "Upload of a body that fails", key, err, failure)
		var of *objstore.BodyError
		if !errors.As(err, &of) || errors.Is(err, objstore.ErrUnreachable) {
			t.Errorf("Upload of a body that fails: got %v, want an *objstore.BodyError", err)
		}
		_, err = b.Upload(t.Context(), key, body, body.Size()+1)
		wantError(t, "Upload of a body that ends early", key, err, io.ErrUnexpectedEOF)
	}
	if got := list(t, b, ""); !cmp.Equal(got, []string{"old"}) {
		t.Errorf("List after uploads that failed: got %q, want the old object only", got)
	}
	if got := get(t, b, "old"); string(got) != "kept" {
		t.Errorf("Get after uploads over it that failed: got %d bytes, want %q", len(got), "kept")
	}
}
