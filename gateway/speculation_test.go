package gateway_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/demo"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/wire"
)

// porter is a store whose head can be held back, and refused.
type porter struct {
	objstore.Bucket
	held    atomic.Pointer[hold]
	refused atomic.Bool
}

// hold is one request for the head that waits.
type hold struct{ asked, answer chan struct{} }

var errRefused = errors.New("the store is away")

func (p *porter) Get(ctx context.Context, key string) ([]byte, objstore.Version, error) {
	if key == format.HeadKey {
		if h := p.held.Swap(nil); h != nil {
			close(h.asked)
			<-h.answer
		}
		if p.refused.Load() {
			return nil, objstore.Absent, errRefused
		}
	}
	return p.Bucket.Get(ctx, key)
}

// portered is a gateway behind a porter, with a mirror of all that the demo has or
// without one, and a session of another gateway over the same store.
func portered(t *testing.T, mirrored bool) (h *house, p *porter, s, foreign wire.Session) {
	t.Helper()
	disk := mem.New("demo")
	if err := demo.Fill(t.Context(), disk, nil); err != nil {
		t.Fatal(err)
	}
	p = &porter{Bucket: disk}
	h = openHouse(t, p, mirrored)
	s, foreign = h.session(t, "onto"), openHouse(t, disk, false).session(t, "onto")
	if mirrored && os.Getenv("ONTOSQL_TEST_MIRROR") != "off" {
		h.settle(t, s, demoTables...)
	}
	return h, p, s, foreign
}

// TestHeadMovesBesideAStatement runs a statement, which then knows a pin, and again
// while another gateway commits: the store answers for the head only after that.
// The statement has the commit, however far it had got without.
func TestHeadMovesBesideAStatement(t *testing.T) {
	for name, mirrored := range map[string]bool{"mirror": true, "files": false} {
		t.Run(name, func(t *testing.T) {
			if !mirrored {
				asksNoMirror(t)
			}
			_, p, s, foreign := portered(t, mirrored)
			for i, test := range []struct{ sql, before, beside string }{
				{"SELECT count(*) + $1 FROM customer", "0", "1"},
				{"SELECT name FROM customer WHERE id = $1", "c7", "late1"},
				{"SELECT id, commit_id FROM history.customer WHERE id = $1", "c7", "late2"},
				{"SELECT id FROM as_of.customer(HEAD) WHERE id = $1", "c7", "late3"},
				{"SELECT count(*) + $1 FROM customer a, customer b, customer c, customer d", "0", "1"}, // takes long
				{"SELECT 1 / (count(*) - $1) FROM customer", "0", "45"},                                // divides by zero without the commit
			} {
				sql := strings.Replace(test.sql, "HEAD", "'HEAD'", 1)
				st, err := s.Prepare(t.Context(), wire.Query{SQL: sql}, nil)
				if err != nil {
					t.Fatalf("%s: %v", sql, err)
				}
				for range 2 {
					if _, err := bindAndRun(t, s, st, test.before); err != nil {
						t.Fatalf("%s: %v", sql, err)
					}
				}
				held := &hold{make(chan struct{}), make(chan struct{})}
				p.held.Store(held)
				var got []string
				done := make(chan struct{})
				go func() {
					defer close(done)
					got, err = bindAndRun(t, s, st, test.beside)
				}()
				<-held.asked
				must(t, foreign, newCustomer(fmt.Sprint("late", i)))
				select {
				case <-done:
					t.Errorf("%s answered %q, %v before the head was known", sql, got, err)
				default:
				}
				close(held.answer)
				<-done
				if want := must(t, foreign, sql, test.beside); err != nil || !slices.Equal(got, want) {
					t.Errorf("%s answered %q, %v, and without haste %q", sql, got, err, want)
				}
			}
		})
	}
}

// TestTransactionKeepsTheHeadThatItFound: the first statement of a transaction
// begins at a head that is no longer the newest, and all see the newest.
func TestTransactionKeepsTheHeadThatItFound(t *testing.T) {
	_, _, s, foreign := portered(t, true)
	const sql = "SELECT count(*) FROM customer"
	must(t, s, sql)
	must(t, s, sql)
	must(t, foreign, newCustomer("f1"))
	must(t, s, "BEGIN")
	for range 2 {
		customersAre(t, "the transaction", s, "41")
		must(t, foreign, newCustomer("f2"+fmt.Sprint(len(must(t, foreign, "SELECT id FROM customer")))))
	}
	must(t, s, "COMMIT")
	customersAre(t, "the next statement", s, "43")
}

// TestStatementFailsWithTheStore: what the engine has found is not shown where the
// store does not say that it is the newest.
func TestStatementFailsWithTheStore(t *testing.T) {
	_, p, s, _ := portered(t, true)
	const sql = "SELECT count(*) FROM customer"
	must(t, s, sql)
	must(t, s, sql)
	p.refused.Store(true)
	if rows, err := ask(t, s, sql); err == nil {
		t.Errorf("without the store the answer is %q", rows)
	}
	p.refused.Store(false)
	customersAre(t, "with it, the session", s, "40")
}

// TestRequestsOfARepeatedStatement: it asks for the head and for a list of the
// schema objects, and for nothing else.
func TestRequestsOfARepeatedStatement(t *testing.T) {
	h, _, s, foreign := portered(t, true)
	const sql = "SELECT name FROM customer WHERE id = $1"
	must(t, s, sql, "c7")
	for range 5 {
		before := h.bucket.Status().Total().Requests
		must(t, s, sql, "c7")
		if spent := h.bucket.Status().Total().Requests - before; spent != 2 {
			t.Errorf("a repeated look-up costs %d requests, want 2", spent)
		}
	}
	must(t, foreign, newCustomer("f1"))
	if rows := must(t, s, sql, "f1"); !slices.Equal(rows, []string{"New"}) {
		t.Errorf("the other gateway's customer is %q", rows)
	}
}
