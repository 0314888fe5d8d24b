package dir

import (
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"hash"
	"io"
	"os"
	"time"

	"github.com/ontosql/ontosql/objstore"
)

const stagingDir = reserved + "/staging"

// staleAfter is the age at which a staging file belongs to a dead process. A file
// that is being written is never that old, because each write updates its
// modification time.
const staleAfter = time.Hour

// stage writes a body to a new file and syncs it. It returns the file's name and the
// version of the body.
func (b *Bucket) stage(body func(io.Writer) error) (string, objstore.Version, error) {
	name := fmt.Sprintf("%s/%d-%s", stagingDir, os.Getpid(), rand.Text())
	f, err := b.makeOwn(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return "", objstore.Absent, err
	}
	digest := sha256.New()
	err = body(digestingWriter{f, digest})
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		_ = b.root.Remove(name) // if it fails, a later sweep removes the file
		return "", objstore.Absent, err
	}
	return name, versionOfDigest(digest), nil
}

// digestingWriter writes to a file and to the digest of what the file has. A large piece goes to
// both at a time: the digest of a snapshot takes longer than its copy.
type digestingWriter struct {
	file   *os.File
	digest hash.Hash
}

func (w digestingWriter) Write(p []byte) (int, error) {
	if len(p) < 256<<10 {
		_, _ = w.digest.Write(p)
		return w.file.Write(p)
	}
	digested := make(chan struct{})
	go func() {
		defer close(digested)
		_, _ = w.digest.Write(p)
	}()
	n, err := w.file.Write(p)
	<-digested
	return n, err
}

// sweepStaging removes the staging files of dead processes. Errors are ignored: a
// staging file does no harm, and the next process tries again.
func (b *Bucket) sweepStaging() {
	dir, err := b.root.Open(stagingDir)
	if err != nil {
		return
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	for _, name := range names {
		info, err := b.root.Lstat(stagingDir + "/" + name)
		if err == nil && time.Since(info.ModTime()) > staleAfter {
			_ = b.root.Remove(stagingDir + "/" + name)
		}
	}
}
