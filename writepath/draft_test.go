package writepath_test

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/writepath"
)

// drafted returns a transaction whose rows are in a draft.
func drafted(t *testing.T, c *writepath.Committer, n int) (writepath.Tx, *writepath.Draft) {
	t.Helper()
	tx := put(1, "unused", 0, thing)
	d := c.Draft(tx.Data[0])
	if d == nil {
		t.Fatal("no draft could be made")
	}
	t.Cleanup(d.Close)
	for i := range n {
		r := row(thing, fmt.Sprintf("k%d", i), i)
		if err := d.Add(&writepath.Batch{Rows: []format.Row{r}}); err != nil {
			t.Fatal(err)
		}
	}
	tx.Data[0].Draft = d
	tx.Data[0].Rows = func(yield func(writepath.Row, error) bool) {
		for r, err := range d.Identities() {
			if !yield(writepath.Row{Row: r}, err) {
				return
			}
		}
	}
	return tx, d
}

// TestDraftSurvivesAConflict commits a draft that conflicts with another commit, and then
// again at the new head.
func TestDraftSurvivesAConflict(t *testing.T) {
	b := mem.New("x")
	initialise(t, b, format.EngineV1, thing)
	dir := t.TempDir()
	c := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "test", TempDir: dir})
	tx, d := drafted(t, c, 3000)
	if _, err := c.Commit(t.Context(), put(1, "k2000", 7, thing)); err != nil {
		t.Fatal(err)
	}
	_, err := c.Commit(t.Context(), tx)
	var conflict *writepath.ConflictError
	if !errors.As(err, &conflict) || conflict.Key != "k2000" || conflict.Actual != 2 {
		t.Fatalf("over an identity that commit 2 wrote: %v", err)
	}
	tx.Pin = 2 // now it is an update of k2000
	out, err := c.Commit(t.Context(), tx)
	if err != nil || out.Commit != 3 || out.Files[0].RowCount != 3000 {
		t.Fatalf("again: %+v, %v", out, err)
	}
	d.Close()
	d.Close() // once more does no harm
	if err := d.Add(d.Batch()); err == nil {
		t.Error("a closed draft took rows")
	}
	if _, err := c.Commit(t.Context(), put(2, "k5", 7, thing)); !errors.As(err, &conflict) || conflict.Actual != 3 {
		t.Errorf("over an identity of the draft: %v", err)
	}
	closeIt(t, c)
	verify(t, b)
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestDraftsAreFew creates the maximum number of drafts, and another one after one is closed.
func TestDraftsAreFew(t *testing.T) {
	b := mem.New("x")
	initialise(t, b, format.EngineV1, thing)
	c := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "test", TempDir: t.TempDir()})
	var all []*writepath.Draft
	for len(all) < 100 {
		d := c.Draft(put(1, "a", 0, thing).Data[0])
		if d == nil {
			break
		}
		all = append(all, d)
	}
	if len(all) == 0 || len(all) == 100 {
		t.Fatalf("%d drafts at once", len(all))
	}
	all[0].Close()
	d := c.Draft(put(1, "a", 0, thing).Data[0])
	if d == nil {
		t.Error("none was to be had after one was closed")
	} else {
		d.Close()
	}
	for _, d := range all {
		d.Close()
	}
	closeIt(t, c)
}

// TestDraftOnAFullDisk checks that the error is returned by Add or by the commit.
func TestDraftOnAFullDisk(t *testing.T) {
	b := mem.New("x")
	initialise(t, b, format.EngineV1, thing)
	c := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "test", TempDir: "/dev/null/nowhere"})
	defer closeIt(t, c)
	d := c.Draft(put(1, "a", 0, thing).Data[0])
	defer d.Close()
	err := error(nil)
	for i := 0; err == nil && i < 100; i++ {
		err = d.Add(&writepath.Batch{Rows: []format.Row{row(thing, fmt.Sprint(i), i)}})
	}
	if err == nil {
		t.Error("no error came of a directory that cannot be made")
	}
}

// TestDraftKnowsItsIdentities checks the identities of a draft of each kind, before and after
// its rows are written. Batches are reused with other texts.
func TestDraftKnowsItsIdentities(t *testing.T) {
	b := mem.New("x")
	initialise(t, b, format.EngineV1, thing, other, links)
	c := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "test", TempDir: t.TempDir()})
	defer closeIt(t, c)
	for _, ref := range []ontosql.TypeRef{thing, links} {
		d := c.Draft(data(ref))
		defer d.Close()
		const batches, perBatch = 40, 1000
		id := func(n int) string { return fmt.Sprintf("k\"%d", n) }
		for n := range batches {
			batch := d.Batch()
			if len(batch.Rows)+len(batch.Texts) > 0 {
				t.Fatalf("%s: a batch of %d rows", ref, len(batch.Rows))
			}
			for i := range perBatch {
				r := row(ref, id(n*perBatch+i), i)
				start := len(batch.Texts)
				batch.Texts = append(batch.Texts, r.Fields...)
				r.Fields = batch.Texts[start:len(batch.Texts):len(batch.Texts)]
				batch.Rows = append(batch.Rows, r)
			}
			if err := d.Add(batch); err != nil {
				t.Fatal(err)
			}
		}
		has := func(n int) bool {
			r := row(ref, id(n), 0)
			return d.Has([]byte(writepath.Identity(ref.Kind, &r)))
		}
		for n := range batches * perBatch {
			if !has(n) {
				t.Fatalf("%s: it has no row %d", ref, n)
			}
		}
		if has(batches*perBatch) || !d.Distinct() {
			t.Errorf("%s: it has a row that was not added, or one twice", ref)
		}
		if err := d.Add(&writepath.Batch{Rows: []format.Row{row(ref, id(17), 0)}}); err != nil || d.Distinct() {
			t.Errorf("%s: row 17 is there twice and it does not know (%v)", ref, err)
		}
		n := 0
		for r, err := range d.Identities() {
			want := row(ref, id(n%(batches*perBatch)), 0)
			if n == batches*perBatch {
				want = row(ref, id(17), 0)
			}
			if want.Fields = nil; err != nil || !cmp.Equal(r, want) {
				t.Fatalf("%s: row %d of the file: %+v, %v", ref, n, r, err)
			}
			n++
		}
		if n != batches*perBatch+1 {
			t.Errorf("%s: %d rows in the file", ref, n)
		}
		for range d.Identities() {
			break
		}
		if d.Add(d.Batch()) == nil {
			t.Errorf("%s: rows are added to a file that was read", ref)
		}
	}
}
