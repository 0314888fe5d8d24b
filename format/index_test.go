package format_test

import (
	"testing"

	"github.com/ontosql/ontosql/format"
)

// TestEncodeIndexIsCanonical checks that EncodeIndex, which does not use Value, writes canonical
// JSON.
func TestEncodeIndexIsCanonical(t *testing.T) {
	for _, index := range []format.Index{
		{},
		{TypeName: "Thing", MaxIndexedCommit: 7},
		{TypeName: `"Größe"\`, MaxIndexedCommit: 9, Entries: []format.IndexEntry{
			{MinCommitID: 1, MaxCommitID: 8, Path: "snapshots/entities/\"Größe\"\\/1-8.parquet"},
			{MinCommitID: 9, MaxCommitID: 9, Path: "commits/9-0123abcd/entities/\U0001F600\x7f\n.parquet"},
		}},
	} {
		got := format.EncodeIndex(&index)
		want, err := format.Canonicalize(got)
		if err != nil || string(got) != string(want) {
			t.Errorf("index of %q: got %s, want %s, %v", index.TypeName, got, want, err)
		}
	}
}
