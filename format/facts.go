package format

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/ontosql/ontosql"
)

// ColumnKind is the coarse kind of a Parquet column. A reader compares it with the field's type to
// decide whether it can use the column (decision A17).
type ColumnKind string

// The kinds of columns.
const (
	KindBool   ColumnKind = "bool"
	KindInt64  ColumnKind = "int64"
	KindDouble ColumnKind = "double"
	KindString ColumnKind = "string"
	KindNull   ColumnKind = "null"  // the original wrote only None in this file
	KindOther  ColumnKind = "other" // nested, of another type, or marked as unreliable by its writer
)

// ColumnFact is one top-level column of a file.
type ColumnFact struct {
	Name string     `json:"name"`
	Kind ColumnKind `json:"kind"`
}

// Facts are the results of Inspect for a data file. They stay valid as long as the file's bytes do
// not change.
type Facts struct {
	Rows    int64        `json:"rows"`
	Columns []ColumnFact `json:"columns"` // top-level columns in file order
	// MinCommit and MaxCommit are the range of commit_id; 0 without rows.
	MinCommit ontosql.CommitID `json:"min_commit"`
	MaxCommit ontosql.CommitID `json:"max_commit"`
	// KeyBounds is true if MinKey and MaxKey are the exact range of the first identity column
	// (entity_key or left_key) in the order of bytes. It is false if the column is not of
	// strings, the file is empty or a bound is too long.
	KeyBounds bool   `json:"key_bounds"`
	MinKey    string `json:"min_key,omitempty"`
	MaxKey    string `json:"max_key,omitempty"`
	// Duplicates is true if two rows may have the same identity and commit (decision A15). False
	// is certain.
	Duplicates bool `json:"duplicates"`
	// Plain is true if fields_json of each row is PlainJSON and no typed column has a text with
	// U+0000. It is false if the writer does not record this.
	Plain bool `json:"plain"`
}

// Column returns the kind of a column by name. present is false if there is no such column.
func (f *Facts) Column(name string) (kind ColumnKind, present bool) {
	i := slices.IndexFunc(f.Columns, func(c ColumnFact) bool { return c.Name == name })
	if i < 0 {
		return "", false
	}
	return f.Columns[i].Kind, true
}

// Without returns the facts as if the given columns were of KindOther, which no reader uses.
func (f *Facts) Without(columns []string) *Facts {
	if len(columns) == 0 {
		return f
	}
	less := *f
	less.Columns = slices.Clone(f.Columns)
	for i := range less.Columns {
		if slices.Contains(columns, less.Columns[i].Name) {
			less.Columns[i].Kind = KindOther
		}
	}
	return &less
}

// factsVersion is the version of the encoded form. Facts of another version are computed again.
const factsVersion = 3

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
