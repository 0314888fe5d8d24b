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

// Entry is one commit of a chain. It is shared by every view and not changed.
type Entry struct {
	ID       ontosql.CommitID
	Path     string // key of the manifest, relative to the store's prefix
	Manifest *format.Manifest

	sha256 [sha256.Size]byte // of the manifest's bytes
	drops  []ontosql.TypeRef // types this commit dropped (decision A14)
	schema func() (*format.SchemaChange, error)
}

// link is what names a manifest: the head, or the manifest after it.
type link struct {
	id     ontosql.CommitID // the commit that must stand there
	path   string
	sha256 string // of its bytes, lower-case hex; "" where nobody says
	by     string // key of the object that names it
	field  string // of by
}

// parent is the link to the commit before e.
func (e *Entry) parent() link {
	up := link{id: e.ID - 1, by: e.Path, field: "parent_manifest_path"}
	if up.id > 0 {
		up.path = *e.Manifest.ParentManifestPath // the decoder demands it
	}
	return up
}

// matches reports whether e is the manifest that l names.
func (e *Entry) matches(l link) bool {
	return e.ID == l.id && e.Path == l.path && (l.sha256 == "" || l.sha256 == hex.EncodeToString(e.sha256[:]))
}

// check says that the key a link names can be that of its commit's manifest.
func (l link) check() error {
	if id, _, ok := format.ParseCommitDir(l.path); !ok || id != l.id {
		return ontosql.Corrupt(l.by, l.field, "%q is no manifest of commit %d", l.path, l.id)
	}
	return nil
}

// newEntry verifies the bytes of the manifest at path as far as they can be
// verified alone; admit does the rest.
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

// decode reads what the metadata says of types.
func (e *Entry) decode() error {
	e.decodeSchemaLazily()
	change, err := e.schema()
	if err != nil {
		return err
	}
	e.drops, err = drops(e.Path, e.Manifest, change)
	return err
}

// checkLink says whether e is what its link promised.
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

// decodeSchemaLazily decodes the schema change when it is first asked for: there
// are many commits and few schema changes, but each of those is large.
func (e *Entry) decodeSchemaLazily() {
	e.schema = func() (*format.SchemaChange, error) { return nil, nil }
	if e.changesSchema() {
		e.schema = sync.OnceValues(func() (*format.SchemaChange, error) { return e.Manifest.SchemaChange(e.Path) })
	}
}

func (e *Entry) changesSchema() bool {
	_, yes := e.Manifest.Metadata[format.MetadataSchema]
	return yes
}
