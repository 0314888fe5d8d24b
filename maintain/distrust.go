package maintain

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

// Distrust adds typed columns that Check found to the store's list, so that readers take their
// fields from fields_json. It returns the number of columns that were not in the list yet.
func Distrust(ctx context.Context, b objstore.Bucket, columns []format.DistrustedColumn, at time.Time) (added int, err error) {
	const attempts = 5
	for range attempts {
		added, err = distrust(ctx, b, columns, at)
		if !errors.Is(err, objstore.ErrPreconditionFailed) {
			break
		}
	}
	if err != nil {
		return 0, fmt.Errorf("write %s: %w", format.DistrustKey, err)
	}
	return added, nil
}

func distrust(ctx context.Context, b objstore.Bucket, columns []format.DistrustedColumn, at time.Time) (added int, err error) {
	var all []format.DistrustedColumn
	body, version, err := b.Get(ctx, format.DistrustKey)
	switch {
	case errors.Is(err, objstore.ErrNotFound):
		version = objstore.Absent
	case err != nil:
		return 0, err
	default:
		if all, err = format.DecodeDistrusted(format.DistrustKey, body); err != nil {
			return 0, err
		}
	}
	known := len(all)
	for _, c := range columns {
		if !slices.Contains(all, c) {
			all = append(all, c)
		}
	}
	if added = len(all) - known; added == 0 {
		return 0, nil
	}
	_, err = b.Swap(ctx, format.DistrustKey, version, format.EncodeDistrusted(all, format.TimeOf(at)))
	return added, err
}

// readDistrusted reads the list of distrusted columns.
func (v *verifier) readDistrusted() {
	body, there := v.bodies[format.DistrustKey]
	if !there {
		return
	}
	all, err := format.DecodeDistrusted(format.DistrustKey, body)
	if err != nil {
		v.found.corrupt(SchemaObjects, format.DistrustKey, err)
		return
	}
	v.distrusted = map[format.DistrustedColumn]bool{}
	for _, c := range all {
		v.distrusted[c] = true
	}
}

// distrust records a column that readers should not use.
func (c *fileCheck) distrust(column string) {
	if c.snapshot { // the original may write another one under its key
		return
	}
	c.v.mu.Lock()
	defer c.v.mu.Unlock()
	c.v.contradicting[format.DistrustedColumn{Type: c.ref, Path: c.key, Column: column}] = true
}

// leaveDistrusted reports the columns of the file that readers do not use, and does not read them.
func (c *fileCheck) leaveDistrusted(file *format.DataFile) {
	for _, column := range c.columns {
		if c.v.distrusted[format.DistrustedColumn{Type: c.ref, Path: c.key, Column: column.Name}] {
			file.Ignore(column.Name)
			c.v.found.add(RulePayload, Lag, c.key, "column %s is distrusted: its values are read from fields_json", column.Name)
		}
	}
}
