package objects_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/nameservice"
	"github.com/ontosql/ontosql/nameservice/objects"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/faulty"
	"github.com/ontosql/ontosql/objstore/mem"
)

var created = time.Unix(1705312200, 0)

var shop = nameservice.Alias{Name: "shop", Branch: "main"}

// story is one operation on a bucket in which shop is in some state.
type story struct {
	name    string
	prepare func(t *testing.T, s *objects.Service, disk *mem.Bucket)
	// do is the operation. updated is false after a conflict.
	do func(ctx context.Context, s *objects.Service) (updated bool, err error)
	// done says whether a healthy service finds the operation done.
	done func(t *testing.T, s *objects.Service) bool
}

func must(t *testing.T, result nameservice.Result, err error) {
	t.Helper()
	if err != nil || !result.Updated {
		t.Fatalf("prepare: %+v, %v", result, err)
	}
}

func createShop(t *testing.T, s *objects.Service, _ *mem.Bucket) {
	t.Helper()
	if _, err := s.Create(t.Context(), nameservice.New{Alias: shop, CreatedAt: created}); err != nil {
		t.Fatal(err)
	}
	for _, c := range nameservice.Concerns {
		result, err := s.Write(t.Context(), shop, nameservice.NewFastForward(c, value(5, c)))
		must(t, result, err)
	}
}

func value(v int64, c nameservice.Concern) nameservice.Value {
	return nameservice.Value{V: v, Payload: fmt.Appendf(nil, `{"of":%q,"v":%d}`, c, v)}
}

func retractShop(t *testing.T, s *objects.Service, disk *mem.Bucket) {
	t.Helper()
	createShop(t, s, disk)
	result, err := s.Write(t.Context(), shop, nameservice.NewRetract(5, value(6, nameservice.Status)))
	must(t, result, err)
}

const legacyShop = `{"ledger_alias":"shop:main","commit_address":"x","commit_t":5,"status":"ready","updated_at":1705312200}`

func plantShop(t *testing.T, _ *objects.Service, disk *mem.Bucket) {
	t.Helper()
	if _, err := disk.Put(t.Context(), "ns@v2/shop/main.json", []byte(legacyShop)); err != nil {
		t.Fatal(err)
	}
	if _, err := disk.Put(t.Context(), "ns@v2/shop/main.index.json", []byte(`{"ledger_alias":"shop:main","index_address":"y","index_t":4}`)); err != nil {
		t.Fatal(err)
	}
}

// found returns the record, nil for none.
func found(t *testing.T, s *objects.Service) *nameservice.Record {
	t.Helper()
	r, err := s.Get(t.Context(), shop)
	if err != nil && !errors.Is(err, nameservice.ErrNotFound) {
		t.Errorf("a healthy service: %v", err)
	}
	return r
}

