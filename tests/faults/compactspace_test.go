package faults

import (
	"os"
	"testing"
)

// TestCompactionWithoutSpace compacts where there is no room for the snapshots: on the disk of the
// store, and on that of the cache directory, where they are built. Each time the command ends with
// an error, the answers are the same and the store is sound; with room again it succeeds.
func TestCompactionWithoutSpace(t *testing.T) {
	t.Parallel()
	store, cache := tmpfs(t, 8<<10), tmpfs(t, 8<<10)
	if err := os.CopyFS(store, os.DirFS(copyOfDemo(t))); err != nil {
		t.Fatal(err)
	}
	compact := func() outcome {
		return command(t, nil, "compact", "--cache-dir", cache, "--storage-uri", store, "--apply")
	}
	g := serve(t, nil, "--cache-dir", t.TempDir(), "--storage-uri", store)
	c := g.connect(t, "onto")
	want := answersOf(t, c)
	for disk, says := range map[string]string{store: "no room", cache: "no space left"} {
		ballast := fillUp(t, disk)
		compact().check(t, 4, says)
		answersAre(t, c, "after a compaction without space", want)
		sound(t, store)
		if made, _ := os.ReadDir(store + "/snapshots/entities"); len(made) > 0 {
			t.Errorf("%d snapshots without space on %s", len(made), disk)
		}
		if err := os.Remove(ballast); err != nil {
			t.Fatal(err)
		}
	}
	compact().check(t, 0, "Compacted")
	answersAre(t, c, "after compaction", want)
	command(t, nil, "fsck", "--data", "--storage-uri", store).check(t, 0, "errors: 0")
}
