package storage

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore/diskcache"
)

// TestFootersAreReadOnce reads the note of a file of which only the keys are known, and then
// has it in memory.
func TestFootersAreReadOnce(t *testing.T) {
	var k footers
	b := diskcache.Blob{Key: "commits/1-a/x", SHA256: "ab"}
	whole := &format.Facts{Rows: 2, Columns: []format.ColumnFact{{Name: "commit_id", Kind: format.KindInt64}}, MinCommit: 1, MaxCommit: 1}
	note, err := whole.Encode()
	if err != nil {
		t.Fatal(err)
	}
	none := []byte("no note")
	if facts, err := k.read(b, none); err == nil {
		t.Errorf("of a file that nobody knows, %q says %+v", none, facts)
	}
	k.put(b, footer{facts: &format.Facts{Rows: 2, KeyBounds: true, MinKey: "a", MaxKey: "b"}})
	if facts, err := k.read(b, none); err == nil {
		t.Errorf("the keys of a file that was written are taken for all that can be known of it: %+v", facts)
	}
	for _, text := range [][]byte{note, none} { // the second time it is not looked at
		facts, err := k.read(b, text)
		if err != nil {
			t.Fatalf("read the note %q: %v", text, err)
		}
		if diff := cmp.Diff(whole, facts); diff != "" {
			t.Errorf("facts (-want +got):\n%s", diff)
		}
	}
}
