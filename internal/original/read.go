package original

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

// Type is a type as the original finds it at the head.
type Type struct {
	Schema  string       // schema_json of its current version
	Version int64        // the current version's id
	Rows    []format.Row // what get_latest gives, one row of each identity, as the files come
}

// Read opens a store as the original does and reads every type that it lists
// (COMPAT 1.5, 3.5 and 3.6). Where the original would refuse a type that has been
// registered, or would miss it, the error says so.
func Read(ctx context.Context, b objstore.Bucket) (map[ontosql.TypeRef]Type, error) {
	r := &reader{bucket: b}
	w := &Writer{Bucket: b}
	var err error
	if r.engine, err = w.engine(ctx); err != nil {
		return nil, err
	}
	if r.head, _, err = w.head(ctx); err != nil {
		return nil, err
	}
	if r.registry, _, err = read(ctx, b, format.RegistryKey, format.DecodeRegistry); err != nil {
		return nil, err
	}
	if r.marks, _, err = read(ctx, b, format.DroppedKey, format.DecodeDropped); err != nil {
		return nil, err
	}
	if r.layouts, _, err = read(ctx, b, format.LayoutsKey, format.DecodeLayouts); err != nil {
		return nil, err
	}
	if err := r.walk(ctx); err != nil {
		return nil, err
	}
	types, _, err := read(ctx, b, format.TypesKey, format.DecodeTypes)
	if err != nil {
		return nil, err
	}
	found := map[ontosql.TypeRef]Type{}
	for kind, names := range map[ontosql.Kind][]string{ontosql.Entity: types.Entities, ontosql.Relation: types.Relations} {
		for _, name := range names {
			ref := ontosql.TypeRef{Kind: kind, Name: name}
			if found[ref], err = r.read(ctx, ref); err != nil {
				return nil, fmt.Errorf("original: %s: %w", ref, err)
			}
		}
	}
	if listed := len(r.registry.Entity) + len(r.registry.Relation); listed != len(found) {
		return nil, fmt.Errorf("original: the registry has %d types, types.json lists %d", listed, len(found))
	}
	return found, nil
}

// reader is one reading of a store.
type reader struct {
	bucket   objstore.Bucket
	engine   string
	head     *format.Head
	registry *format.Registry
	marks    *format.Dropped
	layouts  *format.Layouts
	chain    []*format.Manifest // commit 1 first
}

func (r *reader) walk(ctx context.Context) error {
	for path := r.head.ManifestPath; path != nil; {
		body, _, err := r.bucket.Get(ctx, *path)
		if err != nil {
			return fmt.Errorf("original: read %s: %w", *path, err)
		}
		m, err := format.DecodeManifest(*path, body)
		if err != nil {
			return err
		}
		r.chain, path = append(r.chain, m), m.ParentManifestPath
	}
	slices.Reverse(r.chain)
	return nil
}

func (r *reader) read(ctx context.Context, ref ontosql.TypeRef) (Type, error) {
	schema, mark := r.registry.Entity[ref.Name], r.marks.Entity[ref.Name]
	if ref.Kind == ontosql.Relation {
		schema, mark = r.registry.Relation[ref.Name], r.marks.Relation[ref.Name]
	}
	versions, _, err := read(ctx, r.bucket, format.VersionsKey(ref), format.DecodeVersions)
	if err != nil {
		return Type{}, err
	}
	current, ok := versions.Current()
	hash, hashErr := format.SchemaHash(schema)
	stored, storedErr := format.SchemaHash([]byte(current.SchemaJSON))
	switch {
	case !ok:
		return Type{}, fmt.Errorf("it is listed and has no version")
	case hashErr != nil || storedErr != nil || hash != current.SchemaHash || stored != current.SchemaHash:
		return Type{}, fmt.Errorf("version %d has the hash %s, its schema %s, the registry's %s", current.SchemaVersionID, current.SchemaHash, stored, hash)
	case mark.CommitID != 0:
		return Type{}, fmt.Errorf("it is listed and marked as dropped by commit %d", mark.CommitID)
	}
	t := Type{Schema: current.SchemaJSON, Version: current.SchemaVersionID}
	paths, err := r.files(ctx, ref)
	if err != nil {
		return Type{}, err
	}
	t.Rows, err = r.latest(ctx, ref, paths, r.layout(ref, t.Version))
	return t, err
}

// layout is the schema version whose rows are read, 0 for all (COMPAT 3.6).
func (r *reader) layout(ref ontosql.TypeRef, current int64) int64 {
	if r.engine != format.EngineV2 {
		return 0
	}
	for _, l := range r.layouts.Layouts {
		if l.IsCurrent && l.TypeKind == ref.Kind.String() && l.TypeName == ref.Name {
			return l.SchemaVersionID
		}
	}
	return current
}

// files are those of a type at the head, by its index, and by the chain where the
// index does not reach (COMPAT 3.5).
func (r *reader) files(ctx context.Context, ref ontosql.TypeRef) ([]string, error) {
	x, _, err := read(ctx, r.bucket, format.IndexKey(ref), format.DecodeIndex)
	if err != nil {
		return nil, err
	}
	at := r.head.CommitID
	newest := r.written(at, ref)
	fallback := len(newest) > 0
	var paths []string
	for _, e := range x.Entries {
		own := e.MinCommitID == e.MaxCommitID
		if len(newest) > 0 && covers(e, at) {
			fallback = own && !slices.Contains(newest, e.Path)
		}
		if stale := len(newest) > 0 && own && e.MinCommitID == at && !slices.Contains(newest, e.Path); !stale && e.MinCommitID <= at {
			paths = append(paths, e.Path)
		}
	}
	covered := min(x.MaxIndexedCommit, at)
	if fallback {
		covered = at - 1
	}
	for id := covered + 1; id <= at; id++ {
		paths = append(paths, r.written(id, ref)...)
	}
	slices.Sort(paths)
	return slices.Compact(paths), nil
}

// written are a type's files of one commit.
func (r *reader) written(id ontosql.CommitID, ref ontosql.TypeRef) (paths []string) {
	if id < 1 {
		return nil
	}
	for i := range r.chain[id-1].Files {
		if f := &r.chain[id-1].Files[i]; f.Ref() == ref {
			paths = append(paths, f.Path)
		}
	}
	return paths
}

// latest are the newest rows of a version, 0 for all, in the files.
func (r *reader) latest(ctx context.Context, ref ontosql.TypeRef, paths []string, version int64) (rows []format.Row, err error) {
	place := map[[4]string]int{}
	for _, path := range paths {
		body, _, err := r.bucket.Get(ctx, path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		stored, err := Rows(body)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		for _, row := range stored {
			identity := [4]string{row.Key, row.Left, row.Right, row.Instance}
			at, seen := place[identity]
			switch {
			case version != 0 && row.SchemaVersionID != version:
			case !seen:
				place[identity] = len(rows)
				rows = append(rows, row)
			case row.Commit >= rows[at].Commit:
				rows[at] = row
			}
		}
	}
	return rows, nil
}

// Rows reads the content of a data file. The Parquet reader wants a local one.
func Rows(body []byte) ([]format.Row, error) {
	local, err := os.CreateTemp("", "ontosql-original-*.parquet")
	if err != nil {
		return nil, err
	}
	defer os.Remove(local.Name())
	_, err = local.Write(body)
	if err = errors.Join(err, local.Close()); err != nil {
		return nil, err
	}
	return format.ReadRows(local.Name())
}
