package objects_test

import (
	"testing"
	"time"

	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/eventbus/eventbustest"
	"github.com/ontosql/ontosql/eventbus/objects"
	"github.com/ontosql/ontosql/internal/testenv"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/dir"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/objstore/s3"
)

// on opens a bucket for the suite.
func on(b objstore.Bucket) eventbustest.Open {
	return func(now func() time.Time, damaged func(error)) eventbus.Bus {
		return objects.Open(objects.Options{Bucket: b, Now: now, Damaged: damaged})
	}
}

func TestContractMemory(t *testing.T) {
	eventbustest.Run(t, func(*testing.T) eventbustest.Open { return on(mem.New("events")) })
}

func TestContractDirectory(t *testing.T) {
	eventbustest.Run(t, func(t *testing.T) eventbustest.Open {
		b, err := dir.Open(t.TempDir(), dir.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return on(b)
	})
}

func TestContractS3(t *testing.T) {
	eventbustest.Run(t, func(t *testing.T) eventbustest.Open {
		store := testenv.S3(t)
		b, err := s3.Open(t.Context(), s3.Options{Bucket: store.Bucket, Prefix: "some/onto prod", Endpoint: store.Endpoint})
		if err != nil {
			t.Fatal(err)
		}
		return on(b)
	})
}
