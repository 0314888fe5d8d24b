package gateway_test

import (
	"bytes"
	"fmt"
	"testing"
)

// BenchmarkCopy loads rows of five columns into an empty store, as one commit.
func BenchmarkCopy(b *testing.B) {
	const rows = 200_000
	var data bytes.Buffer
	for i := range rows {
		fmt.Fprintf(&data, "%d\tCustomer number %d\t%d.%02d\t%d.5\t2024-01-%02d\n", i, i, i%1000, i%100, i, i%28+1)
	}
	b.ReportAllocs()
	b.SetBytes(int64(data.Len()))
	for b.Loop() {
		b.StopTimer()
		h := newHouse(b, shop(b))
		h.ending = true
		c := h.copier(b)
		b.StartTimer()
		if tag, err := c.load(b, "COPY item (sku, title, price, weight, day) FROM STDIN", bytes.NewReader(data.Bytes())); err != nil {
			b.Fatal(tag, err)
		}
	}
	b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}
