package auth

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Add writes "name:verifier" into the users file at path, in place of the
// user's line if there is one, and creates the file with mode 0600 if it is
// missing. Readers see the old file or the new one; of two Adds at the same time
// one may be lost. The other lines, comments included, stay as they are, and a
// file that Load would refuse is not touched.
func Add(path, name, verifier string) error {
	if err := checkName(name); err != nil {
		return err
	}
	if _, err := parseVerifier(verifier); err != nil {
		return err
	}
	old, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return fmt.Errorf("read users file: %w", err)
	default:
		if _, err := Load(path); err != nil {
			return err
		}
	}
	return replaceFile(path, withUser(old, name, verifier))
}

func checkName(name string) error {
	if name == "" || strings.TrimSpace(name) != name || name[0] == '#' || strings.ContainsAny(name, ":\n\r\x00") {
		return fmt.Errorf("%q is no user name: want text without colon, line break, surrounding spaces or a leading #", name)
	}
	return nil
}

func withUser(old []byte, name, verifier string) []byte {
	var out bytes.Buffer
	line, written := name+":"+verifier+"\n", false
	for lines := bufio.NewScanner(bytes.NewReader(old)); lines.Scan(); {
		if existing, _, ok := splitLine(lines.Text()); ok && existing == name {
			out.WriteString(line)
			written = true
			continue
		}
		out.WriteString(lines.Text() + "\n")
	}
	if !written {
		out.WriteString(line)
	}
	return out.Bytes()
}

// replaceFile writes a new file beside path, which CreateTemp gives mode 0600,
// and moves it there.
func replaceFile(path string, content []byte) (err error) {
	temp, err := os.CreateTemp(filepath.Dir(path), ".users-*")
	if err != nil {
		return fmt.Errorf("write users file: %w", err)
	}
	defer func() {
		if err != nil {
			os.Remove(temp.Name())
			err = fmt.Errorf("write users file: %w", err)
		}
	}()
	if _, err = temp.Write(content); err == nil {
		err = temp.Sync()
	}
	if closed := temp.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Rename(temp.Name(), path)
}
