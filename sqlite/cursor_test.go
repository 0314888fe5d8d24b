package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	lite "zombiezen.com/go/sqlite"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/resolver"
)

// TestWindows reads random windows of random histories, whose types' rows lie
// mixed, and compares them with what SQLite itself answers.
func TestWindows(t *testing.T) {
	for seed := range uint64(10) {
		rng := rand.New(rand.NewPCG(seed, 8))
		m := makeFile(t, journals[seed%2])
		m.exec("PRAGMA synchronous = OFF")
		db := openDB(t, Options{Path: m.path})
		for range 30 {
			var rows []string
			for range rng.IntN(40) {
				typ := "A"
				if rng.IntN(20) > 0 {
					typ = "B"
				}
				for range 1 + rng.IntN(3)*rng.IntN(3) {
					rows = append(rows, fmt.Sprintf("%s %d", typ, rng.IntN(10)))
				}
			}
			m.commit("", rows...)
			if rng.IntN(3) == 0 {
				pinOf(t, db)
			}
		}
		pin := pinOf(t, db)
		for range 60 {
			typ := typeOf(t, pin, ontosql.Entity, []string{"A", "B"}[rng.IntN(2)])
			w := ontosql.Window{Mode: ontosql.History, Lower: ontosql.CommitID(rng.IntN(32) - 1), Upper: ontosql.CommitID(rng.IntN(33))}
			want := asked(t, m.conn, fmt.Sprintf("entity_type = '%s' AND commit_id > %d AND commit_id <= %d ORDER BY id", typ.Ref.Name, w.Lower, w.Upper))
			if diff := cmp.Diff(want, ids(mustVersions(t, db, pin, typ, w))); diff != "" {
				t.Errorf("seed %d: %s in %+v (-want +got):\n%s", seed, typ.Ref, w, diff)
			}
			key := fmt.Sprint(rng.IntN(11))
			want = asked(t, m.conn, fmt.Sprintf("entity_type = '%s' AND entity_key = '%s' AND commit_id > %d AND commit_id <= %d ORDER BY id", typ.Ref.Name, key, w.Lower, w.Upper))
			if diff := cmp.Diff(want, ids(mustVersions(t, db, pin, typ, w, key))); diff != "" {
				t.Errorf("seed %d: %s %s in %+v (-want +got):\n%s", seed, typ.Ref, key, w, diff)
			}
		}
	}
}

// asked are the ids of rows that SQLite finds.
func asked(t *testing.T, c *lite.Conn, where string) []int64 {
	t.Helper()
	found := []int64{}
	stmt, _, err := c.PrepareTransient("SELECT id FROM entity_history WHERE " + where)
	if err != nil {
		t.Fatal(err)
	}
	defer stmt.Finalize()
	for {
		more, err := stmt.Step()
		if err != nil {
			t.Fatal(err)
		}
		if !more {
			return found
		}
		found = append(found, stmt.ColumnInt64(0))
	}
}

func ids(rows []version) []int64 {
	found := []int64{}
	for _, r := range rows {
		found = append(found, r.ID)
	}
	return found
}

// TestBatches reads more rows than a batch has, and larger ones, by a scan and by
// key, while commits go on.
func TestBatches(t *testing.T) {
	m := makeFile(t, "DELETE")
	m.exec(`BEGIN; INSERT INTO commits (created_at) VALUES ('2026-01-01T00:00:00+00:00');
		WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
		INSERT INTO entity_history (entity_type, entity_key, fields_json, commit_id, schema_version_id)
		SELECT 'A', 'k' || (i % 2), '{"id": "' || i || CASE WHEN i % 2000 = 0 THEN hex(zeroblob(1500000)) ELSE '' END || '"}', 1, iif(i % 7 = 0, NULL, i) FROM n; COMMIT`)
	db := openDB(t, Options{Path: m.path})
	pin := pinOf(t, db)
	typ := typeOf(t, pin, ontosql.Entity, "A")
	for _, c := range []struct {
		keys []string
		want int
	}{{nil, 10000}, {[]string{"k1", "k2"}, 5000}, {[]string{"k0", "k1"}, 10000}} {
		cursor, err := db.Versions(t.Context(), pin, typ, ontosql.Window{Mode: ontosql.History, Upper: 1}, c.keys)
		if err != nil {
			t.Fatal(err)
		}
		check := func(b *column.Batch) (size int) {
			t.Helper()
			for i := range b.Len {
				id, image := b.Cols[4].I64[i], b.Cols[3].Str[i]
				size += len(image)
				if !strings.HasPrefix(string(image), fmt.Sprintf(`{"id": "%d`, id)) || b.Cols[2].IsNull(i) != (id%7 == 0) || id%7 != 0 && b.Cols[2].I64[i] != id {
					t.Fatalf("row %d has image %.20s, version %d (NULL: %t)", id, image, b.Cols[2].I64[i], b.Cols[2].IsNull(i))
				}
			}
			return size
		}
		n, batches := 0, 0
		type given struct {
			batch *column.Batch
			ids   []int64
		}
		var last []given
		for ; ; batches++ {
			b, err := cursor.Next(t.Context())
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			size := check(b)
			if n += b.Len; b.Len > batchRows || size > batchBytes+3_100_000 {
				t.Errorf("a batch of %d rows, %d bytes", b.Len, size)
			}
			last = append(last, given{b, slices.Clone(b.Cols[4].I64)})
			last = last[max(len(last)-batchesAlive, 0):]
			for _, before := range last {
				if check(before.batch); !slices.Equal(before.batch.Cols[4].I64, before.ids) {
					t.Fatalf("batch %d is there, and one before it is another one than it was", batches)
				}
			}
			m.commit("", "A k9") // nothing keeps a writer waiting
		}
		if n != c.want || batches < 2 {
			t.Errorf("keys %q: %d rows in %d batches, want %d", c.keys, n, batches, c.want)
		}
	}
}

