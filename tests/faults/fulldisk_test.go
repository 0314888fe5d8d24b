package faults

import (
	"errors"
	"os"
	"testing"

	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/dir"
)

// TestSwapOnAFullDisk swaps an object of three blocks on a disk with room for none, for
// one, and so on. What finds no room says that nothing was written, and nothing was.
func TestSwapOnAFullDisk(t *testing.T) {
	path := tmpfs(t, 1<<10)
	b, err := dir.Open(path, dir.Options{})
	if err != nil {
		t.Fatal(err)
	}
	version, err := b.Put(t.Context(), "meta/head.json", []byte("old"))
	if err != nil {
		t.Fatal(err)
	}
	ballast := fillUp(t, path)
	info, err := os.Stat(ballast)
	if err != nil {
		t.Fatal(err)
	}
	for room := int64(0); ; room++ {
		if err := os.Truncate(ballast, info.Size()-room*4096); err != nil {
			t.Fatal(err)
		}
		_, err := b.Swap(t.Context(), "meta/head.json", version, make([]byte, 3*4096))
		body, _, getErr := b.Get(t.Context(), "meta/head.json")
		if getErr != nil {
			t.Fatal(getErr)
		}
		if err == nil {
			if room == 0 || len(body) != 3*4096 {
				t.Errorf("with %d blocks of room the swap is done, and the object has %d bytes", room, len(body))
			}
			return
		}
		if !errors.Is(err, objstore.ErrFull) || string(body) != "old" {
			t.Fatalf("with %d blocks of room: %v, and the object has %d bytes", room, err, len(body))
		}
	}
}
