package dir_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/ontosql/ontosql/internal/testenv"
)

// TestWatchesEnd: a directory that nobody reads any more is not watched. The watches of all
// processes of a user are limited to 128.
func TestWatchesEnd(t *testing.T) {
	path := t.TempDir()
	write(t, path, "meta/head.json", "1")
	write(t, path, "meta/schema/registry.json", "1")
	b := open(t, path)
	before := watches(t)
	for range 3 {
		listed(t, b)
	}
	_, known, err := b.Get(t.Context(), "meta/head.json")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := b.GetIfChanged(t.Context(), "meta/head.json", known); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(testenv.Patience); watches(t) > before; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d watches are left, and before the reads there were %d", watches(t), before)
		}
	}
}

// watches is how many inotify instances this process has.
func watches(t *testing.T) (n int) {
	t.Helper()
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range open {
		if what, err := os.Readlink("/proc/self/fd/" + fd.Name()); err == nil && strings.HasSuffix(what, "inotify") {
			n++
		}
	}
	return n
}
