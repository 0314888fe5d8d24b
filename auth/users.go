package auth

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
)

// Users are the users of a file, immutable after Load.
type Users struct {
	verifiers map[string]verifier
	secret    [32]byte // of this process, from which the salts of unknown users come
}

// Names are the names of the users, sorted.
func (u *Users) Names() []string { return slices.Sorted(maps.Keys(u.verifiers)) }

// LineError is a line of a users file that cannot be read.
type LineError struct {
	Path string
	Line int // from 1
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("%s:%d: %v", e.Path, e.Line, e.Err) }

func (e *LineError) Unwrap() error { return e.Err }

// ModeError is a users file that others may read or write.
type ModeError struct {
	Path string
	Mode fs.FileMode
}

func (e *ModeError) Error() string {
	return fmt.Sprintf("%s has mode %04o: a users file must have mode 0600; run chmod 0600 %s", e.Path, e.Mode, e.Path)
}

// errDuplicate is wrapped in a LineError.
var errDuplicate = errors.New("user occurs twice")

// Load reads a users file: one "name:verifier" a line, the verifier in the form
// of PostgreSQL's pg_authid.rolpassword; blank lines and those that begin with #
// are skipped. The error is a *LineError, a *ModeError or one of the file
// system. A change of the file needs a new Load.
func Load(path string) (*Users, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open users file: %w", err)
	}
	defer file.Close()
	if err := checkMode(file, path); err != nil {
		return nil, err
	}
	text, err := io.ReadAll(file)
	if err != nil {
		return nil, fmt.Errorf("read users file: %w", err)
	}
	users := &Users{verifiers: map[string]verifier{}}
	if _, err := rand.Read(users.secret[:]); err != nil {
		return nil, fmt.Errorf("make a secret: %w", err)
	}
	if err := users.parse(path, text); err != nil {
		return nil, err
	}
	return users, nil
}

func checkMode(file *os.File, path string) error {
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("look at users file: %w", err)
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return &ModeError{Path: path, Mode: mode}
	}
	return nil
}

func (u *Users) parse(path string, text []byte) error {
	lines := bufio.NewScanner(bytes.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		name, rest, ok := splitLine(lines.Text())
		if !ok {
			continue
		}
		v, err := parseVerifier(rest)
		if err == nil && name == "" {
			err = errors.New("no user name before the colon")
		}
		if _, twice := u.verifiers[name]; err == nil && twice {
			err = fmt.Errorf("%w: %q", errDuplicate, name)
		}
		if err != nil {
			return &LineError{Path: path, Line: n, Err: err}
		}
		u.verifiers[name] = v
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read users file: %w", err)
	}
	return nil
}

// splitLine takes a line apart; not ok for a comment or a blank one.
func splitLine(line string) (name, verifier string, ok bool) {
	line = strings.TrimSpace(line)
	if line == "" || line[0] == '#' {
		return "", "", false
	}
	// A verifier has one colon of its own, so the name ends at the first of two.
	name, verifier, _ = strings.Cut(line, ":")
	return strings.TrimSpace(name), strings.TrimSpace(verifier), true
}
