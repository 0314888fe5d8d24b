package dir

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"hash"
	"io"

	"github.com/ontosql/ontosql/objstore"
)

// A version is a digest of the content, as an ETag of S3 is. It is the same for
// every process, host and copy, changes with every change whoever made it, and
// cannot be deceived by clocks: inode and time could, because an inode is used
// again at once and times move in steps of milliseconds. The price is that a
// content that comes back has its old version (which the protocols built on
// objstore allow for, S3 being no better) and that a version costs a read of
// the file, so List tells none.
func versionOf(r io.Reader) (objstore.Version, error) {
	h := sha256.New()
	if _, err := io.Copy(h, r); err != nil {
		return objstore.Absent, err
	}
	return versionOfDigest(h), nil
}

// versionOfDigest is the version of a content that h has taken in.
func versionOfDigest(h hash.Hash) objstore.Version {
	return objstore.Version(fmt.Sprintf(`"%x"`, h.Sum(nil)[:16]))
}

func versionOfBody(body []byte) objstore.Version {
	v, _ := versionOf(bytes.NewReader(body)) // memory does not fail
	return v
}

// contextReader is a reader that ends with its context.
type contextReader struct {
	ctx context.Context
	io.Reader
}

func (r contextReader) Read(p []byte) (int, error) {
	if r.ctx.Err() != nil {
		return 0, objstore.ContextError(r.ctx)
	}
	return r.Reader.Read(p)
}
