package compaction

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/objstore"
)

// maxInMemory is the size up to which a spool is kept in memory.
const maxInMemory = 2 << 20

// spool is the body of an object: in memory if it is small, otherwise in an unlinked file below
// dir, which disappears with the process.
type spool struct {
	dir  string
	size int64
	buf  []byte
	file *os.File
}

// Write appends to the spool.
func (s *spool) Write(p []byte) (int, error) {
	if s.file == nil && len(s.buf)+len(p) > maxInMemory {
		var err error
		if s.file, err = tempFile(s.dir); err != nil {
			return 0, err
		}
		if _, err := s.file.Write(s.buf); err != nil {
			return 0, err
		}
		s.buf = nil
	}
	s.size += int64(len(p))
	if s.file != nil {
		return s.file.Write(p)
	}
	s.buf = append(s.buf, p...)
	return len(p), nil
}

// ReadAt implements io.ReaderAt.
func (s *spool) ReadAt(p []byte, off int64) (int, error) {
	if s.file != nil {
		return s.file.ReadAt(p, off)
	}
	return bytes.NewReader(s.buf).ReadAt(p, off)
}

// close discards the content.
func (s *spool) close() {
	if s.file != nil {
		_ = s.file.Close()
	}
}

// tempFile creates an unlinked file below dir, which is created if missing; "" is os.TempDir.
func tempFile(dir string) (*os.File, error) {
	if dir != "" {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, fmt.Errorf("make temporary file: %w", err)
		}
	}
	f, err := os.CreateTemp(dir, "compaction-*")
	if err != nil {
		return nil, fmt.Errorf("make temporary file: %w", err)
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, errors.Join(fmt.Errorf("make temporary file: %w", err), f.Close())
	}
	return f, nil
}

// fetch reads an object into a spool. If sha is not "", it must be the object's checksum. A missing
// object and another checksum are a *ontosql.CorruptError.
func (s Store) fetch(ctx context.Context, key, sha string) (_ *spool, err error) {
	body, _, err := s.Bucket.Open(ctx, key)
	if errors.Is(err, objstore.ErrNotFound) {
		return nil, &ontosql.CorruptError{Key: key, Err: err}
	}
	if err != nil {
		return nil, err
	}
	defer body.Close()
	to := &spool{dir: s.TempDir}
	defer func() {
		if err != nil {
			to.close()
		}
	}()
	hash := sha256.New()
	if _, err := io.Copy(io.MultiWriter(to, hash), body); err != nil {
		return nil, fmt.Errorf("read %s: %w", key, err)
	}
	if sum := hex.EncodeToString(hash.Sum(nil)); sha != "" && sum != sha {
		return nil, ontosql.Corrupt(key, "", "sha256 of its %d bytes is %s, not %s", to.size, sum, sha)
	}
	return to, nil
}
