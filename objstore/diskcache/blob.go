package diskcache

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/ontosql/ontosql/objstore"
)

// Blob names the content of one object. With a checksum, key and checksum are
// its identity. Without, key and version are, for objects that may be replaced
// under their key. Without either it is the key alone, which must then be one
// whose object never changes.
type Blob struct {
	Key     string
	SHA256  string           // of the whole object, lower-case hex; "" where nobody recorded it
	Version objstore.Version // compared only when there is no SHA256
	Size    int64            // in bytes, held against the object when it is fetched; 0 where it is not known
}

// name is the file name of the blob without its suffix.
func (b Blob) name() string {
	identity := "sha256\x00" + b.SHA256
	if b.SHA256 == "" {
		identity = "version\x00" + string(b.Version)
	}
	sum := sha256.Sum256([]byte(b.Key + "\x00" + identity))
	return hex.EncodeToString(sum[:])
}

// The suffixes of the files in the directory.
const (
	dataSuffix     = ".parquet" // the object's bytes
	metadataSuffix = ".note"    // what is known of them; outlives them
	partSuffix     = ".part"    // being written, locked by its writer
)
