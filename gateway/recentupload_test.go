//go:build !mirrormode

package gateway_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/objstore"
)

// TestFirstLookUpAfterAMigration counts what it fetches from the store: the file that
// the migration has written is here already, if the mirror had its type before.
func TestFirstLookUpAfterAMigration(t *testing.T) {
	const rows = 20_000
	for _, mirrored := range []bool{true, false} {
		h := openHouse(t, shop(t), mirrored)
		h.ending = true
		writer, reader := h.session(t, "onto"), h.session(t, "onto")
		must(t, writer, fmt.Sprintf("INSERT INTO shelf SELECT 's' || g, g FROM generate_series(1, %d) AS g", rows))
		if mirrored {
			h.settle(t, reader, "shelf")
		} else {
			must(t, reader, "SELECT count(*) FROM shelf")
		}
		must(t, writer, "ALTER TABLE shelf ALTER COLUMN height TYPE text USING 'h' || height")
		before := h.bucket.Status()[objstore.OpOpen].Requests
		if got := must(t, reader, "SELECT height FROM shelf WHERE name = 's77'"); !cmp.Equal(got, []string{"h77"}) {
			t.Errorf("with a mirror %t: after the migration the row is %q", mirrored, got)
		}
		want := map[bool]int64{true: 0, false: 1}[mirrored]
		if got := h.bucket.Status()[objstore.OpOpen].Requests - before; got != want {
			t.Errorf("with a mirror %t: the first look-up after the migration fetched %d files, want %d", mirrored, got, want)
		}
	}
}

// TestMigrationWithoutACache commits all the same where the file finds no place in it.
func TestMigrationWithoutACache(t *testing.T) {
	h := newHouse(t, shop(t))
	h.ending = true
	s := h.session(t, "onto")
	must(t, s, "INSERT INTO shelf SELECT 's' || g, g FROM generate_series(1, 20000) AS g")
	h.settle(t, s, "shelf")
	if err := os.RemoveAll(h.files); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(h.files, nil, 0o600); err != nil { // no directory can be made there
		t.Fatal(err)
	}
	must(t, s, "ALTER TABLE shelf ALTER COLUMN height TYPE text USING 'h' || height")
	if err := os.Remove(h.files); err != nil {
		t.Fatal(err)
	}
	answers(t, s, "SELECT height FROM shelf WHERE name = 's77'", "h77")
}
