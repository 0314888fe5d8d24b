package writepath

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

// Publisher writes one commit after the other to a store that nobody else
// writes to. It is not safe for concurrent use.
type Publisher struct {
	bucket  objstore.Bucket
	runtime string
	engine  string
	head    ontosql.Head
	version objstore.Version
	last    time.Time // created_at of the head
	types   map[ontosql.TypeRef]format.Schema
	indexes map[ontosql.TypeRef]*format.Index
}

// NewPublisher opens a new, empty ontology for writing. A store with commits in
// it is refused: continuing a history takes the write lock.
func NewPublisher(ctx context.Context, b objstore.Bucket, runtime string) (*Publisher, error) {
	body, version, err := b.Get(ctx, format.HeadKey)
	if errors.Is(err, objstore.ErrNotFound) {
		return nil, ontosql.ErrNotInitialised
	}
	if err != nil {
		return nil, fmt.Errorf("read head: %w", err)
	}
	head, err := format.DecodeHead(format.HeadKey, body)
	if err != nil {
		return nil, err
	}
	if head.CommitID != 0 {
		return nil, fmt.Errorf("the ontology has %d commits, want an empty one", head.CommitID)
	}
	raw, _, err := b.Get(ctx, format.EngineKey)
	if err != nil {
		return nil, fmt.Errorf("read engine marker: %w", err)
	}
	engine, err := format.DecodeEngine(format.EngineKey, raw)
	if err != nil {
		return nil, err
	}
	return &Publisher{
		bucket:  b,
		runtime: runtime,
		engine:  engine.EngineVersion,
		head:    head.Pin(),
		version: version,
		types:   map[ontosql.TypeRef]format.Schema{},
		indexes: map[ontosql.TypeRef]*format.Index{},
	}, nil
}

// Commit is the content of one commit.
type Commit struct {
	At       time.Time         // created_at; moved to the parent's where it is before that
	Metadata map[string]string // what its writer says of it
	Data     []Data            // one for each type it writes rows of
}

// Data are the rows a commit writes of one type. Commit and SchemaVersionID of
// the rows are filled in.
type Data struct {
	Type ontosql.TypeRef
	Rows iter.Seq[format.Row]
}

// Publish writes a commit: data files, manifest, head, then the indexes. After
// the head swap the commit stands, whatever happens to the indexes; their error
// is returned with the commit's id. A refused swap is ErrHeadMoved, one without
// a clear answer ErrOutcomeUnknown, and the publisher is then of no more use.
func (p *Publisher) Publish(ctx context.Context, c Commit) (ontosql.CommitID, error) {
	metadata := map[string]json.RawMessage{}
	for key, text := range c.Metadata {
		metadata[key] = format.AppendString(nil, text)
	}
	return p.publish(ctx, c.At, metadata, c.Data)
}

func (p *Publisher) publish(ctx context.Context, at time.Time, metadata map[string]json.RawMessage, data []Data) (ontosql.CommitID, error) {
	if at.Before(p.last) {
		at = p.last
	}
	attempt := newAttempt()
	id := p.head.Commit + 1
	metadata[format.MetadataAttempt] = format.AppendString(nil, attempt)
	m := &format.Manifest{
		CommitID:  id,
		CreatedAt: format.TimeOf(at),
		Files:     make([]format.File, len(data)),
		Metadata:  metadata,
		RuntimeID: p.runtime,
	}
	if p.head.Commit > 0 {
		m.ParentCommitID = &p.head.Commit
		m.ParentManifestPath = &p.head.ManifestPath
	}
	g, uploads := errgroup.WithContext(ctx)
	for i, d := range data {
		g.Go(func() (err error) {
			m.Files[i], err = p.upload(uploads, id, attempt, d)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return 0, err
	}
	body, err := format.EncodeManifest(m)
	if err != nil {
		return 0, fmt.Errorf("encode manifest: %w", err)
	}
	path := format.ManifestKey(id, attempt)
	if _, err := p.bucket.Put(ctx, path, body); err != nil {
		return 0, fmt.Errorf("write manifest: %w", err)
	}
	if err := p.swap(ctx, id, path, at); err != nil {
		return 0, err
	}
	return id, p.index(context.WithoutCancel(ctx), id, m.Files)
}

// newAttempt is the eight hex digits that keep two attempts at one commit id
// apart (seed 000 section 2.4).
func newAttempt() string {
	var id [4]byte
	_, _ = rand.Read(id[:])
	return hex.EncodeToString(id[:])
}

// upload writes the data file of one type.
func (p *Publisher) upload(ctx context.Context, id ontosql.CommitID, attempt string, d Data) (format.File, error) {
	s, ok := p.types[d.Type]
	if !ok {
		return format.File{}, fmt.Errorf("write %s: the type is not registered", d.Type)
	}
	rows := func(yield func(format.Row, error) bool) {
		for row := range d.Rows {
			row.Commit, row.SchemaVersionID = id, firstVersion
			if !yield(row, nil) {
				return
			}
		}
	}
	var file bytes.Buffer
	written, err := format.WriteRows(&file, d.Type, s.Fields, rows)
	if err != nil {
		return format.File{}, fmt.Errorf("encode %s: %w", d.Type, err)
	}
	key := format.DataKey(p.engine, id, attempt, d.Type, firstVersion)
	if _, err := p.bucket.Put(ctx, key, file.Bytes()); err != nil {
		return format.File{}, fmt.Errorf("write %s: %w", d.Type, err)
	}
	version := int64(firstVersion)
	return format.File{
		ContentSHA256:   written.SHA256,
		Kind:            d.Type.Kind.String(),
		Path:            key,
		RowCount:        written.Rows,
		SchemaVersionID: &version,
		TypeName:        d.Type.Name,
	}, nil
}

// swap makes the commit visible.
func (p *Publisher) swap(ctx context.Context, id ontosql.CommitID, path string, at time.Time) error {
	next := &format.Head{CommitID: id, ManifestPath: &path, RuntimeID: p.runtime, UpdatedAt: format.TimeOf(at)}
	version, err := p.bucket.Swap(ctx, format.HeadKey, p.version, format.EncodeHead(next))
	for tries := 0; errors.Is(err, objstore.ErrConflict) && tries < 3; tries++ {
		version, err = p.bucket.Swap(ctx, format.HeadKey, p.version, format.EncodeHead(next))
	}
	switch {
	case errors.Is(err, objstore.ErrPreconditionFailed):
		return fmt.Errorf("write head: %w", errors.Join(ontosql.ErrHeadMoved, err))
	case err != nil:
		return fmt.Errorf("write head: %w", errors.Join(ontosql.ErrOutcomeUnknown, err))
	}
	p.head, p.version, p.last = next.Pin(), version, at
	return nil
}

// index brings the advisory index of every known type to commit id (seed 000
// section 7.1).
func (p *Publisher) index(ctx context.Context, id ontosql.CommitID, files []format.File) error {
	for _, ref := range p.refs() {
		x := p.indexes[ref]
		if x == nil {
			x = &format.Index{TypeName: ref.Name}
			p.indexes[ref] = x
		}
		for i := range files {
			if files[i].Ref() == ref {
				x.Entries = append(x.Entries, format.IndexEntry{MinCommitID: id, MaxCommitID: id, Path: files[i].Path})
			}
		}
		x.MaxIndexedCommit = id
		if _, err := p.bucket.Put(ctx, format.IndexKey(ref), format.EncodeIndex(x)); err != nil {
			return fmt.Errorf("write index of %s: %w", ref, err)
		}
	}
	return nil
}
