package format

import "github.com/ontosql/ontosql"

// Row is one stored version of one entity or relation, as a data file holds it
// (COMPAT 2.4).
type Row struct {
	Commit          ontosql.CommitID
	Key             string // entity_key; of an entity only
	Left, Right     string // of a relation only
	Instance        string // of a relation only, "" where it is unkeyed
	SchemaVersionID int64  // 0 where the file has NULL, as v1 files may
	Fields          []byte // fields_json, canonical; an instance key is not in it
}

// Written is what a manifest says of a data file, and its size in bytes.
type Written struct {
	SHA256 string // lower-case hex
	Size   int64
	Rows   int64
}
