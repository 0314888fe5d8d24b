package writepath_test

import (
	"testing"
	"time"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/testenv"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/dir"
	"github.com/ontosql/ontosql/objstore/s3"
	"github.com/ontosql/ontosql/writepath"
)

// TestHealOnRealStores lets a long-lived writer complete the change of another in a directory and on
// an S3 server.
func TestHealOnRealStores(t *testing.T) {
	for name, open := range map[string]func(t *testing.T) objstore.Bucket{
		"directory": func(t *testing.T) objstore.Bucket {
			b, err := dir.Open(t.TempDir(), dir.Options{})
			if err != nil {
				t.Fatal(err)
			}
			return b
		},
		"s3": func(t *testing.T) objstore.Bucket {
			at := testenv.S3(t)
			b, err := s3.Open(t.Context(), s3.Options{Bucket: at.Bucket, Prefix: "heal", Endpoint: at.Endpoint})
			if err != nil {
				t.Fatal(err)
			}
			return b
		},
	} {
		t.Run(name, func(t *testing.T) {
			disk := open(t)
			initialise(t, disk, format.EngineV1, thing, other, links)
			long := writepath.Open(writepath.Options{Bucket: disk, RuntimeID: "long", LockTimeout: time.Minute})
			r, err := long.Reserve(t.Context(), 0)
			if err != nil {
				t.Fatal(err)
			}
			r.Release()
			time.Sleep(time.Second) // it returns the lock
			leaveHalfFor(t, disk, time.Second)
			if _, err := long.Commit(t.Context(), put(2, "b", 1, thing)); err != nil {
				t.Fatal(err)
			}
			closeIt(t, long)
			wantTold(t, disk)
			verify(t, disk)
		})
	}
}
