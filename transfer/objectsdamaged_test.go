package transfer_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/fixtures"
	"github.com/ontosql/ontosql/maintain/maintaintest"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/faulty"
	"github.com/ontosql/ontosql/objstore/mem"
)

// TestCopyObjectsDamaged refuses a source whose file is not what its manifest says,
// and a target that gives back something else than it was given.
func TestCopyObjectsDamaged(t *testing.T) {
	source, disk := &mem.Bucket{}, &mem.Bucket{}
	fixtures.Load(t, source, "s3-v1/stage3-final")
	var file string
	for key, body := range objectsIn(t, source) {
		if strings.HasSuffix(key, "entities/Customer.parquet") && strings.HasPrefix(key, "commits/") {
			file = key
			if _, err := source.Put(t.Context(), key, append([]byte(body), 'x')); err != nil {
				t.Fatal(err)
			}
			break
		}
	}
	var corrupt *ontosql.CorruptError
	if _, err := copyObjects(t, source, disk); !errors.As(err, &corrupt) || corrupt.Key != file {
		t.Errorf("a damaged file of the source: %v, want a CorruptError of %s", err, file)
	}
	fixtures.Load(t, source, "s3-v1/stage3-final")
	if _, err := copyObjects(t, source, &garbling{disk, file}); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("a file that the target has garbled: %v, want its key", err)
	}
	if _, _, err := disk.Get(t.Context(), format.HeadKey); !errors.Is(err, objstore.ErrNotFound) {
		t.Errorf("a copy that differs has a head: %v", err)
	}
	// What that run left behind does not keep the next one from its end.
	if _, err := copyObjects(t, source, disk); err != nil {
		t.Errorf("the next run, to a target that garbles nothing: %v", err)
	}
	maintaintest.Clean(t, disk)
	if diff := gocmp.Diff(objectsIn(t, source)[file], objectsIn(t, disk)[file]); diff != "" {
		t.Errorf("%s (-source +target):\n%s", file, diff)
	}
}

// garbling is a bucket that stores something else under one key.
type garbling struct {
	*mem.Bucket
	key string
}

func (b *garbling) Upload(ctx context.Context, key string, body io.ReaderAt, size int64) (objstore.Version, error) {
	if key == b.key {
		return b.Put(ctx, key, []byte("not this"))
	}
	return b.Bucket.Upload(ctx, key, body, size)
}

// TestCopyObjectsBodyBreaksOff: the body of each object breaks off at the first attempt to read it.
func TestCopyObjectsBodyBreaksOff(t *testing.T) {
	source, disk := &mem.Bucket{}, &mem.Bucket{}
	fixtures.Load(t, source, "s3-v1/stage3-final")
	if _, err := copyObjects(t, &breaking{Bucket: source}, &breaking{Bucket: disk}); err != nil {
		t.Fatal(err)
	}
	maintaintest.Clean(t, disk)
}

type breaking struct {
	*mem.Bucket
	opened sync.Map // by key
}

func (b *breaking) Open(ctx context.Context, key string) (io.ReadCloser, objstore.Version, error) {
	at := 0
	if _, again := b.opened.LoadOrStore(key, true); again {
		at = -1
	}
	return (&faulty.Bucket{Bucket: b.Bucket, At: at, Applied: true}).Open(ctx, key)
}
