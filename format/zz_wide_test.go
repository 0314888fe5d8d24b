package format_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/ontosql/ontosql/format"
)

func TestZZWide(t *testing.T) {
	for _, width := range []int{100, 10_000, 1 << 20} {
		text := make([]byte, width)
		for i := range text {
			text[i] = "abcdefghijklmnopqrstuvwxyz"[rand.IntN(26)]
		}
		n := 300 << 20 / width
		if n > 1_000_000 { n = 1_000_000 }
		rows := func(yield func(format.Row, error) bool) {
			for i := range n {
				if !yield(format.Row{Commit: 7, Key: fmt.Sprint(i), SchemaVersionID: 1, Fields: fmt.Appendf(nil, `{"id":"%d%s"}`, i, text)}, nil) {
					return
				}
			}
		}
		runtime.GC(); runtime.GC()
		read := func() uint64 {
			s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
			metrics.Read(s)
			return s[0].Value.Uint64()
		}
		base, most := read(), uint64(0)
		stop, done := make(chan bool), make(chan bool)
		go func() {
			defer close(done)
			for {
				select {
				case <-stop:
					return
				case <-time.After(time.Millisecond):
					if r := read(); r > base { most = max(most, r-base) }
				}
			}
		}()
		if _, err := format.WriteRows(io.Discard, customer, benchFields, rows); err != nil {
			t.Fatal(err)
		}
		close(stop)
		<-done
		t.Logf("width %d, %d rows: %d MiB", width, n, most>>20)
	}
}
