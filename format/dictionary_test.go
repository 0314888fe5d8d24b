package format_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet/file"

	"github.com/ontosql/ontosql/format"
)

// TestDictionaryWhereValuesRepeat: a column has a dictionary if each value occurs eight times or more in a
// row group, also where the first thousand rows have many different ones. Otherwise it has none, because
// it would make the file larger.
func TestDictionaryWhereValuesRepeat(t *testing.T) {
	const rows = 100_000
	random := rand.New(rand.NewPCG(27, 1))
	columns := []struct {
		name  string
		want  bool
		value func(i int) int
	}{
		{"days of seven years", true, func(int) int { return random.IntN(2557) }},
		{"a few", true, func(i int) int { return i % 7 }},
		{"runs of ten", true, func(i int) int { return i / 10 }},
		{"runs of a thousand", true, func(i int) int { return i / 1000 }},
		{"more than an eighth", false, func(int) int { return random.IntN(20_000) }},
		{"runs of four", false, func(i int) int { return i / 4 }},
		{"each of its own", false, func(i int) int { return i }},
		{"each of its own, in no order", false, func(i int) int { return i * 7919 % 100_003 }},
	}
	names := map[string]format.FieldType{}
	for k := range columns {
		names[fmt.Sprintf("c%d", k)] = format.FieldInt
	}
	all := make([]format.Row, rows)
	for i := range all {
		var text strings.Builder
		for k, c := range columns {
			fmt.Fprintf(&text, `,"c%d":%d`, k, c.value(i))
		}
		all[i] = format.Row{Commit: 3, Key: fmt.Sprint(i), Fields: []byte("{" + text.String()[1:] + "}")}
	}
	var body bytes.Buffer
	if _, err := format.WriteRows(&body, customer, format.DataFields(fieldsOf(names)), sequence(all)); err != nil {
		t.Fatal(err)
	}
	reader, err := file.NewParquetReader(bytes.NewReader(body.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	const before = 5 // system columns
	for k, c := range columns {
		chunk, err := reader.MetaData().RowGroup(0).ColumnChunk(before + k)
		if err != nil {
			t.Fatal(err)
		}
		if chunk.HasDictionaryPage() != c.want {
			t.Errorf("%s: a dictionary %t, want %t (%d bytes)", c.name, chunk.HasDictionaryPage(), c.want, chunk.TotalCompressedSize())
		}
	}
}
