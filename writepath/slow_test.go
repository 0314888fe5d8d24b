package writepath_test

import (
	"context"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/faulty"
)

// slow is a store that answers each request after a while.
func slow(b objstore.Bucket, trip time.Duration) *faulty.Bucket {
	return &faulty.Bucket{Bucket: b, At: -1, Delay: func(context.Context, int, string, string) { time.Sleep(trip) }}
}

func cmpSorted(less func(a, b string) bool) cmp.Option { return cmpopts.SortSlices(less) }
