package writepath

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/ontosql/ontosql/objstore"
)

// ErrIgnoresConditions is returned if the store accepts a conditional write whose condition is
// false. No commit protocol can work on it.
var ErrIgnoresConditions = errors.New("the object store ignores conditional writes")

// probeKey returns a new key for a probe; probes do not access other objects.
func probeKey() string {
	var id [8]byte
	_, _ = rand.Read(id[:])
	return "meta/ontosql/probe-" + hex.EncodeToString(id[:])
}

// ProbeConditionalWrites checks, before the first write to a store, that it implements
// If-None-Match and If-Match (decision A29). It removes its object again.
func ProbeConditionalWrites(ctx context.Context, b objstore.Bucket) error {
	key := probeKey()
	first, err := b.Swap(ctx, key, objstore.Absent, []byte(`{"probe":1}`))
	if err != nil {
		return fmt.Errorf("probe conditional writes: %w", err)
	}
	defer func() { _ = b.Delete(context.WithoutCancel(ctx), key) }()
	if err := mustRefuse(ctx, b, key, objstore.Absent, `{"probe":2}`); err != nil {
		return err
	}
	second, err := b.Swap(ctx, key, first, []byte(`{"probe":3}`))
	if err != nil {
		return fmt.Errorf("probe conditional writes: swap from the version just written: %w", err)
	}
	if second == first {
		return fmt.Errorf("probe conditional writes: a new content kept the version %s: %w", first, ErrIgnoresConditions)
	}
	return mustRefuse(ctx, b, key, first, `{"probe":4}`)
}

func mustRefuse(ctx context.Context, b objstore.Bucket, key string, want objstore.Version, body string) error {
	_, err := b.Swap(ctx, key, want, []byte(body))
	switch {
	case errors.Is(err, objstore.ErrPreconditionFailed), errors.Is(err, objstore.ErrConflict):
		return nil
	case err == nil:
		return ErrIgnoresConditions
	}
	return fmt.Errorf("probe conditional writes: %w", err)
}

// Check is one result of Preflight.
type Check struct {
	Name       string `json:"name"`
	Permission string `json:"permission"` // the required permission
	OK         bool   `json:"ok"`
	Detail     string `json:"detail,omitempty"` // the error or a measurement
}

// Preflight checks what the credentials allow on the store: list, get, put, conditional put,
// conditional delete and delete, and measures the clock difference. If a plain put is denied
// nothing is written; otherwise the probe object is removed again. now is this machine's
// clock; nil means time.Now. It returns an error only if the store cannot be reached at all.
func Preflight(ctx context.Context, b objstore.Bucket, now func() time.Time) ([]Check, error) {
	if now == nil {
		now = time.Now
	}
	key := probeKey()
	var checks []Check
	add := func(name, permission string, err error) bool {
		c := Check{Name: name, Permission: permission, OK: err == nil}
		if err != nil {
			c.Detail = err.Error()
		}
		checks = append(checks, c)
		return err == nil
	}
	stop := errors.New("one is enough")
	err := b.List(ctx, "meta/", func(objstore.Object) error { return stop })
	if errors.Is(err, stop) {
		err = nil
	}
	if errors.Is(err, objstore.ErrUnreachable) || errors.Is(err, objstore.ErrNoBucket) {
		return nil, err
	}
	add("list", "s3:ListBucket", err)
	_, _, err = b.Get(ctx, key)
	if errors.Is(err, objstore.ErrNotFound) {
		err = nil
	}
	add("get", "s3:GetObject", err)
	_, err = b.Put(ctx, key, []byte(`{"probe":0}`))
	if !add("put", "s3:PutObject", err) {
		add("conditional put", "s3:PutObject", errNotTried)
		add("conditional delete", "s3:DeleteObject", errNotTried)
		add("delete", "s3:DeleteObject", errNotTried)
		clock(ctx, b, now, &checks)
		return checks, nil
	}
	defer func() { _ = b.Delete(context.WithoutCancel(ctx), key) }()
	add("conditional put", "s3:PutObject", ProbeConditionalWrites(ctx, b))
	add("conditional delete", "s3:DeleteObject", probeDelete(ctx, b, key))
	add("delete", "s3:DeleteObject", b.Delete(ctx, key))
	clock(ctx, b, now, &checks)
	return checks, nil
}

// errNotTried is the result of checks that are skipped because a plain put is denied.
var errNotTried = errors.New("not tried, because put is denied")

// probeDelete deletes the probe object with a wrong version, which must be refused, and then
// with its own.
func probeDelete(ctx context.Context, b objstore.Bucket, key string) error {
	version, err := b.Put(ctx, key, []byte(`{"probe":5}`))
	if err != nil {
		return err
	}
	err = b.DeleteIf(ctx, key, `"0123456789abcdef0123456789abcdef"`)
	switch {
	case err == nil:
		return ErrIgnoresConditions
	case !errors.Is(err, objstore.ErrPreconditionFailed) && !errors.Is(err, objstore.ErrConflict):
		return err
	}
	return b.DeleteIf(ctx, key, version)
}

// maxSkew is the maximum clock difference: a third of the default lease (seed 000 section
// 3.2).
const maxSkew = 10 * time.Second

func clock(ctx context.Context, b objstore.Bucket, now func() time.Time, checks *[]Check) {
	before := now()
	theirs, err := objstore.ServerTime(ctx, b)
	c := Check{Name: "clock", Permission: "s3:ListBucket", OK: err == nil}
	if err != nil {
		c.Detail = err.Error()
	} else {
		skew := theirs.Sub(before.Add(now().Sub(before) / 2)).Round(time.Second)
		c.OK = skew.Abs() <= maxSkew
		c.Detail = fmt.Sprintf("the store's clock differs by %s", skew)
	}
	*checks = append(*checks, c)
}
