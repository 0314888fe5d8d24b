package rowstore

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/ontosql/ontosql"
)

// Keys that begin with tableSpace are versions; the rest of such a key is the number of the table,
// the identity, the commit and the order of versions of one commit (A15), the last two descending.
// Keys that begin with stateSpace are the states of tables, by their number.
const (
	stateSpace = 's'
	tableSpace = 't'
)

// tableKeyBytes is the length of the space and the number of the table at the beginning of a key.
const tableKeyBytes = 9

// tailBytes is the length of the commit and the order at the end of a key.
const tailBytes = 16

func stateKey(number uint64) []byte { return binary.BigEndian.AppendUint64([]byte{stateSpace}, number) }
func tableKey(number uint64) []byte { return binary.BigEndian.AppendUint64([]byte{tableSpace}, number) }

// appendText appends a text of an identity. The order of the bytes is that of the texts, and no
// identity is the beginning of another.
func appendText(key, text []byte) []byte {
	for {
		i := bytes.IndexByte(text, 0)
		if i < 0 {
			return append(append(key, text...), 0, 1)
		}
		key, text = append(append(key, text[:i]...), 0, 0xff), text[i+1:]
	}
}

func appendTail(key []byte, commit ontosql.CommitID, order int64) []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(key, ^uint64(commit)), ^uint64(order))
}

// identityOf is a key without its tail, commitOf the commit in that.
func identityOf(key []byte) []byte { return key[:len(key)-tailBytes] }

func commitOf(key []byte) ontosql.CommitID {
	return ontosql.CommitID(^binary.BigEndian.Uint64(key[len(key)-tailBytes:]))
}

// after is the first key behind all keys that begin with prefix.
func after(prefix []byte) []byte {
	end := bytes.Clone(prefix)
	for i := len(end) - 1; i >= 0; i-- {
		if end[i]++; end[i] != 0 {
			return end[:i+1]
		}
	}
	return nil
}

// newest is the order of the last of several versions of one commit.
const newest = math.MaxInt64
