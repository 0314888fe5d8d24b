// Package maintaintest is how a test that wrote to a store ends.
package maintaintest

import (
	"context"
	"testing"

	"github.com/ontosql/ontosql/maintain"
	"github.com/ontosql/ontosql/objstore"
)

// Clean fails the test when the store breaks a rule. Lag is allowed. The store
// must be at rest. It may be called from a cleanup, when the test's context has
// ended.
func Clean(t testing.TB, b objstore.Bucket) {
	t.Helper()
	report, err := maintain.Verify(context.WithoutCancel(t.Context()), b)
	if err != nil {
		t.Errorf("verify %s: %v", b, err)
		return
	}
	if err := report.Err(); err != nil {
		t.Errorf("verify %s: %v", b, err)
	}
}
