package gateway_test

import (
	"context"
	"fmt"
	"syscall"
	"testing"

	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/pgerr"
)

// stubborn is a store whose conditional writes do what swap says.
type stubborn struct {
	objstore.Bucket
	swap func(ctx context.Context, key string, body []byte) (objstore.Version, error)
}

func (b *stubborn) Swap(ctx context.Context, key string, _ objstore.Version, body []byte) (objstore.Version, error) {
	return b.swap(ctx, key, body)
}

// TestStoresThatCannotBeWrittenTo writes to a store that is read-only, one that is full, and
// one that ignores conditions. Each has its own error, nothing is stored, and reads continue.
func TestStoresThatCannotBeWrittenTo(t *testing.T) {
	fails := func(cause error) func(context.Context, string, []byte) (objstore.Version, error) {
		return func(_ context.Context, key string, _ []byte) (objstore.Version, error) {
			return objstore.Absent, &objstore.Error{Op: objstore.OpSwap, Bucket: "shop", Key: key, Err: cause}
		}
	}
	for _, c := range []struct {
		cause         error // nil: the condition is ignored
		code, message string
	}{
		{fmt.Errorf("%w: %w", objstore.ErrDenied, syscall.EROFS), pgerr.ReadOnlySQLTransaction, "the object store is read-only for this gateway"},
		{fmt.Errorf("%w: %w", objstore.ErrFull, syscall.ENOSPC), pgerr.DiskFull, "the object store is full"},
		{nil, pgerr.ObjectNotInPrerequisiteState, "the object store ignores conditional writes, nothing can be committed to it"},
	} {
		b := &stubborn{Bucket: shop(t), swap: fails(c.cause)}
		if c.cause == nil {
			b.swap = b.Put
		}
		h := newHouse(t, b)
		s := h.session(t, "onto")
		for _, ending := range []bool{true, false} {
			h.ending = ending
			if e := refused(t, s, c.code, "INSERT INTO shelf VALUES ('a', 1)"); e.Message != c.message {
				t.Errorf("%v: message %q, want %q", c.cause, e.Message, c.message)
			}
		}
		if got := must(t, s, "SELECT count(*) FROM shelf"); got[0] != "0" {
			t.Errorf("%v: %s shelves after refused writes, want none", c.cause, got[0])
		}
		if got := must(t, s, "SHOW ontosql.last_commit_id"); got[0] != "" {
			t.Errorf("%v: last commit %q, want none", c.cause, got[0])
		}
	}
}
