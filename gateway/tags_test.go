package gateway_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/original"
	"github.com/ontosql/ontosql/wire"
)

// TestEveryDoorReadsTags names points by tags in every way that there is.
func TestEveryDoorReadsTags(t *testing.T) {
	h := newHouse(t, nil)
	s := h.session(t, "onto")
	must(t, s, "SELECT ontosql.tag('Été-2025.v1', 20)")
	want := must(t, s, "SELECT count(*), max(commit_id) FROM as_of.customer(20)")[0]
	const ask = "SELECT count(*), max(commit_id) FROM "
	for sql, args := range map[string][]string{
		"as_of.customer('Été-2025.v1')":                               nil,
		"as_of.customer($1)":                                          {"Été-2025.v1"},
		"as_of.customer((SELECT min(name) FROM ontosql.tags))":        nil,
		"customer FOR SYSTEM_TIME AS OF 'Été-2025.v1'":                nil,
		"customer FOR SYSTEM_TIME AS OF $1":                           {"Été-2025.v1"},
		"customer FOR SYSTEM_TIME AS OF (upper('É') || 'té-2025.v1')": nil,
	} {
		if got := must(t, s, ask+sql, args...)[0]; got != want {
			t.Errorf("%s: %s, want %s", sql, got, want)
		}
	}
	answers(t, s, "SELECT count(*) FROM diff.customer('Été-2025.v1', 20)", "0")
	answers(t, s, "SELECT count(*) FROM ontosql.diff_stat(20, 'Été-2025.v1')", "0")
	must(t, s, "SET ontosql.as_of = 'Été-2025.v1'")
	answers(t, s, ask+"customer", want)
	must(t, s, "RESET ontosql.as_of")
	pinned := h.session(t, "onto@Été-2025.v1")
	for where, other := range map[string]wire.Session{
		"options": h.session(t, "onto", wire.Option{Name: "ontosql.as_of", Value: "Été-2025.v1"}), "the database's name": pinned,
	} {
		if got := must(t, other, ask+"customer")[0]; got != want {
			t.Errorf("%s: %s, want %s", where, got, want)
		}
		refused(t, other, "25006", "SELECT ontosql.tag('later')")
	}
	// A point of the connection is where the tag was; one of the session is looked up.
	must(t, s, "SET ontosql.as_of = 'Été-2025.v1'")
	must(t, h.session(t, "onto"), "SELECT ontosql.untag('Été-2025.v1')")
	answers(t, pinned, ask+"customer", want)
	refused(t, s, "22023", ask+"customer")
	for name, options := range map[string][]wire.Option{"onto@Été-2025.v1": nil, "onto": {{Name: "ontosql.as_of", Value: "Été-2025.v1"}}} {
		if _, _, err := h.gateway.Open(t.Context(), wire.Startup{User: "tester", Database: name, Options: options}); err == nil {
			t.Errorf("a session starts at a tag that is gone: %q %v", name, options)
		}
	}
}

// TestTaggersLoseNothing lets several sessions tag at once, each name twice.
func TestTaggersLoseNothing(t *testing.T) {
	for backend, h := range map[string]*house{"bucket": newHouse(t, shop(t)), "file": fileHouse(t, fixtureCopy(t, "sqlite-v1"), false)} {
		t.Run(backend, func(t *testing.T) {
			const writers, each = 4, 5
			refusals := make([]int, writers)
			var wg sync.WaitGroup
			for i := range writers {
				s := h.session(t, "onto")
				wg.Go(func() {
					for n := range each {
						if _, err := ask(t, s, fmt.Sprintf("SELECT ontosql.tag('t%d.%d', 1)", i/2, n)); err != nil {
							refusals[i]++
						}
					}
				})
			}
			wg.Wait()
			s := h.session(t, "onto")
			want := fmt.Sprint(writers / 2 * each)
			answers(t, s, "SELECT count(*) FROM ontosql.tags", want)
			if got := refusals[0] + refusals[1] + refusals[2] + refusals[3]; fmt.Sprint(got) != want {
				t.Errorf("%d of the calls were refused, want %s", got, want)
			}
		})
	}
}

// TestTheOriginalReadsTags: a tag is a commit of no rows to the original, which goes on writing.
func TestTheOriginalReadsTags(t *testing.T) {
	bucket := shop(t)
	s := newHouse(t, bucket).session(t, "onto")
	must(t, s, "INSERT INTO shelf VALUES ('top', 1)")
	must(t, s, "SELECT ontosql.tag('v1', NULL, 'one shelf')")
	ref := ontosql.TypeRef{Kind: ontosql.Entity, Name: "Shelf"}
	id, err := (&original.Writer{Bucket: bucket, Owner: "original"}).Commit(t.Context(), func(*format.Head) ([]original.Data, error) {
		return []original.Data{{Type: ref, Rows: []format.Row{{Key: "low", Fields: []byte(`{"height":2,"name":"low"}`)}}}}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	types, err := original.Read(t.Context(), bucket)
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for _, r := range types[ref].Rows {
		keys = append(keys, r.Key)
	}
	if slices.Sort(keys); !slices.Equal(keys, []string{"low", "top"}) {
		t.Errorf("the original reads %q", keys)
	}
	answers(t, s, "SELECT name, commit_id < "+fmt.Sprint(id)+", (SELECT count(*) FROM as_of.shelf('v1')) FROM ontosql.tags", "v1|true|1")
}
