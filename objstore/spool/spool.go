// Package spool is the room for the bodies of objects that are on their way: read from one store,
// checked, and read again or written to another. A small body stays in memory; a larger one lies
// in an unlinked file, which disappears with the process.
package spool

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/objstore"
)

// Place says where spools keep their bytes.
type Place struct {
	Dir      string // of the files, made if missing; "" is os.TempDir
	InMemory int    // bytes up to which a spool is kept in memory
}

// New is an empty spool. The caller closes it.
func (p Place) New() *Spool { return &Spool{place: p} }

// File makes an unlinked file. The caller closes it.
func (p Place) File() (_ *os.File, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("make temporary file: %w", err)
		}
	}()
	if p.Dir != "" {
		if err := os.MkdirAll(p.Dir, 0o700); err != nil {
			return nil, err
		}
	}
	f, err := os.CreateTemp(p.Dir, "spool-*")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Fetch reads an object that a manifest or an index names into a spool, which the caller closes.
// If sha is not "", it must be the object's checksum; sum is the actual one. A missing object and
// another checksum are a *ontosql.CorruptError.
func (p Place) Fetch(ctx context.Context, b objstore.Bucket, key, sha string) (_ *Spool, sum string, err error) {
	body, _, err := b.Open(ctx, key)
	if errors.Is(err, objstore.ErrNotFound) {
		return nil, "", &ontosql.CorruptError{Key: key, Err: err}
	}
	if err != nil {
		return nil, "", err
	}
	defer body.Close()
	s := p.New()
	defer func() {
		if err != nil {
			s.Close()
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

// Spool is the body of an object. It is written once from its beginning, then read at any place,
// by several goroutines if need be.
type Spool struct {
	place Place
	size  int64
	buf   []byte
	file  *os.File
}

// Size is the number of bytes written.
func (s *Spool) Size() int64 { return s.size }

// Write implements io.Writer.
func (s *Spool) Write(p []byte) (int, error) {
	if s.file == nil && len(s.buf)+len(p) > s.place.InMemory {
		if err := s.spill(); err != nil {
			return 0, err
		}
	}
	if s.file == nil {
		if need := len(s.buf) + len(p); need > cap(s.buf) { // append would grow a large one by a quarter
			s.buf = slices.Grow(s.buf, min(max(need, 2*len(s.buf)), s.place.InMemory)-len(s.buf))
		}
		s.buf = append(s.buf, p...)
		s.size += int64(len(p))
		return len(p), nil
	}
	n, err := s.file.Write(p)
	s.size += int64(n)
	return n, err
}

// spill moves what is in memory into a file.
func (s *Spool) spill() (err error) {
	if s.file, err = s.place.File(); err != nil {
		return err
	}
	_, err = s.file.Write(s.buf)
	s.buf = nil
	return err
}

// ReadAt implements io.ReaderAt.
func (s *Spool) ReadAt(p []byte, off int64) (int, error) {
	if s.file == nil {
		return bytes.NewReader(s.buf).ReadAt(p, off)
	}
	return s.file.ReadAt(p, off)
}

// Close discards the content.
func (s *Spool) Close() {
	if s.file != nil {
		_ = s.file.Close()
	}
}
