package s3_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/s3"
)

// TestUploadTooLarge refuses an object that is too large for one S3 request before it sends
// anything: no server listens at the endpoint.
func TestUploadTooLarge(t *testing.T) {
	b := open(t, s3.Options{Bucket: "b", Endpoint: "http://127.0.0.1:1"})
	_, err := b.Upload(t.Context(), "k", strings.NewReader(""), 5<<30+1)
	var e *objstore.Error
	if !errors.Is(err, objstore.ErrTooLarge) || !errors.As(err, &e) || e.Op != objstore.OpUpload {
		t.Errorf("Upload of 5 GiB and a byte: got %v, want ErrTooLarge of an upload", err)
	}
}
