package transfer

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/format"
)

// TestSorter sorts random versions with memory for a few of them and for all: by
// commit, and the newest of each identity.
func TestSorter(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	var rows []format.Row
	for i := range 2000 {
		rows = append(rows, format.Row{
			Commit: ontosql.CommitID(1 + i/10), Left: fmt.Sprint(random.IntN(20)), Right: fmt.Sprint(random.IntN(5)), Instance: []string{"", "é\x00x"}[random.IntN(2)],
			SchemaVersionID: int64(random.IntN(3)), Fields: fmt.Appendf(nil, `{"n":%d}`, i),
		})
	}
	byCommits := slices.Clone(rows)
	slices.SortStableFunc(byCommits, func(a, b format.Row) int { return byCommit(&a, &b) })
	last := map[string]format.Row{}
	for _, r := range rows {
		last[r.Left+" "+r.Right+" "+r.Instance] = r
	}
	var newestRows []format.Row
	for _, r := range last {
		newestRows = append(newestRows, r)
	}
	slices.SortFunc(newestRows, func(a, b format.Row) int { return byIdentity(&a, &b) })

	for _, most := range []int{1, 5000, 1 << 30} {
		sorted := func(compare func(a, b *format.Row) int, each func(*sorter, func(*format.Row) error) error) (got []format.Row) {
			s := &sorter{compare: compare, dir: t.TempDir(), maxBytes: most}
			defer s.close()
			for _, r := range rows {
				if err := s.add(&r); err != nil {
					t.Fatal(err)
				}
			}
			err := each(s, func(r *format.Row) error {
				got = append(got, *r)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		if most == 1 { // each row is a run of its own
			rows = rows[:200]
		}
		all := sorted(byCommit, (*sorter).each)
		want := byCommits[:len(rows)]
		if diff := gocmp.Diff(want, all); diff != "" {
			t.Errorf("%d bytes of memory, by commit (-want +got):\n%s", most, diff)
		}
		if most == 1 {
			rows = rows[:2000]
			continue
		}
		if diff := gocmp.Diff(newestRows, sorted(byIdentity, newest)); diff != "" {
			t.Errorf("%d bytes of memory, the newest (-want +got):\n%s", most, diff)
		}
	}
}

// TestRecords writes records and reads them again, with what JSON of Python holds
// and others do not.
func TestRecords(t *testing.T) {
	entity, relation := ontosql.TypeRef{Kind: ontosql.Entity, Name: "Ä"}, ontosql.TypeRef{Kind: ontosql.Relation, Name: "r"}
	for _, c := range []struct {
		ref  ontosql.TypeRef
		row  format.Row
		with bool
		want string
	}{
		{entity, format.Row{Commit: 3, Key: "k\x00", Fields: []byte(`{"b":NaN,"a":[-Infinity,1e400,"\ud800",1.0,123456789012345678901234567890]}`)}, true, `{"type_kind": "entity", "type_name": "\u00c4", "key": "k\u0000", "fields": {"b": NaN, "a": [-Infinity, Infinity, "\ud800", 1.0, 123456789012345678901234567890]}, "commit_id": 3}`},
		{relation, format.Row{Left: "l", Right: "", Fields: []byte("{}")}, false, `{"type_kind": "relation", "type_name": "r", "left_key": "l", "right_key": "", "fields": {}}`},
		{relation, format.Row{Left: "l", Right: "x", Instance: "i", Fields: []byte("{}")}, false, `{"type_kind": "relation", "type_name": "r", "left_key": "l", "right_key": "x", "fields": {}, "instance_key": "i"}`},
	} {
		line, err := appendRecord(nil, &catalog.Type{Ref: c.ref}, &c.row, c.with)
		if err != nil || string(line) != c.want {
			t.Errorf("%v, %s\nwant %s", err, line, c.want)
		}
		r, err := parseRecord(line)
		if err != nil || r.ref != c.ref || r.row.Left != c.row.Left || r.row.Right != c.row.Right || r.row.Instance != c.row.Instance {
			t.Errorf("%s is read as %+v, %v", line, r, err)
		}
		if r.key != nil && *r.key != c.row.Key {
			t.Errorf("%s is read with the key %q", line, *r.key)
		}
	}
	if _, err := appendRecord(nil, &catalog.Type{Ref: entity}, &format.Row{Key: "k", Commit: 7, Fields: []byte("{")}, false); err == nil || !strings.HasPrefix(err.Error(), `entity:Ä "k", commit 7`) {
		t.Errorf("a row that is no JSON: %v", err)
	}
}

// TestRecordOfARenamedField: a record has the current names of fields, not those of the row's
// schema version.
func TestRecordOfARenamedField(t *testing.T) {
	of := &catalog.Type{
		Ref:       ontosql.TypeRef{Kind: ontosql.Entity, Name: "T"},
		Renamings: []catalog.Renaming{{Versions: []int64{1}, Names: [][2]string{{"a", "b"}, {"gone", ""}}}},
	}
	for version, fields := range map[int64]string{1: `{"b": 1, "c": 2}`, 2: `{"gone": 0, "a": 1, "c": 2}`} {
		line, err := appendRecord(nil, of, &format.Row{Key: "k", SchemaVersionID: version, Fields: []byte(`{"gone":0,"a":1,"c":2}`)}, false)
		want := `{"type_kind": "entity", "type_name": "T", "key": "k", "fields": ` + fields + `}`
		if err != nil || string(line) != want {
			t.Errorf("version %d: got %s (%v), want %s", version, line, err, want)
		}
	}
}
