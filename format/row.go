package format

import "github.com/ontosql/ontosql"

// Row is one stored version of one entity or relation, as a data file holds it
// (COMPAT 2.4).
type Row struct {
	Commit          ontosql.CommitID
	Key             string // entity_key; entities only
	Left, Right     string // relations only
	Instance        string // relations only; "" if the relation has no instance key
	SchemaVersionID int64  // 0 if the file has NULL, which is possible on v1
	Fields          []byte // fields_json, canonical, without the instance key
}

// Size is the number of bytes of the texts of the row.
func (r *Row) Size() int {
	return len(r.Fields) + len(r.Key) + len(r.Left) + len(r.Right) + len(r.Instance)
}

// KeyTexts are the texts of the key columns of a row of a kind.
func (r *Row) KeyTexts(kind ontosql.Kind) []string {
	if kind == ontosql.Relation {
		return []string{r.Left, r.Right, r.Instance}
	}
	return []string{r.Key}
}

// Written is the checksum, the size in bytes and the number of rows of a written data file.
type Written struct {
	SHA256 string // lower-case hex
	Size   int64
	Rows   int64
}
