package copydata_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/gateway/copydata"
	"github.com/ontosql/ontosql/pgfunc/datetime"
	"github.com/ontosql/ontosql/wire"
)

// BenchmarkCopyConvert reads rows of five columns and makes batches of them.
func BenchmarkCopyConvert(b *testing.B) {
	const rows = 1000
	typ := &catalog.Type{}
	form := wire.Copy{Delimiter: '\t', Null: `\N`}
	var fields []int
	for i, t := range []column.Type{
		{Kind: column.Int64}, {Kind: column.Text}, {Kind: column.Numeric, Width: 38, Scale: 12}, {Kind: column.Float64}, {Kind: column.TimestampTZ},
	} {
		typ.Columns = append(typ.Columns, catalog.Column{Name: fmt.Sprint(i), Type: t})
		form.Columns = append(form.Columns, wire.Column{Name: fmt.Sprint(i)})
		fields = append(fields, i)
	}
	var data []byte
	for i := range rows {
		data = fmt.Appendf(data, "%d\tCustomer number %d\t%d.%02d\t%d.5\t2024-01-%02d 12:34:56.789+01\n", i, i, i, i%100, i, i%28+1)
	}
	batch := copydata.NewBatch(typ, fields, time.UTC, datetime.TimeInput{})
	b.ReportAllocs()
	r := wire.NewCopyReader(form, func(context.Context) ([]byte, error) { return data, nil })
	done := 0
	for b.Loop() {
		got, err := r.Next(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		whole, err := batch.Fill(got)
		if err != nil || whole != got.Len {
			b.Fatal(whole, err)
		}
		done += whole
	}
	b.ReportMetric(float64(done)/b.Elapsed().Seconds(), "rows/s")
}
