package transfer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/spool"
	"github.com/ontosql/ontosql/resolver"
)

// Source is one ontology at one pin, read sequentially.
type Source interface {
	Pin() *resolver.Pin
	// Rows returns the versions that the commits in (lower, upper] wrote of some types, or of
	// all if types is nil: in commit order and, for one type in one commit, in stored order.
	// Versions before a type's last drop are omitted (decision A14). The caller owns the rows.
	Rows(ctx context.Context, types []ontosql.TypeRef, lower, upper ontosql.CommitID) iter.Seq2[Stored, error]
}

// Stored is one stored version of a row.
type Stored struct {
	Type ontosql.TypeRef
	format.Row
	Object string // data file or table
	RowID  int64  // id in the table, 0 in a file
}

// place describes where the row is stored, for errors.
func (s *Stored) place() string {
	if s.RowID == 0 {
		return s.Object
	}
	return fmt.Sprintf("%s row %d", s.Object, s.RowID)
}

// damaged returns the error for a row whose fields are invalid.
func (s *Stored) damaged(err error) error {
	return fmt.Errorf("%s of commit %d: %w", s.Type, s.Commit, &ontosql.CorruptError{Key: s.place(), Field: "fields_json", Err: err})
}

// placeOf finds where a row of a source is stored; "" if it is not found.
func placeOf(ctx context.Context, src Source, ref ontosql.TypeRef, row *format.Row) (place string) {
	for stored, err := range src.Rows(ctx, []ontosql.TypeRef{ref}, row.Commit-1, row.Commit) {
		if err != nil {
			return place
		}
		if byIdentity(&stored.Row, row) == 0 && bytes.Equal(stored.Fields, row.Fields) {
			place = stored.place()
		}
	}
	return place
}

// Bucket is the Source of an ontology in an object store.
type Bucket struct {
	bucket objstore.Bucket
	pin    *resolver.Pin
	temp   string
}

// NewBucket returns the ontology in b at pin. Large objects are stored below temp while they
// are read.
func NewBucket(b objstore.Bucket, pin *resolver.Pin, temp string) *Bucket {
	return &Bucket{bucket: b, pin: pin, temp: temp}
}

// Pin implements Source.
func (b *Bucket) Pin() *resolver.Pin { return b.pin }

var errStopped = errors.New("stopped")

// Rows implements Source. Errors are *ontosql.CorruptError and the bucket's.
func (b *Bucket) Rows(ctx context.Context, types []ontosql.TypeRef, lower, upper ontosql.CommitID) iter.Seq2[Stored, error] {
	return func(yield func(Stored, error) bool) {
		open := func(ctx context.Context, f chain.File) (*spool.Spool, error) {
			s, _, err := spools(b.temp).Fetch(ctx, b.bucket, f.Path, f.ContentSHA256)
			return s, err
		}
		err := spool.Prefetch(ctx, files(b.pin.View, types, lower, upper), open, func(f chain.File, s *spool.Spool) error {
			err := format.Batches(ctx, s, s.Size(), func(rows []format.Row) error {
				for i := range rows {
					if id := rows[i].Commit; id != f.Commit {
						return ontosql.Corrupt(f.Path, "commit_id", "is %d in a file of commit %d", id, f.Commit)
					}
					if !yield(Stored{Type: f.Ref(), Row: rows[i], Object: f.Path}, nil) {
						return errStopped
					}
				}
				return nil
			})
			if errors.Is(err, format.ErrDamagedFile) {
				err = &ontosql.CorruptError{Key: f.Path, Err: err}
			}
			return err
		})
		if err != nil && !errors.Is(err, errStopped) {
			yield(Stored{}, err)
		}
	}
}

// files returns the data files of some types, or of all if types is nil, in commit order.
func files(v *chain.View, types []ontosql.TypeRef, lower, upper ontosql.CommitID) []chain.File {
	var all []chain.File
	for id := max(lower, 0) + 1; id <= min(upper, v.Head().Commit); id++ {
		m := v.Commit(id).Manifest
		for i := range m.Files {
			ref := m.Files[i].Ref()
			if (types == nil || slices.Contains(types, ref)) && id >= v.Floor(ref) {
				all = append(all, chain.File{Commit: id, File: &m.Files[i]})
			}
		}
	}
	return all
}

// schemaOf returns the schema for writing rows of a type.
func schemaOf(pin *resolver.Pin, ref ontosql.TypeRef) (*format.Schema, error) {
	t, ok := pin.Catalog.Type(ref)
	if !ok {
		return nil, fmt.Errorf("%s is not registered", ref)
	}
	for i := range t.Versions {
		if t.Versions[i].ID == t.SchemaID {
			return t.Versions[i].Schema(ref)
		}
	}
	return nil, fmt.Errorf("%s has no schema version to write rows by", ref)
}
