package writepath

import (
	"errors"
	"os"
	"strconv"
	"syscall"
	"testing"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
)

// TestSpoolOnAFullDisk writes a large transaction to a disk that is always full.
func TestSpoolOnAFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	s := &spool{file: full}
	defer s.close()
	for _, n := range []int{1, 300_000} { // noticed at the end, and on the way
		rows := func(yield func(format.Row, error) bool) {
			for i := range n {
				if !yield(format.Row{Key: strconv.Itoa(i), Fields: []byte("{}")}, nil) {
					return
				}
			}
		}
		err := s.fill(Data{Type: ontosql.TypeRef{Kind: ontosql.Entity, Name: "Thing"}}, rows)
		if !errors.Is(err, ErrNoRoom) || !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("%d rows: got %v, want ErrNoRoom and its cause", n, err)
		}
	}
}
