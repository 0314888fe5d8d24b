package gateway_test

import (
	"fmt"
	"testing"

	"github.com/ontosql/ontosql/pgerr"
)

// TestWriteSkew lets two transactions read what the other writes: at SERIALIZABLE
// the second is refused, below both commit (docs/transactions.md).
func TestWriteSkew(t *testing.T) {
	for _, level := range []string{"SERIALIZABLE", "REPEATABLE READ"} {
		h := newHouse(t, shop(t))
		a, b := h.session(t, "onto"), h.session(t, "onto")
		must(t, a, "BEGIN ISOLATION LEVEL "+level)
		must(t, b, "BEGIN ISOLATION LEVEL "+level)
		must(t, a, "SELECT count(*) FROM shelf")
		must(t, b, "SELECT count(*) FROM shelf")
		tagged(t, a, "INSERT INTO shelf VALUES ('a', 1)", "INSERT 0 1")
		tagged(t, b, "INSERT INTO shelf VALUES ('b', 1)", "INSERT 0 1")
		succeeds(t, a, "COMMIT")
		if level != "SERIALIZABLE" {
			succeeds(t, b, "COMMIT")
			continue
		}
		e := refused(t, b, pgerr.SerializationFailure, "COMMIT")
		if e.Message != "could not serialize access due to read/write dependencies among transactions" ||
			e.Detail != `Commit 2 wrote rows of type "Shelf", which was read at commit 1.` {
			t.Errorf("%s: %s, detail %s", level, e.Message, e.Detail)
		}
		if got := shelves(t, b); got != "a" {
			t.Errorf("committed are %q", got)
		}
	}
}

// TestWhatSerializableHangsOn commits next to transactions that read, in several ways, or do
// not.
func TestWhatSerializableHangsOn(t *testing.T) {
	for i, c := range []struct {
		read   string
		passes bool
	}{
		{"SELECT 1", true},
		{"SELECT count(*) FROM item", true}, // another type
		{"SELECT count(*) FROM shelf WHERE name = 'nosuch'", false},
		{"SELECT count(*) FROM history.shelf", false},
		{"SELECT 1 FROM item WHERE EXISTS (SELECT 1 FROM shelf)", false},
		{"INSERT INTO item (sku, title) SELECT 7, max(name) || 'x' FROM shelf HAVING count(*) > 100", false},
		{"EXPLAIN ANALYZE SELECT * FROM shelf", false},
		{"SELECT max(commit_id) FROM ontosql.commits", false},
	} {
		h := newHouse(t, shop(t))
		s, other := h.session(t, "onto"), h.session(t, "onto")
		must(t, s, "BEGIN ISOLATION LEVEL SERIALIZABLE")
		must(t, s, c.read)
		must(t, s, c.read+" ") // from the result cache, if that were allowed
		tagged(t, s, "INSERT INTO item (sku, title) VALUES (1, 'x')", "INSERT 0 1")
		tagged(t, other, fmt.Sprintf("INSERT INTO shelf VALUES ('s%d', 1)", i), "INSERT 0 1")
		if c.passes {
			succeeds(t, s, "COMMIT")
		} else {
			refused(t, s, pgerr.SerializationFailure, "COMMIT")
		}
	}
}

// TestSerializableReadsEndWithTheirTransaction commits after a transaction that
// read the type that is written meanwhile.
func TestSerializableReadsEndWithTheirTransaction(t *testing.T) {
	h := newHouse(t, shop(t))
	s, other := h.session(t, "onto"), h.session(t, "onto")
	must(t, s, "SET default_transaction_isolation = 'serializable'")
	must(t, s, "BEGIN")
	must(t, s, "SELECT count(*) FROM shelf")
	tagged(t, other, "INSERT INTO shelf VALUES ('a', 1)", "INSERT 0 1")
	tagged(t, s, "COMMIT", "COMMIT") // it wrote nothing
	must(t, s, "BEGIN")
	tagged(t, s, "INSERT INTO item (sku, title) VALUES (1, 'x')", "INSERT 0 1")
	tagged(t, other, "INSERT INTO shelf VALUES ('b', 1)", "INSERT 0 1")
	succeeds(t, s, "COMMIT")
}
