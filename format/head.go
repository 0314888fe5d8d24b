package format

import (
	"errors"
	"strings"

	"github.com/ontosql/ontosql"
)

// Head is meta/head.json, which alone decides what is committed (I1; seed 000 section 3.1).
type Head struct {
	CommitID     ontosql.CommitID `json:"commit_id"`
	CommitSHA256 string           `json:"commit_sha256,omitempty"` // of the manifest's bytes, lower-case hex; the original never writes it
	ManifestPath *string          `json:"manifest_path"`           // nil exactly when CommitID is 0
	RuntimeID    string           `json:"runtime_id"`
	UpdatedAt    Time             `json:"updated_at"`
}

// DecodeHead reads a head. Its error is a *ontosql.CorruptError with the key.
func DecodeHead(key string, body []byte) (*Head, error) {
	f, err := readObject(key, body)
	if err != nil {
		return nil, err
	}
	h := &Head{
		CommitID:     f.commit("commit_id", 0),
		CommitSHA256: f.checksum("commit_sha256"),
		ManifestPath: f.textOrNil("manifest_path"),
		RuntimeID:    f.optionalText("runtime_id"),
		UpdatedAt:    f.optionalTime("updated_at"),
	}
	switch {
	case h.CommitID == 0 && h.ManifestPath != nil:
		f.fail("manifest_path", "is %q before the first commit", *h.ManifestPath)
	case h.CommitID > 0 && h.ManifestPath == nil:
		f.fail("manifest_path", "missing at commit %d", h.CommitID)
	case h.ManifestPath != nil:
		f.storePath("manifest_path", *h.ManifestPath)
	}
	if f.err() != nil {
		return nil, f.err()
	}
	return h, nil
}

// EncodeHead writes a head.
func EncodeHead(h *Head) []byte {
	members := []Member{
		{"commit_id", Int(int64(h.CommitID))},
		{"manifest_path", textOrNull(h.ManifestPath)},
		{"runtime_id", String(h.RuntimeID)},
		{"updated_at", String(h.UpdatedAt.String())},
	}
	if h.CommitSHA256 != "" {
		members = append(members, Member{"commit_sha256", String(h.CommitSHA256)})
	}
	return encodeObject(members...)
}

// Pin converts the head to an ontosql.Head.
func (h *Head) Pin() ontosql.Head {
	pin := ontosql.Head{Commit: h.CommitID, RuntimeID: h.RuntimeID, UpdatedAt: h.UpdatedAt.Time}
	if h.ManifestPath != nil {
		pin.ManifestPath = *h.ManifestPath
	}
	return pin
}

// checksum returns a SHA-256 in lower-case hex, or "" if the field is missing or null.
func (f objectReader) checksum(name string) string {
	s := f.optionalText(name)
	if s != "" && (len(s) != 64 || strings.Trim(s, lowerHex) != "") {
		f.fail(name, "%q is no SHA-256", s)
	}
	return s
}

var errEscapes = errors.New("a path may not leave the store")

// storePath checks a path to another object of the store. The path must not leave the directory of
// the store.
func (f objectReader) storePath(name, path string) {
	if path == "" || strings.HasPrefix(path, "/") || strings.Contains(path, "\x00") {
		f.fail(name, "%q: %w", path, errEscapes)
		return
	}
	for segment := range strings.SplitSeq(path, "/") {
		if segment == ".." || segment == "." {
			f.fail(name, "%q: %w", path, errEscapes)
			return
		}
	}
}
