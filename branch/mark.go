package branch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/resolver"
)

// mark is what the object at format.CopyMarkKey says of a branch that is being made. It begins like
// that of a copy, which is a whole history and may complete the branch.
type mark struct {
	Engine   string           `json:"engine_sha256"` // of the engine marker
	First    string           `json:"first_commit"`  // manifest of the first commit, "" for none
	Commit   ontosql.CommitID `json:"commit_id"`     // of the point
	Manifest string           `json:"manifest_path"` // of that commit
}

func markOf(ctx context.Context, from objstore.Bucket, pin *resolver.Pin) (*mark, error) {
	body, _, err := from.Get(ctx, format.EngineKey)
	if err != nil && !errors.Is(err, objstore.ErrNotFound) {
		return nil, fmt.Errorf("read engine marker: %w", err)
	}
	sum := sha256.Sum256(body)
	m := &mark{Engine: hex.EncodeToString(sum[:]), Commit: pin.Head.Commit, Manifest: pin.Head.ManifestPath}
	if first := pin.View.Commit(1); first != nil {
		m.First = first.Path
	}
	return m, nil
}

func (m *mark) encode() []byte {
	text, _ := json.Marshal(m) // texts and a number
	return text
}

// readMark reads the mark of a bucket; nil if there is none.
func readMark(ctx context.Context, b objstore.Bucket) (*mark, objstore.Version, error) {
	body, version, err := b.Get(ctx, format.CopyMarkKey)
	if errors.Is(err, objstore.ErrNotFound) {
		return nil, objstore.Absent, nil
	}
	if err != nil {
		return nil, objstore.Absent, fmt.Errorf("read mark: %w", err)
	}
	m := &mark{}
	if err := json.Unmarshal(body, m); err != nil {
		return nil, objstore.Absent, &ontosql.CorruptError{Key: format.CopyMarkKey, Err: err}
	}
	return m, version, nil
}

// DeleteToken is the token that the deletion of a branch must be given: it is that of the branch as
// its owner has seen it, and another one after the next commit.
func DeleteToken(address string, v *chain.View) string {
	text := address
	if e := v.Commit(v.Head().Commit); e != nil {
		text += " " + e.Path + " " + e.Digest()
	}
	sum := sha256.Sum256([]byte("delete " + text))
	return hex.EncodeToString(sum[:8])
}
