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

// metadata is stored beside a data file: the size and checksum of the data file and
// the result of Inspect.
type metadata struct {
	size      int64
	sha256    [sha256.Size]byte
	inspected []byte
}

// metadataHeader identifies the format and its version. It is followed by the SHA-256
// of the rest: size (8 bytes, little endian), checksum (32 bytes), result of Inspect.
const metadataHeader = "ontosql note 1\n"

var errMetadata = errors.New("damaged note")

func (n metadata) encode() []byte {
	rest := binary.LittleEndian.AppendUint64(nil, uint64(n.size))
	rest = append(rest, n.sha256[:]...)
	rest = append(rest, n.inspected...)
	sum := sha256.Sum256(rest)
	return append(append([]byte(metadataHeader), sum[:]...), rest...)
}

func decodeMetadata(b []byte) (metadata, error) {
	rest, ok := bytes.CutPrefix(b, []byte(metadataHeader))
	if !ok || len(rest) < sha256.Size+8+sha256.Size {
		return metadata{}, errMetadata
	}
	var n metadata
	sum, rest := rest[:sha256.Size], rest[sha256.Size:]
	if sha256.Sum256(rest) != [sha256.Size]byte(sum) {
		return metadata{}, errMetadata
	}
	n.size = int64(binary.LittleEndian.Uint64(rest))
	copy(n.sha256[:], rest[8:])
	n.inspected = rest[8+sha256.Size:]
	return n, nil
}

// matches reports whether m can belong to b: the checksums are equal or b has none.
func (n metadata) matches(b Blob) bool {
	return b.SHA256 == "" || b.SHA256 == hex.EncodeToString(n.sha256[:])
}

// metadata returns the blob's metadata from memory or from the disk.
func (c *Cache) metadata(b Blob) (metadata, error) {
	name := b.name()
	c.mu.Lock()
	n, known := c.metadataByName[name]
	c.mu.Unlock()
	if known {
		return n, nil
	}
	text, err := os.ReadFile(c.path(name, metadataSuffix))
	if err != nil {
		return metadata{}, err
	}
	if n, err = decodeMetadata(text); err != nil {
		return metadata{}, err
	}
	if !n.matches(b) {
		return metadata{}, errMetadata
	}
	c.remember(name, n)
	return n, nil
}

func (c *Cache) remember(name string, n metadata) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.metadataByName[name] = n
}

// writeMetadata writes m. It is called before the data file gets its name, so a data
// file always has metadata.
func (c *Cache) writeMetadata(name string, n metadata) error {
	part, err := c.newPart()
	if err != nil {
		return err
	}
	defer part.discard()
	if _, err := c.writer(part.file).Write(n.encode()); err != nil {
		return err
	}
	if err := os.Rename(part.file.Name(), c.path(name, metadataSuffix)); err != nil {
		return fmt.Errorf("keep note: %w", err)
	}
	c.remember(name, n)
	return nil
}
