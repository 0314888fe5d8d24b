package auth

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"

	"github.com/ontosql/ontosql/auth/roles"
)

// Users are the roles of a users file. They follow the file: whoever logs in meets the roles that it has
// then. A file that cannot be read any more changes nothing, and the log says why. All methods may be
// called by several goroutines.
type Users struct {
	path    string
	log     *slog.Logger
	secret  [32]byte // of this process, from which the salts of unknown users come
	current atomic.Pointer[loaded]

	mu   sync.Mutex
	seen fs.FileInfo // the file at the last attempt to read it
}

// loaded is the content of a file, and what it says.
type loaded struct {
	text  []byte
	lines []fileLine
	roles *roles.Roles
}

// maxUsersFile bounds the size of a users file.
const maxUsersFile = 64 << 20

// Load reads a users file: one "name:verifier" a line, the verifier in the form of PostgreSQL's
// pg_authid.rolpassword, or a line of another form (decision A85); blank lines and those that begin
// with # are skipped. The error is a *LineError, a *ModeError or one of the file system. log gets the
// errors of later attempts to read the file; nil is the default logger.
func Load(path string, log *slog.Logger) (*Users, error) {
	if log == nil {
		log = slog.Default()
	}
	u := &Users{path: path, log: log}
	if _, err := rand.Read(u.secret[:]); err != nil {
		return nil, fmt.Errorf("make a secret: %w", err)
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if err := u.read(); err != nil {
		return nil, err
	}
	return u, nil
}

// Roles are the roles of the file when it was last read or changed. What other programs have written
// since is seen at the next login, change or Refresh.
func (u *Users) Roles() *roles.Roles { return u.current.Load().roles }

// Refresh reads the file again if it has changed since the last attempt. It logs why it cannot be read;
// the roles stay as they were then.
func (u *Users) Refresh(ctx context.Context) {
	u.mu.Lock()
	defer u.mu.Unlock()
	info, err := os.Stat(u.path)
	if err == nil && u.seen != nil && os.SameFile(info, u.seen) && info.ModTime().Equal(u.seen.ModTime()) && info.Size() == u.seen.Size() && info.Mode() == u.seen.Mode() {
		return
	}
	if err == nil {
		err = u.read()
	} else if u.seen == nil {
		return // that it is not there was logged
	} else {
		u.seen = nil
	}
	if err != nil {
		u.log.WarnContext(ctx, "the users file cannot be read; the roles stay as they were", "error", err)
	}
}

// Reload reads the file again. After an error, which is one of Load, the roles stay as they were.
func (u *Users) Reload() error {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.read()
}

// read reads the file. The caller holds the lock.
func (u *Users) read() error {
	file, err := os.Open(u.path)
	if err != nil {
		return fmt.Errorf("open users file: %w", err)
	}
	defer file.Close()
	if u.seen, err = file.Stat(); err != nil {
		return fmt.Errorf("look at users file: %w", err)
	}
	next, err := readUsers(file, u.path)
	if err != nil {
		return err
	}
	if was := u.current.Load(); was == nil || !bytes.Equal(was.text, next.text) {
		u.current.Store(next)
	}
	return nil
}

// readUsers reads and parses an open users file.
func readUsers(file *os.File, path string) (*loaded, error) {
	if err := checkMode(file, path); err != nil {
		return nil, err
	}
	text, err := readBounded(file)
	if err != nil {
		return nil, fmt.Errorf("read users file: %w", err)
	}
	r, lines, err := parse(path, text)
	if err != nil {
		return nil, err
	}
	return &loaded{text, lines, r}, nil
}

var errTooLarge = errors.New("the file is larger than 64 MiB")
