package format

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/ontosql/ontosql"
)

// Manifest is commits/{id}-{attempt}/manifest.json: what one commit wrote, and its parent
// commit (seed 000 section 3.5).
type Manifest struct {
	CommitID           ontosql.CommitID           `json:"commit_id"`
	CreatedAt          Time                       `json:"created_at"`
	Files              []File                     `json:"files"`
	Metadata           map[string]json.RawMessage `json:"metadata"`             // canonical JSON; values need not be strings (COMPAT D13)
	ParentCommitID     *ontosql.CommitID          `json:"parent_commit_id"`     // nil for the first commit
	ParentManifestPath *string                    `json:"parent_manifest_path"` // nil for the first commit
	RuntimeID          string                     `json:"runtime_id"`
}

// Text returns the value of a metadata key that is a text, false for any other value and for
// none.
func (m *Manifest) Text(key string) (text string, ok bool) {
	raw, ok := m.Metadata[key]
	return text, ok && json.Unmarshal(raw, &text) == nil
}

// File is one data file of a manifest.
type File struct {
	ContentSHA256   string `json:"content_sha256"` // lower-case hex of the whole object; "" if the writer recorded none
	Kind            string `json:"kind"`           // "entity" or "relation"
	Path            string `json:"path"`           // relative to the store's prefix
	RowCount        int64  `json:"row_count"`
	SchemaVersionID *int64 `json:"schema_version_id"` // nil in some v1 files
	TypeName        string `json:"type_name"`
}

// Ref returns the type of the file's rows.
func (f *File) Ref() ontosql.TypeRef {
	kind, _ := ontosql.ParseKind(f.Kind) // the decoder has checked it
	return ontosql.TypeRef{Kind: kind, Name: f.TypeName}
}

// Metadata keys of ontosql.
const (
	MetadataSchema  = "ontosql_schema"  // a SchemaChange
	MetadataAttempt = "ontosql_attempt" // the name of the attempt, by which a writer finds its own commit
	MetadataTags    = "ontosql_tags"    // the Tags after the commit
	MetadataEvents  = "ontosql_events"  // the events that the commit sends (EventsOf)
	MetadataMerge   = "ontosql_merge"   // the branch that the commit merged (Merge)
	MetadataMessage = "message"         // a text: what the writer says of the commit
	MetadataActor   = "actor"           // a text: who asked for it
)

// DecodeManifest reads a manifest and checks its parent: the first commit has none, every other
// commit has the commit before it (I3). The error is a *ontosql.CorruptError with the key.
func DecodeManifest(key string, body []byte) (*Manifest, error) {
	f, err := readObject(key, body)
	if err != nil {
		return nil, err
	}
	m := &Manifest{
		CommitID:           f.commit("commit_id", 1),
		CreatedAt:          f.time("created_at"),
		Files:              []File{},
		Metadata:           f.metadata(),
		ParentManifestPath: f.textOrNil("parent_manifest_path"),
		RuntimeID:          f.optionalText("runtime_id"),
	}
	files, _ := f.get("files", JSONArray)
	f.each("files", files.items, func(e objectReader) { m.Files = append(m.Files, e.file()) })
	if f.has("parent_commit_id") {
		parent := f.commit("parent_commit_id", 0)
		m.ParentCommitID = &parent
	}
	f.checkParent(m)
	if f.err() != nil {
		return nil, f.err()
	}
	return m, nil
}

func (f objectReader) file() File {
	file := File{
		ContentSHA256: f.checksum("content_sha256"),
		Kind:          f.oneOf("kind", "entity", "relation"),
		Path:          f.text("path"),
		RowCount:      f.integer("row_count", 0),
		TypeName:      f.text("type_name"),
	}
	f.storePath("path", file.Path)
	if f.has("schema_version_id") {
		id := f.integer("schema_version_id", 0)
		file.SchemaVersionID = &id
	}
	return file
}

func (f objectReader) metadata() map[string]json.RawMessage {
	metadata := map[string]json.RawMessage{}
	if !f.has("metadata") {
		return metadata
	}
	v, _ := f.get("metadata", JSONObject)
	for i, name := range v.names {
		metadata[name] = canonicalJSON(v.items[i])
	}
	return metadata
}

func (f objectReader) checkParent(m *Manifest) {
	switch first := m.CommitID == 1; {
	case first && m.ParentCommitID != nil:
		f.fail("parent_commit_id", "the first commit names a parent")
	case first && m.ParentManifestPath != nil:
		f.fail("parent_manifest_path", "the first commit names a parent")
	case first:
	case m.ParentCommitID == nil:
		f.fail("parent_commit_id", "commit %d names no parent", m.CommitID)
	case *m.ParentCommitID != m.CommitID-1:
		f.fail("parent_commit_id", "commit %d names %d as its parent", m.CommitID, *m.ParentCommitID)
	case m.ParentManifestPath == nil:
		f.fail("parent_manifest_path", "commit %d names no parent", m.CommitID)
	default:
		f.storePath("parent_manifest_path", *m.ParentManifestPath)
	}
}

// EncodeManifest writes a manifest. It fails only if a value of Metadata is not JSON.
func EncodeManifest(m *Manifest) ([]byte, error) {
	files := make([]Value, len(m.Files))
	for i := range m.Files {
		files[i] = m.Files[i].value()
	}
	metadata := make([]Member, 0, len(m.Metadata))
	for name, text := range m.Metadata {
		v, err := parseMember("metadata "+name, text)
		if err != nil {
			return nil, fmt.Errorf("encode manifest of commit %d: %w", m.CommitID, err)
		}
		metadata = append(metadata, Member{name, v})
	}
	parent := Null()
	if m.ParentCommitID != nil {
		parent = Int(int64(*m.ParentCommitID))
	}
	return encodeObject(
		Member{"commit_id", Int(int64(m.CommitID))},
		Member{"created_at", String(m.CreatedAt.String())},
		Member{"files", Array(files...)},
		Member{"metadata", Object(metadata...)},
		Member{"parent_commit_id", parent},
		Member{"parent_manifest_path", textOrNull(m.ParentManifestPath)},
		Member{"runtime_id", String(m.RuntimeID)},
	), nil
}

func (f *File) value() Value {
	version := Null()
	if f.SchemaVersionID != nil {
		version = Int(*f.SchemaVersionID)
	}
	return Object(
		Member{"content_sha256", String(f.ContentSHA256)},
		Member{"kind", String(f.Kind)},
		Member{"path", String(f.Path)},
		Member{"row_count", Int(f.RowCount)},
		Member{"schema_version_id", version},
		Member{"type_name", String(f.TypeName)},
	)
}

// TypeNames are the names of the types that the commit wrote rows of, in the order of its files.
func (m *Manifest) TypeNames() []string {
	names := []string{}
	for i := range m.Files {
		if !slices.Contains(names, m.Files[i].TypeName) {
			names = append(names, m.Files[i].TypeName)
		}
	}
	return names
}
