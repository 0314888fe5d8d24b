package writepath_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/maintain/maintaintest"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/writepath"
)

func keys(t *testing.T, b objstore.Bucket) []string {
	t.Helper()
	var all []string
	if err := b.List(t.Context(), "", func(o objstore.Object) error { all = append(all, o.Key); return nil }); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestForceTokenIsTheOriginals(t *testing.T) {
	if got := writepath.ForceToken("s3://bkt/pfx/sub"); got != "19f25db2154f8523" {
		t.Errorf("force token is %s, want 19f25db2154f8523 (COMPAT 3.2)", got)
	}
}

func TestInit(t *testing.T) {
	b := mem.New("x")
	o := writepath.InitOptions{URI: "s3://bkt/pfx/sub", Prefix: "pfx/sub", Engine: format.EngineV2, DryRun: true}
	plan, err := writepath.Init(t.Context(), b, o)
	if err != nil || plan.AlreadyInitialized {
		t.Fatalf("dry run: %+v, %v", plan, err)
	}
	want := []string{"pfx/sub/meta/head.json", "pfx/sub/meta/schema/registry.json", "pfx/sub/meta/schema/types.json", "pfx/sub/meta/engine.json"}
	if diff := cmp.Diff(want, plan.PlannedObjects); diff != "" {
		t.Errorf("planned objects (-want +got):\n%s", diff)
	}
	if got := keys(t, b); got != nil {
		t.Fatalf("a dry run wrote %q", got)
	}
	o.DryRun = false
	if _, err := writepath.Init(t.Context(), b, o); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"meta/engine.json", "meta/head.json", "meta/schema/registry.json", "meta/schema/types.json"}, keys(t, b)); diff != "" {
		t.Errorf("objects of a new ontology (-want +got):\n%s", diff)
	}
	if _, err := writepath.Init(t.Context(), b, o); !errors.Is(err, writepath.ErrAlreadyInitialised) {
		t.Errorf("a second init: %v, want ErrAlreadyInitialised", err)
	}
	maintaintest.Clean(t, b)
}

func TestForcedInitHidesWhatWas(t *testing.T) {
	b := mem.New("x")
	initialise(t, b, format.EngineV1, thing)
	old := []string{
		format.VersionsKey(thing), format.IndexKey(thing), format.DroppedKey, format.LayoutsKey, format.ExtrasKey,
		format.RecoveriesKey, format.CheckpointKey, format.CopyMarkKey,
	}
	for _, key := range old[2:] {
		if _, err := b.Put(t.Context(), key, []byte("{}")); err != nil {
			t.Fatal(err)
		}
	}
	o := writepath.InitOptions{URI: "mem://x", Engine: format.EngineV1, Force: true, Token: "nonsense"}
	if _, err := writepath.Init(t.Context(), b, o); !errors.Is(err, writepath.ErrWrongToken) {
		t.Errorf("init with a wrong token: %v, want ErrWrongToken", err)
	}
	o.Token = writepath.ForceToken("mem://x")
	if _, err := writepath.Init(t.Context(), b, o); err != nil {
		t.Fatal(err)
	}
	if h := readHead(t, b); h.CommitID != 0 || commits(t, b) != nil {
		t.Errorf("the head after a forced init is %+v", h)
	}
	for _, key := range keys(t, b) {
		if slices.Contains(old, key) {
			t.Errorf("%s is still there", key)
		}
	}
	maintaintest.Clean(t, b)
}

func TestInitWaitsForNoLease(t *testing.T) {
	b := mem.New("x")
	now := time.Now()
	lock := &format.Lock{OwnerID: "someone", AcquiredAt: format.TimeOf(now), ExpiresAt: format.TimeOf(now.Add(time.Minute)), LeaseTTLms: 60000}
	if _, err := b.Put(t.Context(), format.LockKey, format.EncodeLock(lock)); err != nil {
		t.Fatal(err)
	}
	o := writepath.InitOptions{URI: "mem://x", Engine: format.EngineV1}
	var held *writepath.LeaseHeldError
	if _, err := writepath.Init(t.Context(), b, o); !errors.As(err, &held) || held.Owner != "someone" {
		t.Fatalf("init under a live lease: %v, want LeaseHeldError of someone", err)
	}
	o.Now = func() time.Time { return now.Add(2 * time.Minute) }
	if _, err := writepath.Init(t.Context(), b, o); err != nil {
		t.Errorf("init after the lease expired: %v", err)
	}
	maintaintest.Clean(t, b)
}

// careless is a store that accepts every conditional write.
type careless struct{ *mem.Bucket }

func (c careless) Swap(ctx context.Context, key string, _ objstore.Version, body []byte) (objstore.Version, error) {
	return c.Put(ctx, key, body)
}

func TestStoresThatIgnoreConditionsAreRefused(t *testing.T) {
	b := careless{mem.New("x")}
	_, err := writepath.Init(t.Context(), b, writepath.InitOptions{URI: "mem://x", Engine: format.EngineV1})
	if !errors.Is(err, writepath.ErrIgnoresConditions) {
		t.Errorf("init on a store that ignores conditions: %v, want ErrIgnoresConditions", err)
	}
	if got := keys(t, b); got != nil {
		t.Errorf("it left %q behind", got)
	}
	checks, err := writepath.Preflight(t.Context(), b, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range checks {
		if want := c.Name != "conditional put"; c.OK != want {
			t.Errorf("preflight says %v of %q (%s), want %v", c.OK, c.Name, c.Detail, want)
		}
	}
}

// readOnly is a store whose credentials may only read.
type readOnly struct{ *mem.Bucket }

func (r readOnly) Put(context.Context, string, []byte) (objstore.Version, error) {
	return objstore.Absent, &objstore.Error{Op: objstore.OpPut, Err: objstore.ErrDenied}
}

func (r readOnly) Swap(context.Context, string, objstore.Version, []byte) (objstore.Version, error) {
	panic("preflight went on to conditional writes after a plain one was denied")
}

func TestPreflightStopsAtReading(t *testing.T) {
	checks, err := writepath.Preflight(t.Context(), readOnly{mem.New("x")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for _, c := range checks {
		got[c.Name] = c.OK
	}
	want := map[string]bool{
		"list": true, "get": true, "put": false, "conditional put": false, "conditional delete": false, "delete": false, "clock": true,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("preflight of read-only credentials (-want +got):\n%s", diff)
	}
}
