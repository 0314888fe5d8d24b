package crash

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/testenv"
	"github.com/ontosql/ontosql/maintain"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/dir"
	"github.com/ontosql/ontosql/objstore/s3"
	"github.com/ontosql/ontosql/writepath"
)

// store is where servers live and die: an ontology of four types, without rows.
type store struct {
	bucket objstore.Bucket
	path   string   // the folder of its objects, which is watched
	cache  string   // the cache directory of its servers
	args   []string // of serve, to find it
	temp   string   // holds all of it but an S3 server's objects
}

var types = []ontosql.TypeRef{
	{Kind: ontosql.Entity, Name: "Customer"},
	{Kind: ontosql.Entity, Name: "Product"},
	{Kind: ontosql.Relation, Name: "Subscription"},
	{Kind: ontosql.Relation, Name: "Purchase"},
}

// newDirStore makes a store in a directory.
func newDirStore(ctx context.Context) (*store, error) {
	s, err := newTemp()
	if err != nil {
		return nil, err
	}
	s.path = filepath.Join(s.temp, "store")
	if s.bucket, err = dir.Open(s.path, dir.Options{Create: true}); err != nil {
		return nil, err
	}
	s.args = []string{"--storage-uri", s.path}
	return s, s.fill(ctx)
}

// newS3Store makes a store in a bucket of an S3 server, under a prefix of its
// own.
func newS3Store(ctx context.Context, at testenv.S3Store) (*store, error) {
	s, err := newTemp()
	if err != nil {
		return nil, err
	}
	prefix := filepath.Base(s.temp)
	s.path = filepath.Join(at.Dir, prefix)
	if s.bucket, err = s3.Open(ctx, s3.Options{Bucket: at.Bucket, Prefix: prefix, Endpoint: at.Endpoint, Region: at.Region}); err != nil {
		return nil, err
	}
	s.args = []string{"--storage-uri", "s3://" + at.Bucket + "/" + prefix, "--s3-endpoint-url", at.Endpoint}
	return s, s.fill(ctx)
}

func newTemp() (*store, error) {
	temp, err := os.MkdirTemp("", "ontosql-crash-")
	if err != nil {
		return nil, err
	}
	s := &store{temp: temp, cache: filepath.Join(temp, "cache")}
	return s, os.Mkdir(s.cache, 0o755)
}

// fill registers the types.
func (s *store) fill(ctx context.Context) error {
	if _, err := writepath.Init(ctx, s.bucket, writepath.InitOptions{Engine: format.EngineV1}); err != nil {
		return fmt.Errorf("initialise: %w", err)
	}
	p, err := writepath.NewPublisher(ctx, s.bucket, "crash")
	if err != nil {
		return err
	}
	_, err = p.Register(ctx, time.Now(), []format.Schema{
		{Ref: types[0], Fields: []format.SchemaField{
			key("id", format.FieldStr), field("name", format.FieldStr), field("balance", format.FieldFloat),
		}},
		{Ref: types[1], Fields: []format.SchemaField{key("sku", format.FieldInt), field("title", format.FieldStr)}},
		{Ref: types[2], Left: "Customer", Right: "Product", Fields: []format.SchemaField{field("seats", format.FieldInt)}},
		{Ref: types[3], Left: "Customer", Right: "Product", InstanceKey: "order_no", Fields: []format.SchemaField{
			field("order_no", format.FieldStr), field("note", format.FieldStr),
		}},
	})
	if err != nil {
		return fmt.Errorf("register types: %w", err)
	}
	return p.Close(ctx)
}

func field(name string, t format.FieldType) format.SchemaField {
	return format.NewField(name, t, false)
}

func key(name string, t format.FieldType) format.SchemaField {
	f := format.NewField(name, t, false)
	f.PrimaryKey = true
	return f
}

// remove removes what newTemp made, unless the test failed: then it says where
// the evidence is.
func (s *store) remove(t *testing.T) {
	if t.Failed() {
		t.Logf("the store is kept: %s (with its cache in %s)", s.path, s.cache)
		return
	}
	_ = os.RemoveAll(s.temp)
}

// healthy fails where the store breaks a rule. Of one that a server was killed
// on, indexes may lag; of one that was left in order they may not.
func (s *store) healthy(ctx context.Context, leftInOrder bool) error {
	report, err := maintain.Verify(ctx, s.bucket)
	if err != nil {
		return fmt.Errorf("verify: %w", err)
	}
	for _, p := range report.Problems {
		if p.Severity == maintain.Error || leftInOrder && p.Severity == maintain.Lag {
			err = errors.Join(err, errors.New(p.String()))
		}
	}
	if err != nil {
		return fmt.Errorf("verify: %w", err)
	}
	return nil
}

// withoutIndexes deletes every index (I5).
func (s *store) withoutIndexes(ctx context.Context) error {
	for _, ref := range types {
		if err := s.bucket.Delete(ctx, format.IndexKey(ref)); err != nil {
			return err
		}
	}
	return nil
}

// lock returns the lock object, nil if it does not exist.
func (s *store) lock(ctx context.Context) (*format.Lock, error) {
	body, _, err := s.bucket.Get(ctx, format.LockKey)
	if errors.Is(err, objstore.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return format.DecodeLock(format.LockKey, body)
}
