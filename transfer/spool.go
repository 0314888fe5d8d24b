package transfer

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
const maxInMemory = 8 << 20

// spool is the body of an object: in memory if it is small, otherwise in an unlinked file
// below dir, which disappears with the process.
type spool struct {
	dir  string
	size int64
	buf  []byte
	file *os.File
}

// Write appends to the spool.
func (s *spool) Write(p []byte) (int, error) {
	if s.file == nil && len(s.buf)+len(p) > maxInMemory {
		if err := s.spill(); err != nil {
			return 0, err
		}
	}
	if s.file == nil {
		s.buf = append(s.buf, p...)
		s.size += int64(len(p))
		return len(p), nil
	}
	n, err := s.file.Write(p)
	s.size += int64(n)
	return n, err
}

// spill moves what is in memory into a file.
func (s *spool) spill() (err error) {
	if s.file, err = tempFile(s.dir); err != nil {
		return err
	}
	_, err = s.file.Write(s.buf)
	s.buf = nil
	return err
}

// tempFile creates an unlinked file below dir, which is created if missing.
func tempFile(dir string) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make temporary file: %w", err)
	}
	f, err := os.CreateTemp(dir, "transfer-*")
	if err != nil {
		return nil, fmt.Errorf("make temporary file: %w", err)
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, errors.Join(fmt.Errorf("make temporary file: %w", err), f.Close())
	}
	return f, nil
}

// ReadAt implements io.ReaderAt.
func (s *spool) ReadAt(p []byte, off int64) (int, error) {
	if s.file == nil {
		return bytes.NewReader(s.buf).ReadAt(p, off)
	}
	return s.file.ReadAt(p, off)
}

// close closes the file.
func (s *spool) close() {
	if s.file != nil {
		_ = s.file.Close() // the content is discarded
	}
}

// fetch reads an object that a manifest or an index names. If sha is not "", the checksum must
// be equal; sum is the actual one.
func fetch(ctx context.Context, b objstore.Bucket, key, sha, temp string) (_ *spool, sum string, err error) {
	body, _, err := b.Open(ctx, key)
	if errors.Is(err, objstore.ErrNotFound) {
		return nil, "", &ontosql.CorruptError{Key: key, Err: err}
	}
	if err != nil {
		return nil, "", err
	}
	defer body.Close()
	s := &spool{dir: temp}
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	hash := sha256.New()
	if _, err := io.Copy(io.MultiWriter(s, hash), body); err != nil {
		return nil, "", fmt.Errorf("read %s: %w", key, err)
	}
	if sum = hex.EncodeToString(hash.Sum(nil)); sha != "" && sum != sha {
		return nil, "", ontosql.Corrupt(key, "", "sha256 of its %d bytes is %s, not %s", s.size, sum, sha)
	}
	return s, sum, nil
}
