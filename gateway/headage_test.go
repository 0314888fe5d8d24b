package gateway_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/demo"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/wire"
	"github.com/ontosql/ontosql/writepath"
)

// newCustomer is an INSERT of one more.
func newCustomer(key string) string {
	return fmt.Sprintf("INSERT INTO customer (id, name, tier, balance) VALUES ('%s', 'New', 'gold', 1)", key)
}

// agedHouse is a gateway whose statements may read a head that is an hour old,
// and a session of another gateway over the same store.
func agedHouse(t *testing.T) (h *house, foreign wire.Session) {
	t.Helper()
	disk := mem.New("demo")
	if err := demo.Fill(t.Context(), disk, nil); err != nil {
		t.Fatal(err)
	}
	return buildHouse(t, disk, houseOptions{maxAge: time.Hour}), openHouse(t, disk, false).session(t, "onto")
}

// customersAre counts them.
func customersAre(t *testing.T, who string, s wire.Session, want string) {
	t.Helper()
	if got := must(t, s, "SELECT count(*) FROM customer"); !slices.Equal(got, []string{want}) {
		t.Errorf("%s counts %v customers, want %s", who, got, want)
	}
}

// TestAgedHeadCostsNoRequest repeats a SELECT while others commit.
func TestAgedHeadCostsNoRequest(t *testing.T) {
	asksNoMirror(t)
	h, foreign := agedHouse(t)
	s := h.session(t, "onto")
	customersAre(t, "the first statement", s, "40")
	before := h.bucket.Status().Total().Requests
	for n := range 5 {
		must(t, foreign, newCustomer(fmt.Sprint("f", n)))
		customersAre(t, "a statement at the aged head", s, "40")
		customersAre(t, "another session", h.session(t, "onto"), "40")
	}
	if spent := h.bucket.Status().Total().Requests - before; spent != 0 {
		t.Errorf("statements at an aged head cost %d requests, want none", spent)
	}
	customersAre(t, "the other gateway", foreign, "45")
}

// TestOwnCommitsAreSeenAtAnAgedHead: what a session of this gateway committed is
// there for the next statement of each of its sessions, and with it what others
// committed before.
func TestOwnCommitsAreSeenAtAnAgedHead(t *testing.T) {
	asksNoMirror(t)
	h, foreign := agedHouse(t)
	one, other := h.session(t, "onto"), h.session(t, "onto")
	h.ending = true
	customersAre(t, "one", one, "40")
	must(t, one, newCustomer("a"))
	customersAre(t, "who committed", one, "41")
	customersAre(t, "another session", other, "41")
	must(t, foreign, newCustomer("b"))
	must(t, other, "BEGIN")
	must(t, other, newCustomer("c"))
	must(t, other, "COMMIT")
	customersAre(t, "one, after a transaction of the other", one, "43")
	customersAre(t, "the other", other, "43")
}

// TestReadAfterAtAnAgedHead names a commit of another gateway.
func TestReadAfterAtAnAgedHead(t *testing.T) {
	asksNoMirror(t)
	h, foreign := agedHouse(t)
	s, other := h.session(t, "onto"), h.session(t, "onto")
	customersAre(t, "the first statement", s, "40")
	must(t, foreign, newCustomer("f"))
	customersAre(t, "a statement at the aged head", s, "40")
	must(t, s, "SET ontosql.read_after = '55'")
	customersAre(t, "who waited for the commit", s, "41")
	customersAre(t, "another session, after that", other, "41")
}

// TestConflictAtAnAgedHead inserts identities that another gateway has inserted
// and this one has not seen.
func TestConflictAtAnAgedHead(t *testing.T) {
	asksNoMirror(t)
	h, foreign := agedHouse(t)
	s := h.session(t, "onto")
	customersAre(t, "the first statement", s, "40")
	must(t, foreign, newCustomer("f1"))
	h.ending = true
	refused(t, s, pgerr.UniqueViolation, newCustomer("f1"))
	customersAre(t, "who met the conflict", s, "41")

	// In a transaction, COMMIT reports it.
	h.ending = false
	must(t, foreign, newCustomer("f2"))
	must(t, s, "BEGIN")
	must(t, s, newCustomer("f2"))
	refused(t, s, pgerr.SerializationFailure, "COMMIT")
	must(t, s, "BEGIN")
	refused(t, s, pgerr.UniqueViolation, newCustomer("f2"))
	must(t, s, "ROLLBACK")

	// Rows of other identities are no conflict.
	must(t, foreign, newCustomer("f3"))
	must(t, s, newCustomer("mine"))
	customersAre(t, "after a commit behind a foreign one", s, "44")
}

// TestNewTypeAtAnAgedHead asks for a table that another writer registered, and
// fills, since the head was read.
func TestNewTypeAtAnAgedHead(t *testing.T) {
	asksNoMirror(t)
	h, _ := agedHouse(t)
	s := h.session(t, "onto")
	customersAre(t, "the first statement", s, "40")
	refused(t, s, pgerr.UndefinedTable, "SELECT * FROM planet")
	p, err := writepath.NewPublisher(t.Context(), h.bucket, "other")
	if err != nil {
		t.Fatal(err)
	}
	planet := format.Schema{Ref: ontosql.TypeRef{Kind: ontosql.Entity, Name: "Planet"}, Fields: []format.SchemaField{keyField("name", format.FieldStr)}}
	if _, err := p.Register(t.Context(), time.Time{}, []format.Schema{planet}); err != nil {
		t.Fatal(err)
	}
	if err := p.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	answers(t, s, "SELECT count(*) FROM planet", "0")
	must(t, s, "INSERT INTO planet (name) VALUES ('Mars')")
	answers(t, s, "SELECT name FROM planet", "Mars")
}
