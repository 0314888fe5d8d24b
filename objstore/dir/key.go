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

// checkKey is objstore.CheckKey and what file names demand beyond it.
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

// classifyMissing turns the errors that say that no file is at a path into ErrNotFound.
// A folder is no object, and nothing is below an object.
func classifyMissing(err error) error {
	for _, none := range []error{fs.ErrNotExist, syscall.ENOTDIR, syscall.EISDIR} {
		if errors.Is(err, none) {
			return objstore.ErrNotFound
		}
	}
	return classify(err)
}

// classify adds the sentinel that an error of the file system stands for.
func classify(err error) error {
	if body := (*objstore.BodyError)(nil); errors.As(err, &body) {
		return err // no word of this file system
	}
	for _, r := range []struct{ cause, word error }{
		{fs.ErrPermission, objstore.ErrDenied}, // EACCES, EPERM
		{syscall.EROFS, objstore.ErrDenied},
		{syscall.ELOOP, objstore.ErrDenied},
		{syscall.ENAMETOOLONG, objstore.ErrInvalidKey},
		{syscall.ENOSPC, objstore.ErrFull},
		{syscall.EDQUOT, objstore.ErrFull},
		{syscall.EIO, objstore.ErrUnreachable}, // with the next two, a disk or a mount that went away
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

// classifyAfterRename is refusal where the change has been made and only its name may not be safe on
// disk yet: that the disk is full does not say there that nothing was written.
func classifyAfterRename(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return fmt.Errorf("%w: %w", objstore.ErrUnreachable, err)
	}
	return classify(err)
}

// pathConflict is refusal for writes: a key whose place is taken by a folder, or one
// of whose folders is an object.
func pathConflict(err error) error {
	for _, taken := range []error{syscall.ENOTDIR, syscall.EISDIR, syscall.ENOTEMPTY, syscall.EEXIST} {
		if errors.Is(err, taken) {
			return fmt.Errorf("%w: a directory cannot hold an object and others below it: %w", objstore.ErrInvalidKey, err)
		}
	}
	return classify(err)
}

// leadsOut recognises os.Root's refusal to follow a link or ".." out of the
// root, for which package os has no exported error.
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
