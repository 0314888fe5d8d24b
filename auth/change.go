package auth

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/ontosql/ontosql/auth/roles"
)

// Errors of a change of the users file, which has not happened then.
var (
	// ErrBusy: another process held the lock of the file for too long.
	ErrBusy = errors.New("another process is changing the users file")
	// ErrEdited: a program that does not take the lock has written the file meanwhile.
	ErrEdited = errors.New("the users file was edited meanwhile")
)

// lockWait bounds the wait for another process that changes the file.
const lockWait = 2 * time.Second

// Change is a change of the users file that is ready: the new content is on the disk, beside the file, whose
// lock is held. Commit or Discard ends it.
type Change struct {
	users *Users // nil if no Users follow the file
	path  string
	file  *os.File // locked
	old   []byte
	temp  string // "" if nothing changes
	next  *loaded
}

// Prepare makes a change of the roles of the file as it is now. edit is called once; its error is returned
// as it is. The caller ends the change soon, because others wait for it. Other errors are ErrBusy, a
// *LineError, a *ModeError, or one of the file system.
func (u *Users) Prepare(ctx context.Context, edit func(*roles.Roles) (*roles.Roles, error)) (*Change, error) {
	c, err := prepare(ctx, u.path, os.O_RDONLY, edit)
	if err == nil {
		c.users = u
	}
	return c, err
}

// Add gives a role of the users file at path another password and LOGIN, and makes the role if it is
// missing, a superuser on demand. It creates the file with mode 0600 if there is none. The other lines,
// comments included, stay as they are, and a file that Load would refuse is not touched. Errors are those of
// Prepare and Commit.
func Add(path, name, verifier string, superuser bool) error {
	if err := checkName(name); err != nil {
		return err
	}
	if _, err := parseVerifier(verifier); err != nil {
		return err
	}
	c, err := prepare(context.Background(), path, os.O_RDONLY|os.O_CREATE, func(r *roles.Roles) (*roles.Roles, error) {
		role, ok := r.Lookup(name)
		if !ok {
			role = roles.New(name)
		}
		if roles.IsPredefined(name) {
			return nil, errPredefined
		}
		role.Login, role.Password = true, verifier
		role.Superuser = role.Superuser || superuser
		return r.With(role), nil
	})
	if err != nil {
		return err
	}
	return c.Commit()
}

func prepare(ctx context.Context, path string, flags int, edit func(*roles.Roles) (*roles.Roles, error)) (_ *Change, err error) {
	file, err := lockFile(ctx, path, flags)
	if err != nil {
		return nil, fmt.Errorf("lock users file: %w", err)
	}
	c := &Change{path: path, file: file}
	defer func() {
		if err != nil {
			c.Discard()
		}
	}()
	have, err := readUsers(file, path)
	if err != nil {
		return nil, err
	}
	after, err := edit(have.roles)
	if err != nil {
		return nil, err
	}
	c.old = have.text
	text := format(have.lines, have.roles, after)
	next, lines, err := parse(path, text) // what could not be read again is not written
	if err != nil {
		return nil, err
	}
	c.next = &loaded{text, lines, next}
	if bytes.Equal(text, have.text) {
		return c, nil
	}
	if c.temp, err = writeBeside(path, text); err != nil {
		return nil, fmt.Errorf("write users file: %w", err)
	}
	return c, nil
}

// Commit puts the new content in the place of the old. The error is ErrEdited or one of the file
// system, and then the file is as it was.
func (c *Change) Commit() error {
	defer c.Discard()
	if c.temp != "" {
		now, err := os.ReadFile(c.path)
		switch {
		case errors.Is(err, fs.ErrNotExist) || err == nil && !bytes.Equal(now, c.old):
			return ErrEdited
		case err != nil:
			return fmt.Errorf("read users file: %w", err)
		}
		if err := os.Rename(c.temp, c.path); err != nil {
			return fmt.Errorf("write users file: %w", err)
		}
		c.temp = ""
		syncDir(filepath.Dir(c.path))
	}
	if c.users != nil {
		c.users.mu.Lock()
		defer c.users.mu.Unlock()
		c.users.current.Store(c.next)
		c.users.seen, _ = os.Stat(c.path)
	}
	return nil
}

// Discard gives the change up. After Commit it does nothing.
func (c *Change) Discard() {
	if c.temp != "" {
		os.Remove(c.temp)
		c.temp = ""
	}
	c.file.Close() // and with it the lock
}

// lockFile opens the file at path and takes its lock. The lock is that of the file, and Commit puts another
// file in its place: who has waited looks whether it still is the one at path.
func lockFile(ctx context.Context, path string, flags int) (*os.File, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, lockWait, ErrBusy)
	defer cancel()
	for {
		file, err := os.OpenFile(path, flags, 0o600)
		if err != nil {
			return nil, err
		}
		err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil && isAt(file, path) {
			return file, nil
		}
		file.Close()
		if err != nil && !errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func isAt(file *os.File, path string) bool {
	mine, err1 := file.Stat()
	there, err2 := os.Stat(path)
	return err1 == nil && err2 == nil && os.SameFile(mine, there)
}

// writeBeside writes a new file beside path, which CreateTemp gives mode 0600, and returns its name.
func writeBeside(path string, content []byte) (name string, err error) {
	temp, err := os.CreateTemp(filepath.Dir(path), ".users-*")
	if err != nil {
		return "", err
	}
	if _, err = temp.Write(content); err == nil {
		err = temp.Sync()
	}
	if closed := temp.Close(); err == nil {
		err = closed
	}
	if err != nil {
		os.Remove(temp.Name())
		return "", err
	}
	return temp.Name(), nil
}

// syncDir makes a rename durable. That it cannot is no error: the content is complete either way.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		d.Close()
	}
}

func readBounded(file *os.File) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(file, maxUsersFile+1))
	if err == nil && len(text) > maxUsersFile {
		err = errTooLarge
	}
	return text, err
}
