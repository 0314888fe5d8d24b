package maintain

import (
	"context"
	"errors"
	"fmt"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

// checkRecoveries reads the record of recoveries. While it is damaged, no writer completes what
// another left half done (decision A68).
func (v *verifier) checkRecoveries(ctx context.Context) error {
	body, _, err := v.bucket.Get(ctx, format.RecoveriesKey)
	if errors.Is(err, objstore.ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", format.RecoveriesKey, err)
	}
	if _, err := format.DecodeRecoveries(format.RecoveriesKey, body); err != nil {
		v.found.corrupt(Members, format.RecoveriesKey, err)
	}
	return nil
}