func stories() []story {
	all := []story{
		{
			"create", func(*testing.T, *objects.Service, *mem.Bucket) {},
			func(ctx context.Context, s *objects.Service) (bool, error) {
				_, err := s.Create(ctx, nameservice.New{Alias: shop, CreatedAt: created})
				if errors.Is(err, nameservice.ErrExists) {
					return false, nil
				}
				return err == nil, err
			},
			func(t *testing.T, s *objects.Service) bool { return found(t, s) != nil },
		},
		{
			"retract", createShop,
			func(ctx context.Context, s *objects.Service) (bool, error) {
				result, err := s.Write(ctx, shop, nameservice.NewRetract(5, value(6, nameservice.Status)))
				return result.Updated, err
			},
			func(t *testing.T, s *objects.Service) bool {
				r := found(t, s)
				if r.Retracted != r.Status.Equal(value(6, nameservice.Status)) {
					t.Errorf("mark and status do not agree: %s", r.Members().Encode())
				}
				return r.Retracted
			},
		},
		{
			"purge", retractShop,
			func(ctx context.Context, s *objects.Service) (bool, error) {
				result, err := s.Purge(ctx, &nameservice.Record{
					Alias: shop, CreatedAt: created.Unix(), Head: value(5, nameservice.Head), Index: value(5, nameservice.Index),
					Status: value(6, nameservice.Status), Config: value(5, nameservice.Config),
				})
				return result.Updated, err
			},
			func(t *testing.T, s *objects.Service) bool { return found(t, s) == nil },
		},
		{
			"migrate", plantShop,
			func(ctx context.Context, s *objects.Service) (bool, error) { return s.Migrate(ctx, shop) },
			func(t *testing.T, s *objects.Service) bool {
				r := found(t, s)
				if r.Head.V != 5 || r.Index.V != 1 {
					t.Errorf("a record of version 1 became %s", r.Members().Encode())
				}
				return !r.Legacy
			},
		},
	}
	for _, c := range nameservice.Concerns {
		all = append(all, story{
			"push " + c.String(), createShop,
			func(ctx context.Context, s *objects.Service) (bool, error) {
				result, err := s.Write(ctx, shop, nameservice.NewPush(c, value(5, c), value(6, c)))
				return result.Updated, err
			},
			func(t *testing.T, s *objects.Service) bool {
				r := found(t, s)
				for _, other := range nameservice.Concerns {
					if got := r.Value(other); !got.Equal(value(5, other)) && (other != c || !got.Equal(value(6, other))) {
						t.Errorf("%s is %d %s", other, got.V, got.Payload)
					}
				}
				return r.Value(c).V == 6
			},
		})
	}
	return all
}

// TestFaults makes each request of each operation fail, so that the question is lost, or the answer, or
// the process dies there. What an operation says is true: an update is there, a conflict or a refusal
// has written nothing. The next one of a healthy process completes it.
func TestFaults(t *testing.T) {
	for _, fate := range []struct {
		name          string
		applied, dead bool
	}{
		{"the question is lost", false, false},
		{"the answer is lost", true, false},
		{"the process dies before the request", false, true},
		{"the process dies after the request", true, true},
	} {
		for layout, name := range map[objects.Layout]string{objects.LayoutB: "B", objects.LayoutC: "C"} {
			for _, st := range stories() {
				t.Run(fmt.Sprintf("%s, layout %s, %s", st.name, name, fate.name), func(t *testing.T) {
					for at := 0; ; at++ {
						disk := mem.New("names")
						healthy := objects.Open(objects.Options{Bucket: disk, Layout: layout})
						st.prepare(t, healthy, disk)
						bad := &faulty.Bucket{Bucket: disk, At: at, Applied: fate.applied, Dead: fate.dead}
						updated, err := st.do(t.Context(), objects.Open(objects.Options{Bucket: bad, Layout: layout}))
						done := st.done(t, healthy)
						switch {
						case err == nil && updated != done:
							t.Errorf("request %d: it says updated: %v, and a healthy process finds it done: %v", at, updated, done)
						case err != nil && !errors.Is(err, objstore.ErrUnreachable):
							t.Errorf("request %d: the error %v does not say what failed", at, err)
						case err != nil && done && !errors.Is(err, ontosql.ErrOutcomeUnknown) && st.name != "purge": // whose first step may be done
							t.Errorf("request %d: done, and the error does not say that it may be: %v", at, err)
						}
						if _, err := st.do(t.Context(), healthy); err != nil || !st.done(t, healthy) {
							t.Errorf("request %d: the same again, by a healthy process: %v", at, err)
						}
						if left := keys(t, disk); st.name == "purge" && len(left) > 0 {
							t.Errorf("request %d: after the purge %q are left", at, left)
						}
						if t.Failed() {
							return
						}
						if bad.Requests() <= at {
							if at < 3 {
								t.Errorf("the operation made only %d requests", at)
							}
							return
						}
					}
				})
			}
		}
	}
}

