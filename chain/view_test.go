package chain

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/fixtures"
	"github.com/ontosql/ontosql/objstore/mem"
)

var (
	customer     = ontosql.TypeRef{Kind: ontosql.Entity, Name: "Customer"}
	subscription = ontosql.TypeRef{Kind: ontosql.Relation, Name: "Subscription"}
)

func TestPoints(t *testing.T) {
	s := newStore(t).grow(4, "a")
	// A writer whose clock ran behind: commit 5 says it was made after 2.
	s.commit("a", func(m *format.Manifest) { m.CreatedAt = format.TimeOf(day(2).Add(time.Second)) })
	v := view(t, openLog(t, "", s), s.head)
	for _, test := range []struct {
		point ontosql.Point
		want  ontosql.CommitID
	}{
		{ontosql.AtHead(), 5},
		{ontosql.AtCommit(3), 3},
		{ontosql.AtCommit(99), 5},
		{ontosql.AtCommit(-1), 0},
		{ontosql.AtTime(day(1).Add(-time.Nanosecond)), 0},
		{ontosql.AtTime(day(1)), 1},
		{ontosql.AtTime(day(2).Add(time.Millisecond)), 2},
		{ontosql.AtTime(day(2).Add(time.Second)), 5},
		{ontosql.AtTime(day(4)), 5},
	} {
		if got, err := v.Resolve(test.point); err != nil || got != test.want {
			t.Errorf("point %v is commit %d, %v, want %d", test.point, got, err, test.want)
		}
	}
}

// TestTags: the newest commit that changes tags says which there are, at every head, and to a
// log that is read again. A damaged set is an error of tags alone.
func TestTags(t *testing.T) {
	s := newStore(t).grow(2, "a")
	tag := func(tags format.Tags) ontosql.Head {
		s.commit("a", func(m *format.Manifest) { m.Files, m.Metadata[format.MetadataTags] = nil, format.EncodeTags(tags) })
		return s.head.Pin()
	}
	one, two := format.Tag{Commit: 1, CreatedAt: format.TimeOf(day(3))}, format.Tag{Commit: 3, Message: "say \"x\"", Actor: "ann", CreatedAt: format.TimeOf(day(4))}
	tag(format.Tags{"one": one})
	before := s.head
	tag(format.Tags{"one": one, "two": two})
	s.grow(2, "b")
	untagged := s.head
	tag(format.Tags{})
	dir := t.TempDir()
	for range 2 { // the second time from the file of the log
		l := openLog(t, dir, s)
		for head, want := range map[*format.Head]format.Tags{before: {"one": one}, untagged: {"one": one, "two": two}, s.head: {}} {
			got, err := view(t, l, head).Tags()
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("tags at commit %d (-want +got), %v:\n%s", head.CommitID, err, diff)
			}
		}
		v := view(t, l, untagged)
		if got, err := v.Resolve(ontosql.AtTag("two")); err != nil || got != 3 {
			t.Errorf("tag two is commit %d, %v", got, err)
		}
		var unknown *ontosql.BadPointError
		if got, err := v.Resolve(ontosql.AtTag("three")); !errors.As(err, &unknown) {
			t.Errorf("a tag that does not exist is commit %d, %v", got, err)
		}
	}
	for _, damaged := range []string{`7`, `"{"`, `"[]"`, `"{\"x\":{}}"`, `"{\"42\":{\"commit_id\":1,\"created_at\":\"2026-01-01T00:00:00+00:00\"}}"`, `"{\"x\":{\"commit_id\":0,\"created_at\":\"2026-01-01T00:00:00+00:00\"}}"`} {
		s.commit("c", func(m *format.Manifest) { m.Metadata[format.MetadataTags] = []byte(damaged) })
		v := view(t, openLog(t, "", s), s.head)
		var corrupt *ontosql.CorruptError
		if tags, err := v.Tags(); !errors.As(err, &corrupt) || corrupt.Key != *s.head.ManifestPath {
			t.Errorf("%s has the tags %v, %v; want the manifest to be named", damaged, tags, err)
		}
	}
}

