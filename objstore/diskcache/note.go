package diskcache

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
)

// note is the companion of a data file: the size and checksum its bytes must
// have, and what Inspect said of them.
type note struct {
	size   int64
	sha256 [sha256.Size]byte
	text   []byte
}

// noteHeader has the version of the form in it. It is followed by the SHA-256
// of the rest: size (8 bytes, little endian), checksum (32), text.
const noteHeader = "ontosql note 1\n"

var errNote = errors.New("damaged note")

func (n note) encode() []byte {
	rest := binary.LittleEndian.AppendUint64(nil, uint64(n.size))
	rest = append(rest, n.sha256[:]...)
	rest = append(rest, n.text...)
	sum := sha256.Sum256(rest)
	return append(append([]byte(noteHeader), sum[:]...), rest...)
}

func decodeNote(b []byte) (note, error) {
	rest, ok := bytes.CutPrefix(b, []byte(noteHeader))
	if !ok || len(rest) < sha256.Size+8+sha256.Size {
		return note{}, errNote
	}
	var n note
	sum, rest := rest[:sha256.Size], rest[sha256.Size:]
	if sha256.Sum256(rest) != [sha256.Size]byte(sum) {
		return note{}, errNote
	}
	n.size = int64(binary.LittleEndian.Uint64(rest))
	copy(n.sha256[:], rest[8:])
	n.text = rest[8+sha256.Size:]
	return n, nil
}

// fits reports whether n can be the note of b: only the checksum tells.
func (n note) fits(b Blob) bool {
	return b.SHA256 == "" || b.SHA256 == hex.EncodeToString(n.sha256[:])
}

// note is the blob's note, from memory or from the disk.
func (c *Cache) note(b Blob) (note, error) {
	name := b.name()
	c.mu.Lock()
	n, known := c.notes[name]
	c.mu.Unlock()
	if known {
		return n, nil
	}
	text, err := os.ReadFile(c.path(name, noteSuffix))
	if err != nil {
		return note{}, err
	}
	if n, err = decodeNote(text); err != nil {
		return note{}, err
	}
	if !n.fits(b) {
		return note{}, errNote
	}
	c.remember(name, n)
	return n, nil
}

func (c *Cache) remember(name string, n note) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.notes[name] = n
}

// writeNote puts n in its place before the data file comes to its own, so that
// no data file is ever without.
func (c *Cache) writeNote(name string, n note) error {
	part, err := c.newPart()
	if err != nil {
		return err
	}
	defer part.discard()
	if _, err := c.writer(part.file).Write(n.encode()); err != nil {
		return err
	}
	if err := os.Rename(part.file.Name(), c.path(name, noteSuffix)); err != nil {
		return fmt.Errorf("keep note: %w", err)
	}
	c.remember(name, n)
	return nil
}
