//go:build !mirrormode

package gateway_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/writepath"
)

// births is a store of things k0, k1, ... that another program has written.
func births(t *testing.T, n int, born func(i int) string) objstore.Bucket {
	t.Helper()
	ctx, b := t.Context(), mem.New("births")
	p := publisher(t, b, format.EngineV1, "another")
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	if _, err := p.Register(ctx, at, []format.Schema{{Ref: thing, Fields: thingFields()}}); err != nil {
		t.Fatal(err)
	}
	rows := func(yield func(format.Row) bool) {
		for i := range n {
			if !yield(thingRow(fmt.Sprint("k", i), born(i))) {
				return
			}
		}
	}
	if _, err := p.Publish(ctx, writepath.Commit{At: at, Data: []writepath.Content{{Type: thing, Rows: rows}}}); err != nil {
		t.Fatal(err)
	}
	if err := p.Close(ctx); err != nil {
		t.Fatal(err)
	}
	return b
}

// moreBirths are things n0, n1, ... that another program writes under version 2 of
// the type, behind a commit.
func moreBirths(t *testing.T, b objstore.Bucket, n int, born func(i int) string, behind ontosql.CommitID) {
	t.Helper()
	c := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "another"})
	rows := func(yield func(writepath.Row, error) bool) {
		for i := range n {
			if !yield(writepath.Row{Row: thingRow(fmt.Sprint("n", i), born(i))}, nil) {
				return
			}
		}
	}
	fields := append(thingFields(), format.NewField("place", format.FieldStr, true))
	_, err := c.Commit(t.Context(), writepath.Tx{Pin: behind, Data: []writepath.Data{{Type: thing, Fields: format.DataFields(fields), SchemaVersion: 2, Rows: rows}}})
	if err := errors.Join(err, c.Close(t.Context())); err != nil {
		t.Fatal(err)
	}
}

// badBirths has no day of birth in every hundredth place from the seventh on.
func badBirths(i int) string {
	if i%100 == 7 {
		return "yesterday"
	}
	return "2026-01-02"
}

// noDates is the warning of so many of them.
func noDates(n int) []string {
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf(`WARNING 01000 %d stored values of column "born" of "thing" are no date and read as NULL`, n)}
}

// TestLookUpOfALargeFile warns of what cannot be read: of its own rows alone as long
// as the mirror has not seen the file, which would take long to look through, and of
// all of the file's in every other case.
func TestLookUpOfALargeFile(t *testing.T) {
	const bad, good = "SELECT born FROM thing WHERE id = 'k207'", "SELECT born FROM thing WHERE id = 'k208'"
	for _, test := range []struct {
		name     string
		rows     int
		mirrored bool
		sql      string
		want     int
	}{
		{"of a good row", 20_000, true, good, 0},
		{"of a bad row", 20_000, true, bad, 1},
		{"of all rows", 20_000, true, "SELECT count(born) FROM thing", 200},
		{"of a good row, and there is no mirror", 20_000, false, good, 200},
		{"of a good row of a small file", 1_000, true, good, 10},
	} {
		store := births(t, test.rows, badBirths)
		h := openHouse(t, store, test.mirrored)
		s := h.session(t, "onto")
		must(t, s, test.sql)
		if diff := cmp.Diff(noDates(test.want), h.notices); diff != "" {
			t.Errorf("look-up %s (-want +got):\n%s", test.name, diff)
		}
		if !test.mirrored || test.rows < 10_000 {
			continue
		}
		h.settle(t, s, "thing")
		h.notices = nil
		must(t, s, good)
		if diff := cmp.Diff(noDates(200), h.notices); diff != "" {
			t.Errorf("look-up %s, and one over the mirror (-want +got):\n%s", test.name, diff)
		}
	}
}

// TestWarningsOutliveTheMirror changes a type that was read from the mirror. What the
// mirror knew of a column that stays holds for the old files, and for them alone.
func TestWarningsOutliveTheMirror(t *testing.T) {
	const rows = 20_000
	fine := func(int) string { return "2026-01-02" }
	for _, test := range []struct {
		name          string
		before, after func(int) string
		want          int
	}{
		{"nothing is wrong", fine, fine, 0},
		{"the old file is bad", badBirths, fine, 200 + 200}, // and the row that was written again
		{"a file of later is bad", fine, badBirths, 200},
	} {
		store := births(t, rows, test.before)
		h := newHouse(t, store)
		s := h.session(t, "onto")
		h.settle(t, s, "thing")
		must(t, s, "SELECT born FROM thing WHERE id = 'k1'")
		must(t, s, "ALTER TABLE thing ADD COLUMN place text DEFAULT 'here'")
		moreBirths(t, store, rows, test.after, 2)
		h.notices = nil
		must(t, s, "SELECT count(born) FROM thing")
		if diff := cmp.Diff(noDates(test.want), h.notices); diff != "" {
			t.Errorf("%s: after the table was changed (-want +got):\n%s", test.name, diff)
		}
		h.settle(t, s, "thing")
		h.notices = nil
		must(t, s, "SELECT count(born) FROM thing")
		if diff := cmp.Diff(noDates(test.want), h.notices); diff != "" {
			t.Errorf("%s: over the mirror (-want +got):\n%s", test.name, diff)
		}
	}
}