// TestFloor drops types in both spellings; one is created again by the very
// commit that drops it.
func TestFloor(t *testing.T) {
	s := newStore(t).grow(3, "a")
	meta := func(values map[string]any) func(*format.Manifest) {
		return func(m *format.Manifest) {
			m.Files = nil
			for name, value := range values {
				text, err := json.Marshal(value)
				if err != nil {
					t.Fatal(err)
				}
				m.Metadata[name] = text
			}
		}
	}
	s.commit("a", meta(map[string]any{ // 4
		"operation": "schema_drop", "target_kind": "entity", "target_type": "Product",
		"affected_types": `[{"kind": "entity", "type_name": "Product"}, {"kind": "relation", "type_name": "Subscription"}]`,
	}))
	s.grow(2, "a")                           // 5, 6
	s.commit("a", func(m *format.Manifest) { // 7: files, so no drop of the original
		m.Metadata["operation"], m.Metadata["target_kind"], m.Metadata["target_type"] = []byte(`"schema_drop"`), []byte(`"entity"`), []byte(`"Customer"`)
	})
	beforeOurs := s.head
	s.commit("a", func(m *format.Manifest) { // 8
		change, err := format.EncodeSchemaChange(&format.SchemaChange{Dropped: []format.DroppedRef{{Kind: "entity", Type: "Customer", Purged: true}}})
		if err != nil {
			t.Fatal(err)
		}
		m.Metadata[format.MetadataSchema] = change
	})
	s.grow(1, "a") // 9
	dir := t.TempDir()
	l := openLog(t, dir, s)
	type answer struct {
		Floor, Last ontosql.CommitID
		Files       []ontosql.CommitID
	}
	ask := func(v *View, ref ontosql.TypeRef, lower, upper ontosql.CommitID) answer {
		a := answer{Floor: v.Floor(ref), Last: v.LastCommit(ref)}
		for _, f := range v.Files(ref, lower, upper) {
			if f.Ref() != ref {
				t.Errorf("files of %v have one of %v", ref, f.Ref())
			}
			a.Files = append(a.Files, f.Commit)
		}
		return a
	}
	for name, v := range map[string]*View{"as read": view(t, l, s.head), "as kept": view(t, openLog(t, dir, s), s.head)} {
		for _, test := range []struct {
			what         string
			v            *View
			ref          ontosql.TypeRef
			lower, upper ontosql.CommitID
			want         answer
		}{
			{"dropped as affected", v, subscription, 0, 9, answer{4, 9, []ontosql.CommitID{6, 9}}},
			{"below the floor", v, subscription, 0, 4, answer{4, 9, nil}},
			{"dropped by us, written in that commit", v, customer, 0, 9, answer{8, 9, []ontosql.CommitID{8, 9}}},
			{"bounds", v, customer, 8, 9, answer{8, 9, []ontosql.CommitID{9}}},
			{"an earlier head has an earlier floor", view(t, l, beforeOurs), customer, 2, 99, answer{0, 7, []ontosql.CommitID{3, 5, 6, 7}}},
			{"never written", v, ontosql.TypeRef{Kind: ontosql.Entity, Name: "Product"}, 0, 9, answer{Floor: 4}},
			{"never heard of", v, ontosql.TypeRef{Kind: ontosql.Relation, Name: "Customer"}, 0, 9, answer{}},
		} {
			if diff := cmp.Diff(test.want, ask(test.v, test.ref, test.lower, test.upper)); diff != "" {
				t.Errorf("%s, %s (-want +got):\n%s", name, test.what, diff)
			}
		}
		for upTo, want := range map[ontosql.CommitID]ontosql.CommitID{-1: 0, 0: 0, 3: 0, 5: 0, 6: 6, 8: 6, 9: 9, 99: 9} {
			if got := v.LastCommitTo(subscription, upTo); got != want {
				t.Errorf("%s: last commit of %v up to %d is %d, want %d", name, subscription, upTo, got, want)
			}
		}
		for upTo, want := range map[ontosql.CommitID]ontosql.CommitID{7: 0, 8: 8, 9: 8, 99: 8} {
			change, at, err := v.LastSchemaChange(upTo)
			if err != nil || at != want || (change == nil) != (want == 0) {
				t.Errorf("%s: last schema change up to %d: commit %d, %v, %v; want commit %d", name, upTo, at, change, err, want)
			}
		}
	}
}

func TestFindAttempt(t *testing.T) {
	s := newStore(t).grow(5, "a")
	s.commit("0f00ba12", nil)
	s.commit("a", func(m *format.Manifest) { m.Metadata[format.MetadataAttempt] = []byte(`"client-7"`) })
	v := view(t, openLog(t, "", s), s.head)
	for attempt, want := range map[string]ontosql.CommitID{"0f00ba12": 6, "client-7": 7, "lost": 0, "": 0} {
		got := ontosql.CommitID(0)
		if e := v.FindAttempt(attempt); e != nil {
			got = e.ID
		}
		if got != want {
			t.Errorf("attempt %q became commit %d, want %d", attempt, got, want)
		}
	}
}

// TestFixtures reads what the original wrote, stage after stage into one
// directory, as a gateway that was started then and now would.
func TestFixtures(t *testing.T) {
	dirs := map[string]string{"s3-v1": t.TempDir(), "s3-v2": t.TempDir()}
	for _, name := range fixtures.Stores {
		t.Run(name, func(t *testing.T) {
			b := mem.New(name)
			fixtures.Load(t, b, name)
			body, _, err := b.Get(t.Context(), format.HeadKey)
			if err != nil {
				t.Fatal(err)
			}
			head, err := format.DecodeHead(format.HeadKey, body)
			if err != nil {
				t.Fatal(err)
			}
			v := view(t, openLog(t, dirs[name[:5]], b), head)
			if v.Len() != int(head.CommitID) {
				t.Errorf("%d commits, want %d", v.Len(), head.CommitID)
			}
			if v.Len() < 8 {
				return
			}
			scratch := ontosql.TypeRef{Kind: ontosql.Entity, Name: "Scratch"}
			if v.Floor(scratch) != 8 || v.LastCommit(scratch) != 0 || v.Files(scratch, 0, 8) != nil {
				t.Errorf("the dropped type has floor %d, last commit %d, files %v", v.Floor(scratch), v.LastCommit(scratch), v.Files(scratch, 0, 8))
			}
			var at []ontosql.CommitID
			for _, f := range v.Files(customer, 0, 8) {
				at = append(at, f.Commit)
			}
			if diff := cmp.Diff([]ontosql.CommitID{1, 2, 4, 5}, at); diff != "" {
				t.Errorf("commits with files of Customer (-want +got):\n%s", diff)
			}
		})
	}
}
