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

// Written is the checksum, the size in bytes and the number of rows of a written data file.
type Written struct {
	SHA256 string // lower-case hex
	Size   int64
	Rows   int64
}
