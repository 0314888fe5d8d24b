package format

import (
	"cmp"
	"strconv"

	"github.com/ontosql/ontosql"
)

// Index is meta/indices/{entities,relations}/{Type}.json: an advisory list of
// a type's files (I5; seed 000 section 3.4).
type Index struct {
	Entries []IndexEntry `json:"entries"`
	// MaxIndexedCommit is the commit up to which the list is complete, even if that commit did
	// not change the type.
	MaxIndexedCommit ontosql.CommitID `json:"max_indexed_commit"`
	TypeName         string           `json:"type_name"`
}

// IndexEntry is one file, with the rows of the type that commits MinCommitID to MaxCommitID wrote.
// It is a snapshot if MinCommitID is less than MaxCommitID.
type IndexEntry struct {
	MaxCommitID ontosql.CommitID `json:"max_commit_id"`
	MinCommitID ontosql.CommitID `json:"min_commit_id"`
	Path        string           `json:"path"`
}

// Compare orders the entries of an index (COMPAT 3.1).
func (e IndexEntry) Compare(o IndexEntry) int {
	return cmp.Or(cmp.Compare(e.MinCommitID, o.MinCommitID), cmp.Compare(e.MaxCommitID, o.MaxCommitID), cmp.Compare(e.Path, o.Path))
}

// Snapshot reports whether it stands for more than one commit.
func (e IndexEntry) Snapshot() bool { return e.MinCommitID < e.MaxCommitID }

// Covers reports whether it stands for a commit.
func (e IndexEntry) Covers(id ontosql.CommitID) bool {
	return e.MinCommitID <= id && id <= e.MaxCommitID
}

// Overlaps reports whether two entries stand for the same commit, one at least.
func (e IndexEntry) Overlaps(o IndexEntry) bool {
	return e.MinCommitID <= o.MaxCommitID && o.MinCommitID <= e.MaxCommitID
}

// DecodeIndex reads an index. An index without a list of entries covers no commit, even if it
// has a max_indexed_commit (COMPAT 3.5: "treated as empty"). An entry of the wrong shape is an
// error.
func DecodeIndex(key string, body []byte) (*Index, error) {
	f, err := readObjectLeniently(key, body)
	if err != nil {
		return nil, err
	}
	index := &Index{Entries: []IndexEntry{}, TypeName: f.optionalText("type_name")}
	if entries, _ := f.value.Get("entries"); entries.kind == JSONArray {
		if f.has("max_indexed_commit") {
			index.MaxIndexedCommit = f.commit("max_indexed_commit", 0)
		}
		f.each("entries", entries.items, func(e objectReader) { index.Entries = append(index.Entries, e.entry()) })
	}
	if f.err() != nil {
		return nil, f.err()
	}
	return index, nil
}

func (f objectReader) entry() IndexEntry {
	e := IndexEntry{
		MaxCommitID: f.commit("max_commit_id", 1),
		MinCommitID: f.commit("min_commit_id", 1),
		Path:        f.text("path"),
	}
	f.storePath("path", e.Path)
	if e.MinCommitID > e.MaxCommitID {
		f.fail("min_commit_id", "%d is after max_commit_id %d", e.MinCommitID, e.MaxCommitID)
	}
	return e
}

// EncodeIndex writes an index with its entries in the given order. Indexes are large and written
// often, so the text is built without intermediate Values.
func EncodeIndex(index *Index) []byte {
	const entryBytes = 160
	b := make([]byte, 0, entryBytes*(1+len(index.Entries)))
	b = append(b, `{"entries":[`...)
	for i, e := range index.Entries {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(append(b, `{"max_commit_id":`...), int64(e.MaxCommitID), 10)
		b = strconv.AppendInt(append(b, `,"min_commit_id":`...), int64(e.MinCommitID), 10)
		b = append(AppendString(append(b, `,"path":`...), e.Path), '}')
	}
	b = strconv.AppendInt(append(b, `],"max_indexed_commit":`...), int64(index.MaxIndexedCommit), 10)
	return append(AppendString(append(b, `,"type_name":`...), index.TypeName), '}')
}
