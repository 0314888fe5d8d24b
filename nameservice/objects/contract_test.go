package objects_test

import (
	"fmt"
	"testing"

	"github.com/ontosql/ontosql/internal/testenv"
	"github.com/ontosql/ontosql/nameservice"
	"github.com/ontosql/ontosql/nameservice/nameservicetest"
	"github.com/ontosql/ontosql/nameservice/objects"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/dir"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/objstore/s3"
)

// contract runs the suite on buckets of one kind, in each layout.
func contract(t *testing.T, fresh func(t *testing.T) objstore.Bucket) {
	for name, layout := range map[string]objects.Layout{"B": objects.LayoutB, "C": objects.LayoutC} {
		t.Run("layout "+name, func(t *testing.T) {
			nameservicetest.Run(t, func(t *testing.T) nameservicetest.Store {
				b := fresh(t)
				return nameservicetest.Store{
					Open: func() nameservice.Service {
						return objects.Open(objects.Options{Bucket: b, Layout: layout, Damaged: func(err error) { t.Errorf("reported as damaged: %v", err) }})
					},
					Plant: func(a nameservice.Alias, record string) {
						if _, err := b.Put(t.Context(), fmt.Sprintf("ns@v2/%s/%s.json", a.Name, a.Branch), []byte(record)); err != nil {
							t.Fatal(err)
						}
					},
				}
			})
		})
	}
}

func TestContractMemory(t *testing.T) {
	contract(t, func(*testing.T) objstore.Bucket { return mem.New("names") })
}

func TestContractDirectory(t *testing.T) {
	contract(t, func(t *testing.T) objstore.Bucket {
		b, err := dir.Open(t.TempDir(), dir.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return b
	})
}

func TestContractS3(t *testing.T) {
	contract(t, func(t *testing.T) objstore.Bucket {
		store := testenv.S3(t)
		b, err := s3.Open(t.Context(), s3.Options{Bucket: store.Bucket, Prefix: "some/names of all", Endpoint: store.Endpoint})
		if err != nil {
			t.Fatal(err)
		}
		return b
	})
}
