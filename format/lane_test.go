package format_test

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/testenv"
)

// TestLargeFilesFail: files of several pages and row groups, which a goroutine encodes and writes,
// fail like small ones wherever the disk is full or the rows end with an error or a panic, and the
// goroutine ends.
func TestLargeFilesFail(t *testing.T) {
	rows := make([]format.Row, 130_000)
	for i := range rows {
		rows[i] = format.Row{Commit: 7, Key: fmt.Sprintf("k%07d", i*7919%len(rows)), SchemaVersionID: 1, Fields: fmt.Appendf(nil, `{"age":%d}`, i)}
	}
	fields := format.DataFields(fieldsOf(map[string]format.FieldType{"age": format.FieldInt}))
	var whole bytes.Buffer
	size, err := format.WriteSnapshot(&whole, customer, fields, int64(len(rows)), sequence(rows))
	if err != nil || size != int64(whole.Len()) {
		t.Fatalf("a snapshot of %d bytes: size %d, %v", whole.Len(), size, err)
	}
	before := runtime.NumGoroutine()
	for limit := 0; limit < whole.Len(); limit += whole.Len()/7 + 1 {
		if _, err := format.WriteRows(&shortWriter{left: limit}, customer, fields, sequence(rows)); !errors.Is(err, errFull) {
			t.Errorf("a disk that is full after %d bytes: got %v", limit, err)
		}
	}
	broken := errors.New("broken pipe")
	for _, after := range []int{100_000, len(rows)} {
		for _, end := range []func(yield func(format.Row, error) bool){
			func(yield func(format.Row, error) bool) { yield(format.Row{}, broken) },
			func(func(format.Row, error) bool) { panic("broken pipe") },
			func(yield func(format.Row, error) bool) {
				yield(format.Row{Key: "x", Fields: []byte("broken pipe")}, nil)
			},
		} {
			_, err := format.WriteRows(new(bytes.Buffer), customer, fields, func(yield func(format.Row, error) bool) {
				for i := range rows[:after] {
					if !yield(rows[i], nil) {
						return
					}
				}
				end(yield)
			})
			if err == nil {
				t.Errorf("rows that break off after %d: no error", after)
			}
		}
	}
	for limit := time.Now().Add(testenv.Patience); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatalf("%d goroutines are left of %d", runtime.NumGoroutine(), before)
		}
	}
}

// TestBatchesOfLargeRows reads rows that are larger than a batch in few at a time, and keeps them.
func TestBatchesOfLargeRows(t *testing.T) {
	var rows, got []format.Row
	for i := range 40 {
		text := strings.Repeat(fmt.Sprint(i%10), 1<<20)
		rows = append(rows, format.Row{Commit: 3, Left: fmt.Sprint("l", i), Right: text[:i], Instance: fmt.Sprint(i), Fields: fmt.Appendf(nil, `{"a":"%s"}`, text)})
	}
	var body bytes.Buffer
	if _, err := format.WriteRows(&body, buys, nil, sequence(rows)); err != nil {
		t.Fatal(err)
	}
	err := format.Batches(t.Context(), bytes.NewReader(body.Bytes()), int64(body.Len()), func(batch []format.Row) error {
		if len(batch) > 4 {
			t.Errorf("a batch of %d MiB", len(batch))
		}
		got = append(got, batch...)
		return nil
	})
	if err != nil || len(got) != len(rows) {
		t.Fatalf("%d rows, %v", len(got), err)
	}
	for i := range rows {
		if a, b := rows[i], got[i]; a.Left != b.Left || a.Right != b.Right || a.Instance != b.Instance || !bytes.Equal(a.Fields, b.Fields) {
			t.Errorf("row %d is another", i)
		}
	}
}
