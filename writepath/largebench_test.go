package writepath_test

import (
	"context"
	"io"
	"os"
	"runtime"
	"runtime/metrics"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/dir"
	"github.com/ontosql/ontosql/writepath"
)

// BenchmarkLargeCommit measures how long a transaction of many rows with five columns takes to
// be durable in a directory, where the time is spent, and its peak memory.
func BenchmarkLargeCommit(b *testing.B) {
	for _, n := range []int{1_000_000, 10_000_000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) { benchmarkLargeCommit(b, n) })
	}
}

func benchmarkLargeCommit(b *testing.B, n int) {
	disk, err := dir.Open(b.TempDir(), dir.Options{})
	if err != nil {
		b.Fatal(err)
	}
	if _, err := writepath.Init(b.Context(), disk, writepath.InitOptions{URI: disk.String(), Engine: format.EngineV1}); err != nil {
		b.Fatal(err)
	}
	uploads := &timed{Bucket: disk}
	c := writepath.Open(writepath.Options{Bucket: uploads, RuntimeID: "bench", TempDir: b.TempDir()})
	defer c.Close(b.Context())
	schema := schemaOf(thing)
	schema.Fields = append(schema.Fields, format.NewField("active", format.FieldBool, false), format.NewField("score", format.FieldFloat, false), format.NewField("tier", format.FieldStr, false))
	if _, err := c.Register(b.Context(), birth, []format.Schema{schema}); err != nil {
		b.Fatal(err)
	}
	var fields []byte
	rows := func(yield func(writepath.Row, error) bool) {
		for i := range n {
			key := strconv.Itoa(100_000_000 + i)
			fields = append(append(fields[:0], `{"active":true,"id":"`...), key...)
			fields = strconv.AppendInt(append(fields, `","n":`...), int64(i), 10)
			fields = strconv.AppendInt(append(fields, `,"score":`...), int64(i%1000), 10)
			fields = append(append(fields, `.25,"tier":"t`...), byte('0'+i%4), '"', '}')
			if !yield(writepath.Row{Row: format.Row{Key: key, Fields: fields}}, nil) {
				return
			}
		}
	}
	var heap, resident uint64
	var cpu time.Duration
	for b.Loop() {
		b.StopTimer()
		pin := readHead(b, disk).CommitID
		runtime.GC()
		watch, before := watchMemory(), processor(b)
		b.StartTimer()
		d := data(thing)
		d.Fields, d.Rows = format.DataFields(schema.Fields), rows
		if _, err := c.Commit(b.Context(), writepath.Tx{Pin: pin, Data: []writepath.Data{d}}); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		h, r := watch()
		heap, resident = max(heap, h), max(resident, r)
		cpu += processor(b) - before
		b.StartTimer()
	}
	b.ReportMetric(cpu.Seconds()/float64(b.N), "cpu-s")
	b.ReportMetric(uploads.took.Seconds()/float64(b.N), "upload-s")
	b.ReportMetric(float64(heap)/(1<<20), "heap-MiB")
	b.ReportMetric(float64(resident)/(1<<20), "rss-MiB")
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}

// timed measures uploads: reading, hashing, writing the body and making it durable.
type timed struct {
	objstore.Bucket
	took time.Duration
}

func (u *timed) Upload(ctx context.Context, key string, body io.ReaderAt, size int64) (objstore.Version, error) {
	defer func(began time.Time) { u.took += time.Since(began) }(time.Now())
	return u.Bucket.Upload(ctx, key, body, size)
}

// watchMemory measures the growth of heap and resident set until its result is called.
func watchMemory() func() (heap, resident uint64) {
	read := func() (uint64, uint64) {
		sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		metrics.Read(sample)
		statm, _ := os.ReadFile("/proc/self/statm")
		pages, _ := strconv.ParseUint(strings.Fields(string(statm) + " 0 0")[1], 10, 64)
		return sample[0].Value.Uint64(), pages * uint64(os.Getpagesize())
	}
	heap0, resident0 := read()
	heap, resident := heap0, resident0
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			case <-time.After(5 * time.Millisecond):
				h, r := read()
				heap, resident = max(heap, h), max(resident, r)
			}
		}
	}()
	return func() (uint64, uint64) {
		close(stop)
		<-done
		return heap - heap0, resident - resident0
	}
}