// TestCursorIsLeft leaves cursors unread and breaks one off: what they used is free
// for the next.
func TestCursorIsLeft(t *testing.T) {
	m := makeFile(t, "WAL")
	m.commit("", "A 1", "A 2")
	db := openDB(t, Options{Path: m.path})
	pin := pinOf(t, db)
	typ := typeOf(t, pin, ontosql.Entity, "A")
	w := ontosql.Window{Mode: ontosql.History, Upper: 1}
	for range 2 * maxReaders {
		c, err := db.Versions(t.Context(), pin, typ, w, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if rows, err := versions(ctx, db, pin, typ, w); !errors.Is(err, context.Canceled) {
			t.Errorf("rows %v, error %v after a cancel", show(rows), err)
		}
	}
	c, err := db.Versions(t.Context(), pin, typ, w, []string{"1"})
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	if _, err := c.Next(t.Context()); !errors.Is(err, io.EOF) {
		t.Errorf("next after close: %v, want %v", err, io.EOF)
	}
	if got := show(mustVersions(t, db, pin, typ, w)); !slices.Equal(got, []string{"1@1", "2@1"}) {
		t.Errorf("rows %v", got)
	}
}

// TestLookUpSeesTheHead: a look-up by key knows whether its pin is the newest head, from the
// second one on, until there is another commit.
func TestLookUpSeesTheHead(t *testing.T) {
	for _, journal := range journals {
		t.Run(journal, func(t *testing.T) {
			m := makeFile(t, journal)
			m.commit("", "A 1", "A 2")
			db := openDB(t, Options{Path: m.path})
			newest := func(pin *resolver.Pin, keys ...string) *resolver.Pin {
				t.Helper()
				c, err := db.Versions(t.Context(), pin, typeOf(t, pin, ontosql.Entity, "A"), ontosql.Window{Upper: pin.Head.Commit}, keys)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := drain(t.Context(), c); err != nil {
					t.Fatal(err)
				}
				return c.Newest()
			}
			first := pinOf(t, db)
			newest(first, "1")
			for range 2 {
				if got := newest(first, "1", "none"); got != first {
					t.Errorf("a look-up at the head sees the pin %v as the newest, want its own", got)
				}
			}
			m.commit("", "A 1")
			if got := newest(first, "1"); got != nil {
				t.Errorf("behind a commit a look-up at the pin before sees %v as the newest, want none", got.Head)
			}
			second := pinOf(t, db)
			newest(second, "1")
			if got := newest(first, "1"); got != second {
				t.Errorf("a look-up at an old pin sees %v as the newest, want the head", got)
			}
			if got := newest(second); got != nil {
				t.Errorf("a scan sees %v as the newest, want none", got)
			}
		})
	}
}

// TestLatestByKey looks identities up whose last commit has several versions of them.
func TestLatestByKey(t *testing.T) {
	m := makeFile(t, "WAL")
	m.commit("", "A 1", "A 2", "A 1")
	m.commit("", "A 2", "A 2")
	db := openDB(t, Options{Path: m.path})
	pin := pinOf(t, db)
	typ := typeOf(t, pin, ontosql.Entity, "A")
	for upper, want := range map[ontosql.CommitID][]int64{0: {}, 1: {1, 3, 2}, 2: {1, 3, 4, 5}} {
		if diff := cmp.Diff(want, ids(mustVersions(t, db, pin, typ, ontosql.Window{Mode: ontosql.Latest, Upper: upper}, "2", "3", "1", "2"))); diff != "" {
			t.Errorf("at commit %d (-want +got):\n%s", upper, diff)
		}
	}
}

// TestManyKeysFromTheLastOn looks more identities up than a batch has, whose rows lie in
// the file in the reverse order of the keys.
func TestManyKeysFromTheLastOn(t *testing.T) {
	const rows = 3*batchRows + 1
	m := makeFile(t, "WAL")
	m.exec(fmt.Sprintf(`BEGIN; INSERT INTO commits (created_at) VALUES ('2026-01-01T00:00:00+00:00');
		WITH RECURSIVE n(i) AS (SELECT %d UNION ALL SELECT i - 1 FROM n WHERE i > 1)
		INSERT INTO entity_history (entity_type, entity_key, fields_json, commit_id, schema_version_id)
		SELECT 'A', printf('%%05d', i), '{}', 1, 1 FROM n; COMMIT`, rows))
	db := openDB(t, Options{Path: m.path})
	pin := pinOf(t, db)
	typ := typeOf(t, pin, ontosql.Entity, "A")
	var keys []string
	var want []int64
	for i := range rows {
		keys, want = append(keys, fmt.Sprintf("%05d", i+1)), append(want, int64(rows-i))
	}
	for _, mode := range []ontosql.Mode{ontosql.Latest, ontosql.History} {
		got := ids(mustVersions(t, db, pin, typ, ontosql.Window{Mode: mode, Upper: 1}, keys...))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d rows instead of %d in mode %v", len(got), rows, mode)
		}
	}
}

