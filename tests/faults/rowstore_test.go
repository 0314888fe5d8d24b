package faults

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
)

// TestRowStoreOnAFullDisk fills the disk of the cache, with the row store on it, under a gateway that
// looks up by key and writes by key: every look-up is answered, what is committed is seen, and nobody
// is told of the disk. The gateway ends while the disk is full, when the store would write the last
// rows; the next one looks up what was committed.
func TestRowStoreOnAFullDisk(t *testing.T) {
	t.Parallel()
	store, cache := copyOfDemo(t), tmpfs(t, 64<<10)
	g := serve(t, nil, "--cache-dir", cache, "--storage-uri", store)
	c := g.connect(t, "onto")
	lookUp := func(c *client, want string) {
		t.Helper()
		c.answers(t, `SELECT balance FROM customer WHERE id = 'c1'`, want)
	}
	stored := func(c *client) {
		t.Helper()
		waitFor(t, "look-ups in the row store", func() bool {
			if _, err := c.ask(t, `SELECT balance FROM customer WHERE id = 'c1'`); err != nil {
				t.Fatal(err)
			}
			plan, err := c.ask(t, `EXPLAIN SELECT balance FROM customer WHERE id = 'c1'`)
			return err == nil && strings.Contains(strings.Join(plan, "\n"), "Point: row store")
		})
	}
	stored(c)
	c.answers(t, `UPDATE customer SET balance = 0 WHERE id = 'c1'`)
	ballast := fillUp(t, cache)
	for n := range 40 {
		want := fmt.Sprint(n)
		c.answers(t, `UPDATE customer SET balance = `+want+` WHERE id = 'c1'`)
		lookUp(c, want)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	lookUp(c, "39")
	ballast = fillUp(t, cache)
	g.signal(t, syscall.SIGTERM)
	g.wait(t)
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	g = serve(t, nil, "--cache-dir", cache, "--storage-uri", store)
	c = g.connect(t, "onto")
	stored(c)
	lookUp(c, "39")
	sound(t, store)
}
