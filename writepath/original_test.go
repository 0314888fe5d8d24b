package writepath_test

import (
	"context"
	"testing"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/original"
	"github.com/ontosql/ontosql/objstore"
)

// ahead is a clock for which every lease has expired.
func ahead() time.Time { return time.Now().Add(time.Hour) }

// theirs commits, as the original does, one version of the identity id.
func theirs(ctx context.Context, w *original.Writer, ref ontosql.TypeRef, id string) (ontosql.CommitID, error) {
	return w.Commit(ctx, func(*format.Head) ([]original.Data, error) {
		return []original.Data{{Type: ref, Rows: []format.Row{row(ref, id, 1)}}}, nil
	})
}

// theyCommit is theirs by a writer with an honest clock that must succeed.
func theyCommit(t *testing.T, b objstore.Bucket, ref ontosql.TypeRef, id string) ontosql.CommitID {
	t.Helper()
	commit, err := theirs(t.Context(), &original.Writer{Bucket: b, Owner: "original"}, ref, id)
	if err != nil {
		t.Fatalf("the original: %v", err)
	}
	return commit
}
