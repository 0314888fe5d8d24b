package format

import (
	"io"
	"slices"
	"testing"
)

// TestDraftSeams checks that the placeholder is found if it crosses the boundary of two writes.
func TestDraftSeams(t *testing.T) {
	stand := [8]byte{1, 2, 3, 1, 2, 3, 1, 9}
	file := slices.Concat([]byte{1, 2}, stand[:], []byte{1, 2, 3, 1, 2, 3}, stand[:], stand[:], []byte{1})
	want := []int64{2, 16, 24}
	for piece := 1; piece <= len(file); piece++ {
		d := &Draft{placeholder: stand}
		w := &draftWriter{w: io.Discard, d: d}
		for b := range slices.Chunk(file, piece) {
			if _, err := w.Write(b); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(d.offsets, want) || d.Size != int64(len(file)) {
			t.Errorf("in pieces of %d bytes: got offsets %d in %d bytes, want %d in %d", piece, d.offsets, d.Size, want, len(file))
		}
	}
}
