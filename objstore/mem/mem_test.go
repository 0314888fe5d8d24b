package mem_test

import (
	"testing"

	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/objstore/objstoretest"
)

func TestContract(t *testing.T) {
	objstoretest.Run(t, func(*testing.T) objstore.Bucket { return new(mem.Bucket) })
}

func TestCopy(t *testing.T) {
	objstoretest.RunCopy(t, func(*testing.T) (to, from objstore.Bucket) { return new(mem.Bucket), new(mem.Bucket) })
}

// TestVersionsNeverReturn holds mem to more than S3 can do: a content that
// comes back has a new version, so that tests of protocols do not lean on one.
func TestVersionsNeverReturn(t *testing.T) {
	b := mem.New("x")
	seen := map[objstore.Version]bool{}
	for range 3 {
		v, err := b.Put(t.Context(), "k", []byte("same"))
		if err != nil || seen[v] {
			t.Fatalf("Put of the same content: got version %s, %v; want one that was not there before", v, err)
		}
		seen[v] = true
		if err := b.Delete(t.Context(), "k"); err != nil {
			t.Fatalf("Delete: %v", err)
		}
	}
}