// TestKeyInALongHistory looks a key up whose commits are far apart. It takes no longer than in
// the last commit.
func TestKeyInALongHistory(t *testing.T) {
	m := makeFile(t, "WAL")
	m.exec("PRAGMA synchronous = OFF")
	others := slices.Repeat([]string{"B 1"}, maxGap+1)
	const commits = 40
	for range commits {
		m.commit("", append([]string{"A 1"}, others...)...)
	}
	db := openDB(t, Options{Path: m.path})
	pin := pinOf(t, db)
	typ := typeOf(t, pin, ontosql.Entity, "A")
	lookUp := func(lower ontosql.CommitID) float64 {
		return testing.AllocsPerRun(20, func() {
			w := ontosql.Window{Mode: ontosql.Latest, Lower: lower, Upper: pin.Head.Commit}
			if rows := mustVersions(t, db, pin, typ, w, "1"); len(rows) != 1 {
				t.Fatalf("%d rows above commit %d, want 1", len(rows), lower)
			}
		})
	}
	if all, last := lookUp(0), lookUp(pin.Head.Commit-1); all >= 2*last { // a few more if the race detector empties pools
		t.Errorf("a look-up in %d commits makes %v allocations, and %v in the last of them", commits, all, last)
	}
}

func TestRanges(t *testing.T) {
	for _, c := range []struct {
		name         string
		runs         []rowRun
		lower, upper ontosql.CommitID
		want         []span
	}{
		{"none", nil, 0, 9, []span{}},
		{"side by side", []rowRun{{commit: 1, first: 1, last: 5}, {commit: 2, first: 6, last: 9}}, 0, 9, []span{{1, 9}}},
		{"near", []rowRun{{commit: 1, first: 1, last: 5}, {commit: 2, first: 5 + maxGap, last: 90}}, 0, 9, []span{{1, 90}}},
		{"far", []rowRun{{commit: 1, first: 1, last: 5}, {commit: 2, first: 6 + maxGap, last: 90}}, 0, 9, []span{{1, 5}, {6 + maxGap, 90}}},
		{"window", []rowRun{{commit: 1, first: 1, last: 5}, {commit: 2, first: 6, last: 9}, {commit: 4, first: 10, last: 12}}, 1, 3, []span{{6, 9}}},
		{"backwards", []rowRun{{commit: 1, first: 1000, last: 1005}, {commit: 2, first: 1, last: 9}}, 0, 9, []span{{1, 9}, {1000, 1005}}},
		{"one in another", []rowRun{{commit: 1, first: 1, last: 1000}, {commit: 2, first: 500, last: 600}, {commit: 3, first: 2000, last: 2001}}, 0, 9, []span{{1, 1000}, {2000, 2001}}},
	} {
		if got := ranges(runsAfter(c.runs, c.lower), c.upper); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
