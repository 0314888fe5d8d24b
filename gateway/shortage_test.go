package gateway_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/ontosql/ontosql/internal/fixtures"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/pgerr"
)

// shortOfFiles is a bucket whose snapshots are refused for want of a descriptor
// as long as lasting.
type shortOfFiles struct {
	objstore.Bucket
	lasting bool
}

func (b *shortOfFiles) Open(ctx context.Context, key string) (io.ReadCloser, objstore.Version, error) {
	if b.lasting && strings.HasPrefix(key, "snapshots/") {
		return nil, objstore.Absent, &objstore.Error{Op: objstore.OpOpen, Key: key, Err: syscall.EMFILE}
	}
	return b.Bucket.Open(ctx, key)
}

// TestShortageIsNoDamage reads a type whose snapshot cannot be opened because the
// gateway has too many files open: it says so, and uses the snapshot later.
func TestShortageIsNoDamage(t *testing.T) {
	asksNoMirror(t)
	disk := mem.New("fixture")
	fixtures.Load(t, disk, "s3-v1/stage3-final")
	bucket := &shortOfFiles{Bucket: disk, lasting: true}
	h := openHouse(t, bucket, false)
	s := h.session(t, "onto")
	const sql = "SELECT count(*) FROM customer"
	_, err := ask(t, s, sql)
	if e := (*pgerr.Error)(nil); !errors.As(err, &e) || e.Code != pgerr.InsufficientResources {
		t.Errorf("too many open files: %v, want %s", err, pgerr.InsufficientResources)
	}
	bucket.lasting = false
	must(t, s, sql)
	if len(h.notices) > 0 {
		t.Errorf("the client is warned: %q", h.notices)
	}
	sound := openHouse(t, disk, false).session(t, "onto")
	if want, got := must(t, sound, "EXPLAIN "+sql), must(t, s, "EXPLAIN "+sql); !slices.Equal(want, got) {
		t.Errorf("after the shortage the plan is\n%s\nand in another gateway\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
