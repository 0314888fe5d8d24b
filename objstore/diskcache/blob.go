package diskcache

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/ontosql/ontosql/objstore"
)

// Blob identifies the content of one object: by key and SHA256 if there is a
// checksum, otherwise by key and Version. Without both, the key alone identifies it;
// use that only for objects that never change.
type Blob struct {
	Key     string
	SHA256  string           // of the whole object, lower-case hex; "" if unknown
	Version objstore.Version // used only if SHA256 is empty
	Size    int64            // in bytes, checked when the object is fetched; 0 if unknown
}

// name returns the blob's file name without suffix.
func (b Blob) name() string {
	identity := "sha256\x00" + b.SHA256
	if b.SHA256 == "" {
		identity = "version\x00" + string(b.Version)
	}
	sum := sha256.Sum256([]byte(b.Key + "\x00" + identity))
	return hex.EncodeToString(sum[:])
}

// Suffixes of the files in the cache directory.
const (
	dataSuffix     = ".parquet" // the object's bytes
	metadataSuffix = ".note"    // the metadata of an object; kept after the data file is evicted
	partSuffix     = ".part"    // a file that is being written; its writer holds a lock on it
)
