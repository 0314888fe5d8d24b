package dir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"github.com/ontosql/ontosql/objstore"
)

// checkKey applies objstore.CheckKey and the additional rules of file names.
func checkKey(key string) error {
	if err := objstore.CheckKey(key); err != nil {
		return err
	}
	for segment := range strings.SplitSeq(key, "/") {
		if segment == reserved {
			return fmt.Errorf("%w %q: segment %q is reserved", objstore.ErrInvalidKey, key, reserved)
		}
		if len(segment) > maxSegment {
			return fmt.Errorf("%w: segment %.20q... has %d bytes, a file name at most %d", objstore.ErrInvalidKey, segment, len(segment), maxSegment)
		}
	}
	return nil
}

func (b *Bucket) fail(op, key string, err error) error {
	return &objstore.Error{Op: op, Bucket: b.String(), Key: key, Err: err}
}

// classifyMissing converts errors that mean "no file at this path" to ErrNotFound.
// The path may be a folder, or lie below a file.
func classifyMissing(err error) error {
	for _, none := range []error{fs.ErrNotExist, syscall.ENOTDIR, syscall.EISDIR} {
		if errors.Is(err, none) {
			return objstore.ErrNotFound
		}
	}
	return classify(err)
}

// classify wraps an error of the file system with the sentinel for its errno.
func classify(err error) error {
	if body := (*objstore.BodyError)(nil); errors.As(err, &body) {
		return err // not an error of this file system
	}
	for _, r := range []struct{ cause, word error }{
		{fs.ErrPermission, objstore.ErrDenied}, // EACCES, EPERM
		{syscall.EROFS, objstore.ErrDenied},
		{syscall.ELOOP, objstore.ErrDenied},
		{syscall.ENAMETOOLONG, objstore.ErrInvalidKey},
		{syscall.ENOSPC, objstore.ErrFull},
		{syscall.EDQUOT, objstore.ErrFull},
		{syscall.EIO, objstore.ErrUnreachable}, // like the next two: a disk or a mount is gone
		{syscall.ESTALE, objstore.ErrUnreachable},
		{syscall.ETIMEDOUT, objstore.ErrUnreachable},
	} {
		if errors.Is(err, r.cause) {
			return fmt.Errorf("%w: %w", r.word, err)
		}
	}
	if leadsOut(err) {
		return fmt.Errorf("%w: a symbolic link leads out of the directory: %w", objstore.ErrDenied, err)
	}
	return err
}

// classifyAfterRename is classify for errors after the rename: the change is made,
// but the folder is not synced. A full disk is then not ErrFull, because ErrFull
// says that nothing was written.
func classifyAfterRename(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return fmt.Errorf("%w: %w", objstore.ErrUnreachable, err)
	}
	return classify(err)
}

// pathConflict is classify for writes. It reports a folder at the key, or an object
// at a parent of the key.
func pathConflict(err error) error {
	for _, taken := range []error{syscall.ENOTDIR, syscall.EISDIR, syscall.ENOTEMPTY, syscall.EEXIST} {
		if errors.Is(err, taken) {
			return fmt.Errorf("%w: %w", objstore.ErrShadowed, err)
		}
	}
	return classify(err)
}

// leadsOut reports whether err is os.Root's error for a link or ".." that leaves
// the root. Package os does not export this error.
func leadsOut(err error) bool {
	var path *os.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		err = path.Err
	case errors.As(err, &link):
		err = link.Err
	}
	return err != nil && err.Error() == "path escapes from parent"
}
