package writepath_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/writepath"
)

// TestListOfTypesCannotBeRead takes the list of the types that the original registered away,
// damages it and empties it, then commits: the commit succeeds, the indexes stay as they are, and
// the log says why (seed 001, test 15). Once the list is there again, the next commit brings the
// indexes to the head. Of types that ontosql registered, a new writer makes the list anew from the
// manifests (TestNextWriterProjects).
func TestListOfTypesCannotBeRead(t *testing.T) {
	for name, body := range map[string]string{"missing": "", "no JSON": "{", "without lists": `{"updated_at":"2026-02-10T00:00:00+00:00"}`} {
		t.Run(name, func(t *testing.T) {
			b := mem.New("x")
			initialise(t, b, format.EngineV1)
			theyRegister(t, b, thing, birth)
			theyRegister(t, b, other, birth)
			theyCommit(t, b, thing, "a")
			theyCommit(t, b, other, "a")
			whole, _, err := b.Get(t.Context(), format.TypesKey)
			if err != nil {
				t.Fatal(err)
			}
			indexes := func() (all []string) {
				for _, ref := range []ontosql.TypeRef{thing, other} {
					body, _, err := b.Get(t.Context(), format.IndexKey(ref))
					if err != nil {
						t.Fatal(err)
					}
					all = append(all, string(body))
				}
				return all
			}
			before := indexes()
			if err := b.Delete(t.Context(), format.TypesKey); err != nil {
				t.Fatal(err)
			}
			if body != "" {
				if _, err := b.Put(t.Context(), format.TypesKey, []byte(body)); err != nil {
					t.Fatal(err)
				}
			}
			var said bytes.Buffer
			c := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "test", Logger: slog.New(slog.NewTextHandler(&said, nil))})
			out, err := c.Commit(t.Context(), put(2, "b", 1, thing))
			closeIt(t, c)
			if err != nil || out.Commit != 3 {
				t.Fatalf("commit: %+v, %v", out, err)
			}
			if diff := cmp.Diff(before, indexes()); diff != "" {
				t.Errorf("the indexes have changed (-before +after):\n%s", diff)
			}
			if !strings.Contains(said.String(), "list of types") {
				t.Errorf("the log says nothing of it:\n%s", said.String())
			}
			if _, err := b.Put(t.Context(), format.TypesKey, whole); err != nil {
				t.Fatal(err)
			}
			c = writepath.Open(writepath.Options{Bucket: b, RuntimeID: "test"})
			out, err = c.Commit(t.Context(), put(3, "c", 1, thing))
			closeIt(t, c)
			if err != nil || out.Commit != 4 {
				t.Fatalf("commit: %+v, %v", out, err)
			}
			for i, ref := range []ontosql.TypeRef{thing, other} {
				x, err := format.DecodeIndex("", []byte(indexes()[i]))
				if err != nil || x.MaxIndexedCommit != 4 {
					t.Errorf("index of %s: %+v, %v", ref, x, err)
				}
			}
			verify(t, b)
		})
	}
}
