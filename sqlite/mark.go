package sqlite

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
)

// typeRows are the rows that one commit wrote of one type.
type typeRows struct {
	ref     ontosql.TypeRef
	n       int64
	version int64 // their schema version, 0 where it is unknown or they differ
}

// nextMark names a commit and all before it: the path of its entry in the chain.
// It hangs on the mark of the commit before, "" for none, and on what the commit
// says of itself: its columns as they are stored, "" for NULL, and how many rows it
// has of each type, in the order of TypeRef.Compare. So a file that was put back
// and written on has other marks, and so has a commit that was not complete when
// it was first seen.
func nextMark(parent string, id ontosql.CommitID, createdAt, metadata string, rows []typeRows) string {
	var b []byte
	text := func(s string) { b = append(binary.AppendUvarint(b, uint64(len(s))), s...) }
	text(parent)
	b = binary.AppendVarint(b, int64(id))
	text(createdAt)
	text(metadata)
	for _, r := range rows {
		text(r.ref.String())
		b = binary.AppendVarint(b, r.n)
		b = binary.AppendVarint(b, r.version)
	}
	sum := sha256.Sum256(b)
	return fmt.Sprintf("%s%d-%s", format.CommitsPrefix, id, hex.EncodeToString(sum[:16]))
}

// files are the rows of a commit as a manifest would list them. There is no
// object, so they have neither path nor checksum.
func files(rows []typeRows) []format.File {
	list := make([]format.File, len(rows))
	for i, r := range rows {
		list[i] = format.File{Kind: r.ref.Kind.String(), TypeName: r.ref.Name, RowCount: r.n}
		if r.version != 0 {
			version := r.version
			list[i].SchemaVersionID = &version
		}
	}
	return list
}
