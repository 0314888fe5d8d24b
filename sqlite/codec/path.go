package codec

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
)

// TypeRows counts the rows of one type that one commit wrote.
type TypeRows struct {
	Ref           ontosql.TypeRef
	Count         int64
	SchemaVersion int64 // their schema version, 0 where it is unknown or they differ
}

// CommitPath is the path of a commit's entry in the chain: a hash of the path of the
// commit before, "" for none, of the commit's stored columns, "" for NULL, and of how many
// rows it has of each type, in the order of TypeRef.Compare. A file that was restored to an
// earlier state and written again has other paths, and so has a commit whose rows were not
// complete when it was first read.
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

// Files lists the rows of a commit as a manifest does. There are no objects, so the files
// have neither path nor checksum.
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
