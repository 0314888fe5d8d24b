package codec

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
)

// TypeRows are the rows that one commit wrote of one type.
type TypeRows struct {
	Ref           ontosql.TypeRef
	Count         int64
	SchemaVersion int64 // their schema version, 0 where it is unknown or they differ
}

// CommitPath names a commit and all before it: the path of its entry in the chain.
// It hangs on the mark of the commit before, "" for none, and on what the commit
// says of itself: its columns as they are stored, "" for NULL, and how many rows it
// has of each type, in the order of TypeRef.Compare. So a file that was put back
// and written on has other marks, and so has a commit that was not complete when
// it was first seen.
func CommitPath(parent string, id ontosql.CommitID, createdAt, metadata string, rows []TypeRows) string {
	var b []byte
	text := func(s string) { b = append(binary.AppendUvarint(b, uint64(len(s))), s...) }
	text(parent)
	b = binary.AppendVarint(b, int64(id))
	text(createdAt)
	text(metadata)
	for _, r := range rows {
		text(r.Ref.String())
		b = binary.AppendVarint(b, r.Count)
		b = binary.AppendVarint(b, r.SchemaVersion)
	}
	sum := sha256.Sum256(b)
	return fmt.Sprintf("%s%d-%s", format.CommitsPrefix, id, hex.EncodeToString(sum[:16]))
}

// Files are the rows of a commit as a manifest would list them. There is no
// object, so they have neither path nor checksum.
func Files(rows []TypeRows) []format.File {
	list := make([]format.File, len(rows))
	for i, r := range rows {
		list[i] = format.File{Kind: r.Ref.Kind.String(), TypeName: r.Ref.Name, RowCount: r.Count}
		if r.SchemaVersion != 0 {
			version := r.SchemaVersion
			list[i].SchemaVersionID = &version
		}
	}
	return list
}
