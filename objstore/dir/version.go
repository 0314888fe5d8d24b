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

// A version is a digest of the content, like an ETag of S3. It is the same in every
// process, on every host and in every copy, and it changes with every change by any
// program. Inode and modification time would not be enough: an inode is reused at
// once, and times have a resolution of milliseconds. The costs: an earlier content
// that is written again has its earlier version (the protocols built on objstore
// allow for this, as on S3), and computing a version reads the file, so List returns
// no versions.
func versionOf(r io.Reader) (objstore.Version, error) {
	h := sha256.New()
	if _, err := io.Copy(h, r); err != nil {
		return objstore.Absent, err
	}
	return versionOfDigest(h), nil
}

// versionOfDigest returns the version of the content that was written to h.
func versionOfDigest(h hash.Hash) objstore.Version {
	return objstore.Version(fmt.Sprintf(`"%x"`, h.Sum(nil)[:16]))
}

func versionOfBody(body []byte) objstore.Version {
	v, _ := versionOf(bytes.NewReader(body)) // a bytes.Reader does not fail
	return v
}

// contextReader is a reader that fails when its context ends.
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
