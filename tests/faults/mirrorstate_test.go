package faults

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ontosql/ontosql/internal/testenv"
)

// late is an INSERT of one more customer.
func late(key string) string {
	return fmt.Sprintf(`INSERT INTO customer (id, name, tier, balance) VALUES ('%s', 'Late', 'late', 1)`, key)
}

// TestMirrorDeleted takes the mirror's file and then the whole cache away under
// a gateway that writes.
func TestMirrorDeleted(t *testing.T) {
	t.Parallel()
	store, cache := copyOfDemo(t), filepath.Join(t.TempDir(), "cache")
	g := serve(t, nil, "--cache-dir", cache, "--storage-uri", store)
	c := g.connect(t, "onto")
	want := answersOf(t, c)
	mirrored(t, c, "customer")
	for i, gone := range []string{mirrorFile(t, cache), filepath.Join(cache, "mirror"), cache} {
		if err := os.RemoveAll(gone); err != nil {
			t.Fatal(err)
		}
		c.answers(t, late(fmt.Sprint("z", i)))
		c.answers(t, demoTiers, fmt.Sprintf("%d|4", 41+i))
		answersAre(t, g.connect(t, "onto@54"), "of the past, after "+filepath.Base(gone)+" is gone", want)
	}
}

// TestMirrorDiskFull fills the disk when the mirror is there: statements answer,
// or say that the disk is full, and all is well when there is room again.
func TestMirrorDiskFull(t *testing.T) {
	t.Parallel()
	store, cache := copyOfDemo(t), tmpfs(t, 24<<10)
	g := serve(t, nil, "--cache-dir", cache, "--storage-uri", store)
	c := g.connect(t, "onto")
	want := answersOf(t, c)
	mirrored(t, c, "customer")
	ballast := fillUp(t, cache)
	past := g.connect(t, "onto@54")
	customers, tiers := 40, "40|3"
	for i := range 5 {
		orFull := func(c *client, sql, want string) bool {
			rows, err := c.ask(t, sql)
			if err != nil {
				wantError(t, sql, err, "53100")
			} else if strings.Join(rows, ";") != want {
				t.Errorf("round %d on a full disk: %s answers %q, want %s", i, sql, rows, want)
			}
			return err == nil
		}
		if orFull(c, late(fmt.Sprint("z", i)), "") {
			customers++
			tiers = fmt.Sprintf("%d|4", customers)
		}
		orFull(c, demoTiers, tiers)
		for k, sql := range mirrorQuestions {
			orFull(past, sql, want[k])
		}
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	c.answers(t, demoTiers, tiers)
	answersAre(t, past, "of the past with room again", want)
}

// TestStoreRestoredUnderTheMirror replaces the store by an older copy while sessions read it
// through the mirror. Rows that are newer than the copy disappear at once and completely, and
// new commits follow the last commit of the copy.
func TestStoreRestoredUnderTheMirror(t *testing.T) {
	t.Parallel()
	store := copyOfDemo(t)
	g := serve(t, nil, "--cache-dir", t.TempDir(), "--storage-uri", store, "--s3-lease-ttl-ms", "1000")
	c := g.connect(t, "onto")
	want := answersOf(t, c)
	for i := range 4 {
		c.answers(t, late(fmt.Sprint("z", i)))
	}
	mirrored(t, c, "customer")
	c.answers(t, demoTiers, "44|4")
	waitFor(t, "the write lock to be given back", func() bool {
		rows, err := c.ask(t, `SELECT count(*) FROM ontosql.write_lock`)
		return err == nil && rows[0] == "0"
	})
	for _, part := range []string{"meta", "commits"} {
		if err := os.RemoveAll(filepath.Join(store, part)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(store+"/commits", os.DirFS(demoDir+"/commits")); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(store+"/meta", os.DirFS(demoDir+"/meta")); err != nil {
		t.Fatal(err)
	}
	answersAre(t, c, "restored", want)
	c.answers(t, late("y0"))
	c.answers(t, `SELECT id, commit_id FROM history.customer WHERE name = 'Late'`, "y0|55")
	mirrored(t, c, "customer")
	c.answers(t, `SELECT id, commit_id FROM history.customer WHERE name = 'Late'`, "y0|55")
	answersAre(t, g.connect(t, "onto@54"), "mirrored again", want)
}

// TestStreamOverAMovingMirror reads the first rows of a large result over the
// mirror, lets commits extend that, and reads the rest: it is of one head.
func TestStreamOverAMovingMirror(t *testing.T) {
	t.Parallel()
	g := serve(t, nil, "--cache-dir", t.TempDir(), "--storage-uri", copyOfDemo(t))
	c, other := g.connect(t, "onto"), g.connect(t, "onto")
	mirrored(t, other, "customer")
	ctx, cancel := context.WithTimeout(t.Context(), testenv.Patience)
	defer cancel()
	results := c.Exec(ctx, `SELECT a.id, b.name, repeat(c.name, 40) FROM customer a, customer b, customer c`)
	if !results.NextResult() || !results.ResultReader().NextRow() {
		t.Fatalf("no first row: %v", results.Close())
	}
	for i := range 5 {
		other.answers(t, late(fmt.Sprint("z", i)))
		other.answers(t, demoTiers, fmt.Sprintf("%d|4", 41+i))
	}
	mirrored(t, other, "customer")
	rows := 1
	for results.ResultReader().NextRow() {
		if rows++; strings.HasPrefix(string(results.ResultReader().Values()[0]), "z") {
			t.Errorf("row %d is of a later commit", rows)
		}
	}
	if err := results.Close(); err != nil || rows != 40*40*40 {
		t.Errorf("%d rows of one head, %v, want %d", rows, err, 40*40*40)
	}
	c.answers(t, demoTiers, "45|4")
}
