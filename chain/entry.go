package chain

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
)

// Entry is one commit of a chain. It is immutable and shared by views.
type Entry struct {
	ID       ontosql.CommitID
	Path     string // key of the manifest, relative to the store's prefix
	Manifest *format.Manifest

	sha256 [sha256.Size]byte // of the manifest's bytes
	drops  []ontosql.TypeRef // types that this commit dropped (decision A14)
	schema func() (*format.SchemaChange, error)
	tags   func() (format.Tags, error) // nil if the commit changes none
}

// link is a reference to a manifest, by the head or by the next manifest.
type link struct {
	id     ontosql.CommitID // expected commit id
	path   string
	sha256 string // of the manifest's bytes, lower-case hex; "" if unknown
	by     string // key of the object that contains the link
	field  string // field of that object
}

// parent returns the link to the previous commit.
func (e *Entry) parent() link {
	up := link{id: e.ID - 1, by: e.Path, field: "parent_manifest_path"}
	if up.id > 0 {
		up.path = *e.Manifest.ParentManifestPath // the decoder requires it
	}
	return up
}

// matches reports whether e is the manifest of l.
func (e *Entry) matches(l link) bool {
	return e.ID == l.id && e.Path == l.path && (l.sha256 == "" || l.sha256 == hex.EncodeToString(e.sha256[:]))
}

// check returns an error if the link's key cannot be the key of its commit's manifest.
func (l link) check() error {
	if id, _, ok := format.ParseCommitDir(l.path); !ok || id != l.id {
		return ontosql.Corrupt(l.by, l.field, "%q is no manifest of commit %d", l.path, l.id)
	}
	return nil
}

// newEntry decodes and verifies the manifest at path by itself. checkLink verifies it
// against the link.
func newEntry(path string, body []byte) (*Entry, error) {
	m, err := format.DecodeManifest(path, body)
	if err != nil {
		return nil, err
	}
	e := &Entry{ID: m.CommitID, Path: path, Manifest: m, sha256: sha256.Sum256(body)}
	if err := e.decode(); err != nil {
		return nil, err
	}
	return e, nil
}

// decode reads what the metadata says about types.
func (e *Entry) decode() error {
	e.decodeLazily()
	change, err := e.schema()
	if err != nil {
		return err
	}
	e.drops, err = drops(e.Path, e.Manifest, change)
	return err
}

// Digest identifies the commit among those of all branches of its ontology: the SHA-256 of the
// manifest's bytes in lower-case hex, and in an ontology without manifests that of what is stored of
// the commit itself.
func (e *Entry) Digest() string {
	sum := e.sha256
	if sum == [sha256.Size]byte{} {
		own := format.Manifest{CommitID: e.ID, CreatedAt: e.Manifest.CreatedAt, Metadata: e.Manifest.Metadata}
		body, _ := format.EncodeManifest(&own) // metadata that was decoded is JSON
		sum = sha256.Sum256(body)
	}
	return hex.EncodeToString(sum[:])
}

// Same reports whether two entries are the same commit, perhaps of two branches.
func (e *Entry) Same(o *Entry) bool { return e.ID == o.ID && e.Digest() == o.Digest() }

// checkLink returns an error if e does not match l.
func (e *Entry) checkLink(l link) error {
	if e.ID != l.id {
		return ontosql.Corrupt(e.Path, "commit_id", "is %d where %s leads to commit %d", e.ID, l.by, l.id)
	}
	if !e.matches(l) {
		return &ontosql.CorruptError{Key: e.Path, Err: fmt.Errorf("%w: %s says %s", errChecksum, l.by, l.sha256)}
	}
	return nil
}

var errChecksum = errors.New("the manifest has another sha256")

// decodeLazily makes e.schema and e.tags decode the schema change and the tags when they are
// first needed. Few commits change them, but they are large.
func (e *Entry) decodeLazily() {
	if e.Manifest.ChangesTags() {
		e.tags = sync.OnceValues(func() (format.Tags, error) { return e.Manifest.Tags(e.Path) })
	}
	e.schema = func() (*format.SchemaChange, error) { return nil, nil }
	if e.changesSchema() {
		e.schema = sync.OnceValues(func() (*format.SchemaChange, error) { return e.Manifest.SchemaChange(e.Path) })
	}
}

func (e *Entry) changesSchema() bool {
	_, yes := e.Manifest.Metadata[format.MetadataSchema]
	return yes
}
