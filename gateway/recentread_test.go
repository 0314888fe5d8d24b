package gateway_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/ontosql/ontosql/internal/demo"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/objstore/metered"
)

// TestOwnFilesAreNotFetched: what a session, or the mirror, reads of the commits
// of this gateway it reads without a request. Another gateway has to ask.
func TestOwnFilesAreNotFetched(t *testing.T) {
	disk := mem.New("demo")
	if err := demo.Fill(t.Context(), disk, nil); err != nil {
		t.Fatal(err)
	}
	for _, mirrored := range []bool{false, true} {
		t.Run(fmt.Sprintf("mirror %t", mirrored), func(t *testing.T) {
			var mu sync.Mutex
			var fetched []string
			watched := metered.New(disk, metered.Options{OnRequest: func(op, key string) {
				if strings.HasSuffix(key, ".parquet") && op != objstore.OpPut {
					mu.Lock()
					defer mu.Unlock()
					fetched = append(fetched, op+" "+key)
				}
			}})
			h := openHouse(t, watched, mirrored)
			s := h.session(t, "onto")
			const count = "SELECT count(*) FROM customer"
			before := must(t, s, count)[0]
			if mirrored {
				h.settle(t, s, "customer")
			}
			mu.Lock()
			fetched = nil
			mu.Unlock()
			for n := range 5 {
				must(t, s, fmt.Sprintf("INSERT INTO customer (id, name, tier, balance) VALUES ('own%t%d', 'Own', 'gold', 1)", mirrored, n))
				must(t, s, count)
			}
			if mirrored {
				h.settle(t, s, "customer")
			}
			after := must(t, s, count)[0]
			mu.Lock()
			if len(fetched) > 0 {
				t.Errorf("data files were asked for: %v", fetched)
			}
			fetched = nil
			mu.Unlock()
			other := openHouse(t, watched, false)
			if got := must(t, other.session(t, "onto"), count)[0]; got != after || got == before {
				t.Errorf("the first gateway counts %s rows, before %s, another one %s", after, before, got)
			}
			mu.Lock()
			defer mu.Unlock()
			if len(fetched) < 5 {
				t.Errorf("another gateway asked for %v alone", fetched)
			}
		})
	}
}

// TestForeignFilesAreFetchedOnce: the file of another gateway's commit, which is
// looked into for a conflict, is not asked for again by the statements that read
// it.
func TestForeignFilesAreFetchedOnce(t *testing.T) {
	asksNoMirror(t)
	disk := mem.New("demo")
	if err := demo.Fill(t.Context(), disk, nil); err != nil {
		t.Fatal(err)
	}
	fetched := map[string]int{}
	var mu sync.Mutex
	watched := metered.New(disk, metered.Options{OnRequest: func(op, key string) {
		if strings.HasSuffix(key, ".parquet") && op != objstore.OpPut {
			mu.Lock()
			defer mu.Unlock()
			fetched[key]++
		}
	}})
	here, there := openHouse(t, watched, false).session(t, "onto"), openHouse(t, disk, false).session(t, "onto")
	const insert = "INSERT INTO customer (id, name, tier, balance) VALUES ('%s', 'New', 'gold', 1)"
	must(t, here, "BEGIN")
	must(t, here, fmt.Sprintf(insert, "here"))
	must(t, there, fmt.Sprintf(insert, "there"))
	must(t, here, "COMMIT")
	if rows := must(t, here, "SELECT id FROM customer WHERE name = 'New' ORDER BY id"); len(rows) != 2 {
		t.Errorf("new customers: %v, want both", rows)
	}
	mu.Lock()
	defer mu.Unlock()
	for key, n := range fetched {
		if n != 1 {
			t.Errorf("%s was asked for %d times", key, n)
		}
	}
	if len(fetched) == 0 {
		t.Error("no file was asked for")
	}
}
