package format

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/ontosql/ontosql"
)

// ColumnKind is the coarse kind of a Parquet column: what a reader must know
// to decide whether the column's type is the field's (decision A17).
type ColumnKind string

// The kinds of columns.
const (
	KindBool   ColumnKind = "bool"
	KindInt64  ColumnKind = "int64"
	KindDouble ColumnKind = "double"
	KindString ColumnKind = "string"
	KindNull   ColumnKind = "null"  // the original saw only None in the file
	KindOther  ColumnKind = "other" // nested, of another type, or marked by its writer as not telling the truth
)

// ColumnFact is one top-level column of a file.
type ColumnFact struct {
	Name string     `json:"name"`
	Kind ColumnKind `json:"kind"`
}

// Facts are what Inspect finds out about a data file; they hold as long as
// the file's bytes do.
type Facts struct {
	Rows    int64        `json:"rows"`
	Columns []ColumnFact `json:"columns"` // top-level columns in file order
	// MinCommit and MaxCommit bound the commit_id of the rows; 0 without rows.
	MinCommit ontosql.CommitID `json:"min_commit"`
	MaxCommit ontosql.CommitID `json:"max_commit"`
	// KeyBounds says that MinKey and MaxKey bound the first identity column
	// (entity_key or left_key) by the order of bytes. They are exact. False
	// where the column is not of strings, the file is empty or a key is huge.
	KeyBounds bool   `json:"key_bounds"`
	MinKey    string `json:"min_key,omitempty"`
	MaxKey    string `json:"max_key,omitempty"`
	// Duplicates says that two rows may have one identity and one commit
	// (decision A15); false is certain.
	Duplicates bool `json:"duplicates"`
	// Plain says that fields_json of each row is PlainJSON, and that no typed column
	// has a text with U+0000; false where the writer does not tell.
	Plain bool `json:"plain"`
}

// Column is the kind of a column by name; absent tells a missing one.
func (f *Facts) Column(name string) (kind ColumnKind, present bool) {
	i := slices.IndexFunc(f.Columns, func(c ColumnFact) bool { return c.Name == name })
	if i < 0 {
		return "", false
	}
	return f.Columns[i].Kind, true
}

// factsVersion is the version of the encoded form. Facts of another version are computed again.
const factsVersion = 2

type encodedFacts struct {
	Version int `json:"version"`
	Facts
}

// Encode writes the facts as a note that is stored next to the file.
func (f *Facts) Encode() ([]byte, error) {
	return json.Marshal(encodedFacts{factsVersion, *f})
}

// DecodeFacts reads what Encode wrote, and refuses notes of another version.
func DecodeFacts(note []byte) (*Facts, error) {
	var n encodedFacts
	if err := json.Unmarshal(note, &n); err != nil {
		return nil, fmt.Errorf("decode facts: %w", err)
	}
	if n.Version != factsVersion {
		return nil, fmt.Errorf("decode facts: version %d", n.Version)
	}
	return &n.Facts, nil
}
