package format_test

import (
	"fmt"
	"io"
	"testing"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
)

var benchFields = fieldsOf(map[string]format.FieldType{
	"active": format.FieldBool, "age": format.FieldInt, "id": format.FieldStr, "score": format.FieldFloat, "tier": format.FieldStr,
})

func benchRows(n int) []format.Row {
	rows := make([]format.Row, n)
	for i := range rows {
		rows[i] = format.Row{
			Commit: 7, Key: fmt.Sprintf("customer-%07d", i), SchemaVersionID: 1,
			Fields: fmt.Appendf(nil, `{"active":true,"age":%d,"id":"customer-%07d","score":%d.25,"tier":"t%d"}`, i%90, i, i%1000, i%4),
		}
	}
	return rows
}

// BenchmarkWriteRows measures encoding the rows of a commit.
func BenchmarkWriteRows(b *testing.B) {
	for _, n := range []int{1, 100, 100_000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			rows := benchRows(n)
			b.ReportAllocs()
			for b.Loop() {
				written, err := format.WriteRows(io.Discard, customer, format.DataFields(benchFields), sequence(rows))
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(written.Size)/float64(n), "file-bytes/row")
			}
		})
	}
}

// BenchmarkEncodeIndex measures encoding an index, which happens each time it is published.
func BenchmarkEncodeIndex(b *testing.B) {
	index := &format.Index{TypeName: "Customer", MaxIndexedCommit: 5000}
	for id := range ontosql.CommitID(5000) {
		path := fmt.Sprintf("commits/%d-0123abcd/entities/Customer.parquet", id+1)
		index.Entries = append(index.Entries, format.IndexEntry{MinCommitID: id + 1, MaxCommitID: id + 1, Path: path})
	}
	b.ReportAllocs()
	for b.Loop() {
		format.EncodeIndex(index)
	}
}

func BenchmarkInspect(b *testing.B) {
	for _, n := range []int{1, 100_000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			path := write(b, customer, benchFields, benchRows(n))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := format.Inspect(b.Context(), path); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkCanonicalize(b *testing.B) {
	row := benchRows(1)[0].Fields
	b.ReportAllocs()
	for b.Loop() {
		if _, err := format.Canonicalize(row); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppendCanonical(b *testing.B) {
	v, err := format.ParseJSON(benchRows(1)[0].Fields)
	if err != nil {
		b.Fatal(err)
	}
	row := v.Append(nil, format.SpacedInOrder)
	var out []byte
	b.ReportAllocs()
	for b.Loop() {
		if out, err = format.AppendCanonical(out[:0], row); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEqual(b *testing.B) {
	rows := benchRows(2)
	b.ReportAllocs()
	for b.Loop() {
		if format.Equal(rows[0].Fields, rows[1].Fields) {
			b.Fatal("two rows are one")
		}
	}
}
