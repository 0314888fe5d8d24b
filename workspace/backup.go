package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/ontosql/ontosql/duckdb"
)

// ErrNone is returned for a directory that has no workspace.
var ErrNone = errors.New("there is no workspace")

// Backup copies the workspace of a directory into a new file, also while a gateway writes it.
// The copy holds what was committed at one moment during the call. It has been opened once to
// check that it is complete.
func Backup(ctx context.Context, dir, file string) (err error) {
	if _, err := os.Lstat(file); err == nil {
		return fmt.Errorf("%s: %w", file, fs.ErrExist)
	}
	source := filepath.Join(dir, fileName)
	if _, err := os.Stat(source); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w", dir, ErrNone)
	}
	part, err := os.MkdirTemp(filepath.Dir(file), ".ontosql-backup-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(part)) }()
	if err := copyFiles(ctx, source, filepath.Join(part, fileName)); err != nil {
		return err
	}
	if err := settle(ctx, part); err != nil {
		return err
	}
	return move(filepath.Join(part, fileName), file)
}

// Restore puts a backup in the place of the workspace of a directory, which no process may have
// open. If there is a workspace, replace has to be set; the old one stays beside it under
// another name, which is returned.
func Restore(ctx context.Context, file, dir string, replace bool) (kept string, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	s := Unavailable(nil)
	if err := s.own(filepath.Join(dir, lockName)); err != nil {
		return "", err
	}
	defer s.owner.Close()
	part, err := os.MkdirTemp(dir, ".ontosql-restore-*")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(part)) }()
	if err := copyFile(file, filepath.Join(part, fileName)); err != nil {
		return "", err
	}
	if err := settle(ctx, part); err != nil {
		return "", err
	}
	target := filepath.Join(dir, fileName)
	if _, err := os.Stat(target); err == nil {
		if !replace {
			return "", fmt.Errorf("%s: %w", target, fs.ErrExist)
		}
		kept = target + ".replaced-" + time.Now().UTC().Format("20060102T150405.000")
		for _, suffix := range []string{"", walSuffix} {
			if err := os.Rename(target+suffix, kept+suffix); err != nil && !(suffix != "" && errors.Is(err, fs.ErrNotExist)) {
				return "", err
			}
		}
	}
	return kept, move(filepath.Join(part, fileName), target)
}

// headerSize is the size of the headers of an engine file, which a checkpoint writes last.
const headerSize = 3 * 4096

// copyFiles copies a file of the engine and its log as of one moment. Between two checkpoints
// the engine only appends to the log, and it writes a block of the file before the log refers to
// it. The copy is therefore consistent if the log is read before the file and no checkpoint runs
// in between.
func copyFiles(ctx context.Context, source, target string) error {
	for ctx.Err() == nil {
		before, err := header(source)
		if err != nil {
			return err
		}
		if err := copyFile(source+walSuffix, target+walSuffix); errors.Is(err, fs.ErrNotExist) {
			_ = os.Remove(target + walSuffix)
		} else if err != nil {
			return err
		}
		if err := copyFile(source, target); err != nil {
			return err
		}
		after, err := header(source)
		if err != nil {
			return err
		}
		if bytes.Equal(before, after) {
			return nil
		}
	}
	return context.Cause(ctx)
}

func header(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b := make([]byte, headerSize)
	n, err := io.ReadFull(f, b)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return b[:n], err
}

func copyFile(source, target string) error {
	in, err := os.Open(source)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(target, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Sync(), out.Close())
}

// settle opens and closes the workspace of a directory. That removes the rows of transactions
// that did not commit and leaves one file without a log.
func settle(ctx context.Context, dir string) error {
	engine, err := duckdb.Open(ctx, duckdb.Options{TempDir: dir, ReadDirs: []string{dir}})
	if err != nil {
		return err
	}
	defer engine.Close()
	conn, err := engine.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	s := Open(ctx, conn, dir, NewXacts())
	if err := s.Err(); err != nil {
		return err
	}
	return s.Close(ctx, conn)
}

// move renames a file within one file system.
func move(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return err
	}
	d, err := os.Open(filepath.Dir(to))
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