// TestAnswerLost: an update whose answer was lost is an update, and not a conflict with itself.
func TestAnswerLost(t *testing.T) {
	disk := mem.New("names")
	createShop(t, objects.Open(objects.Options{Bucket: disk}), disk)
	lose := &lossy{Bucket: disk}
	result, err := objects.Open(objects.Options{Bucket: lose}).Write(t.Context(), shop, nameservice.NewPush(nameservice.Head, value(5, nameservice.Head), value(6, nameservice.Head)))
	if err != nil || !result.Updated {
		t.Errorf("got %+v, %v; want an update", result, err)
	}
}

// lossy loses the answer of each Swap.
type lossy struct{ objstore.Bucket }

func (b *lossy) Swap(ctx context.Context, key string, want objstore.Version, body []byte) (objstore.Version, error) {
	if _, err := b.Bucket.Swap(ctx, key, want, body); err != nil {
		return objstore.Absent, err
	}
	return objstore.Absent, &objstore.Error{Op: objstore.OpSwap, Key: key, Err: objstore.ErrUnreachable}
}

// between calls meddle before each Swap of a key.
type between struct {
	objstore.Bucket
	meddle func(key string)
}

func (b *between) Swap(ctx context.Context, key string, want objstore.Version, body []byte) (objstore.Version, error) {
	b.meddle(key)
	return b.Bucket.Swap(ctx, key, want, body)
}

// TestFileOfOtherConcern: a file that another concern has changed since it was read is read and written
// again, and the push is none that has lost. One of the same concern has lost.
func TestFileOfOtherConcern(t *testing.T) {
	disk := mem.New("names")
	other := objects.Open(objects.Options{Bucket: disk})
	createShop(t, other, disk)
	meddled := int64(0)
	s := objects.Open(objects.Options{Bucket: &between{Bucket: disk, meddle: func(string) {
		if meddled++; meddled <= 3 {
			result, err := other.Write(t.Context(), shop, nameservice.NewFastForward(nameservice.Config, value(5+meddled, nameservice.Config)))
			must(t, result, err)
		}
	}}})
	result, err := s.Write(t.Context(), shop, nameservice.NewPush(nameservice.Head, value(5, nameservice.Head), value(6, nameservice.Head)))
	if err != nil || !result.Updated || meddled != 4 {
		t.Errorf("push of the head while the config changes three times: %+v, %v, after %d tries", result, err, meddled)
	}
	r := found(t, other)
	if !r.Head.Equal(value(6, nameservice.Head)) || !r.Config.Equal(value(8, nameservice.Config)) {
		t.Errorf("one has undone the other: %s", r.Members().Encode())
	}

	s = objects.Open(objects.Options{Bucket: &between{Bucket: disk, meddle: func(string) {
		result, err := other.Write(t.Context(), shop, nameservice.NewPush(nameservice.Head, value(6, nameservice.Head), value(8, nameservice.Head)))
		must(t, result, err)
	}}})
	result, err = s.Write(t.Context(), shop, nameservice.NewPush(nameservice.Head, value(6, nameservice.Head), value(7, nameservice.Head)))
	if err != nil || result.Updated || !result.Actual.Equal(value(8, nameservice.Head)) {
		text, _ := json.Marshal(result)
		t.Errorf("push of the head after another one: %s, %v; want the conflict with 8", text, err)
	}
}

// TestFileAlwaysChanged: the tries are bounded.
func TestFileAlwaysChanged(t *testing.T) {
	disk := mem.New("names")
	other := objects.Open(objects.Options{Bucket: disk})
	createShop(t, other, disk)
	v := int64(5)
	s := objects.Open(objects.Options{Bucket: &between{Bucket: disk, meddle: func(string) {
		v++
		result, err := other.Write(t.Context(), shop, nameservice.NewFastForward(nameservice.Config, value(v, nameservice.Config)))
		must(t, result, err)
	}}})
	_, err := s.Write(t.Context(), shop, nameservice.NewPush(nameservice.Head, value(5, nameservice.Head), value(6, nameservice.Head)))
	if !errors.Is(err, objstore.ErrConflict) {
		t.Errorf("got the error %v, want %v", err, objstore.ErrConflict)
	}
}
