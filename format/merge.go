package format

import (
	"encoding/json"

	"github.com/ontosql/ontosql"
)

// Merge is what a commit says of the branch that it merged into its own: the other parent of the
// commit (MetadataMerge).
type Merge struct {
	From   string           // address of the branch, for people
	Commit ontosql.CommitID // up to which it was merged, at least 1
	Digest string           // of that commit (chain.Entry.Digest), by which it is found in the branch
	Base   ontosql.CommitID // up to which the branch had been merged before, or was common; 0 for none
}

// Merge returns the merge of a manifest, nil if it has none. key is the key of the manifest, for
// errors, which are a *ontosql.CorruptError.
func (m *Manifest) Merge(key string) (*Merge, error) {
	if _, merges := m.Metadata[MetadataMerge]; !merges {
		return nil, nil
	}
	f, err := m.objectIn(key, MetadataMerge)
	if err != nil {
		return nil, err
	}
	merge := &Merge{From: f.optionalText("from"), Commit: f.commit("commit_id", 1), Digest: f.text("digest"), Base: f.commit("base_commit_id", 0)}
	if f.err() != nil {
		return nil, f.err()
	}
	return merge, nil
}

// EncodeMerge returns the value of MetadataMerge: a text, as all metadata of the original are, with a
// JSON object in it.
func EncodeMerge(m *Merge) json.RawMessage {
	return AppendString(nil, string(encodeObject(
		Member{"base_commit_id", Int(int64(m.Base))},
		Member{"commit_id", Int(int64(m.Commit))},
		Member{"digest", String(m.Digest)},
		Member{"from", String(m.From)},
	)))
}
