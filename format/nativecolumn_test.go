package format_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/format"
)

// nativeFields has a field of each type with a native column.
func nativeFields() []format.DataField {
	number := format.DataField{Type: format.FieldDecimal}
	named := func(name string, id int64, f format.DataField) format.DataField {
		f.Name, f.ID = name, id
		return f
	}
	return []format.DataField{
		named("big", 1, number.Sized(38, 12)), named("id", 2, format.DataField{Type: format.FieldStr}),
		named("body", 3, format.DataField{Type: format.FieldBytes}), named("day", 4, format.DataField{Type: format.FieldDate}),
		named("doc", 5, format.DataField{Type: format.FieldJSON}), named("mid", 6, number.Sized(18, 2)),
		named("small", 7, number.Sized(9, 9)), named("time", 8, format.DataField{Type: format.FieldDatetime}),
		named("uuid", 0, format.DataField{Type: format.FieldUUID}), named("wide", math.MaxInt32+1, number.Sized(78, 0)),
	}
}

func nativeFile(t *testing.T, rows ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	list := make([]format.Row, len(rows))
	for i, fields := range rows {
		list[i] = format.Row{Commit: 1, Key: fmt.Sprint(i), SchemaVersionID: 1, Fields: []byte(fields)}
	}
	if _, err := format.WriteRows(&out, customer, nativeFields(), sequence(list)); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestNativeColumns writes a value of each type and reads them back in the form of fields_json.
func TestNativeColumns(t *testing.T) {
	body := nativeFile(t,
		`{"big":"-12345678901234567890.000000000001","body":"/+8=","day":"2024-02-29","doc":{"a":[1.50]},"mid":"-0.01","small":"0.5","time":"1969-12-31T23:59:59.999999+00:00","uuid":"f0112233-4455-6677-8899-aabbccddeeff","wide":"1"}`,
		`{"big":null,"doc":null}`)
	want := []string{
		`big:decimal(38,12) decimal(38,12) "-12345678901234567890.000000000001" null`, `body:bytes bytes "/+8=" null`, `day:date date "2024-02-29" null`,
		`doc:json json {"a":[1.5]} null`, `id string null null`, `mid:decimal(18,2) decimal(18,2) "-0.01" null`, `small:decimal(9,9) decimal(9,9) "0.5" null`,
		`time:timestamptz timestamptz "1969-12-31T23:59:59.999999+00:00" null`, `uuid:uuid uuid "f0112233-4455-6677-8899-aabbccddeeff" null`,
	}
	if diff := cmp.Diff(want, scanned(t, body)[5:]); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
}

// TestColumnIDs checks the ids in the Parquet schema: those of the fields, and those of the system
// columns, which are the same in all files.
func TestColumnIDs(t *testing.T) {
	ids := func(body []byte) (list []string) {
		p, err := file.NewParquetReader(bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		root := p.MetaData().Schema.Root()
		for i := range root.NumFields() {
			list = append(list, fmt.Sprint(root.Field(i).Name(), " ", root.Field(i).FieldID()))
		}
		return list
	}
	want := []string{
		"commit_id 2000000001", "entity_type 2000000002", "entity_key 2000000004", "schema_version_id 2000000008", "fields_json 2000000009",
		"big:decimal(38,12) 1", "body:bytes 3", "day:date 4", "doc:json 5", "id 2", "mid:decimal(18,2) 6", "small:decimal(9,9) 7", "time:timestamptz 8", "uuid:uuid -1",
	}
	if diff := cmp.Diff(want, ids(nativeFile(t, `{}`))); diff != "" {
		t.Errorf("ids of an entity's columns (-want +got):\n%s", diff)
	}
	var out bytes.Buffer
	if _, err := format.WriteRows(&out, buys, nil, sequence(nil)); err != nil {
		t.Fatal(err)
	}
	want = []string{
		"commit_id 2000000001", "relation_type 2000000003", "left_key 2000000005", "right_key 2000000006", "instance_key 2000000007",
		"schema_version_id 2000000008", "fields_json 2000000009",
	}
	if diff := cmp.Diff(want, ids(out.Bytes())); diff != "" {
		t.Errorf("ids of a relation's columns (-want +got):\n%s", diff)
	}
}

// TestRandomNativeValues writes many values, so that there are several pages, dictionaries and
// bounds, and reads them back.
func TestRandomNativeValues(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	r := rand.New(rand.NewPCG(seed, 0))
	t.Logf("seed %d", seed)
	const n = 5000
	rows, want := make([]string, n), make([]string, n)
	for i := range rows {
		day, err1 := format.FormatDate(int32(r.IntN(3_652_059) - 719_162))
		moment, err2 := format.FormatDatetime(r.Int64N(315_537_897_600_000_000-1) - 62_135_596_800_000_000)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		list := []string{randomNumber(r, 26, 12), format.FormatBytes([]byte(fmt.Sprint(r.Uint64()))), day, randomNumber(r, 16, 2), randomNumber(r, 0, 9), moment}
		rows[i] = fmt.Sprintf(`{"big":%q,"body":%q,"day":%q,"mid":%q,"small":%q,"time":%q}`, list[0], list[1], list[2], list[3], list[4], list[5])
		want[i] = fmt.Sprintf("%q", list)
	}
	f, err := format.OpenDataFile(nativeFile(t, rows...))
	if err != nil {
		t.Fatal(err)
	}
	row := 0
	err = f.Scan(t.Context(), func(batch [][]format.Value) error {
		for i := range batch[0] {
			var list []string
			for k, c := range f.Columns() {
				if c.Field != c.Name && !batch[k][i].IsNull() {
					list = append(list, batch[k][i].Text())
				}
			}
			if got := fmt.Sprintf("%q", list); got != want[row] {
				return fmt.Errorf("row %d: %s, want %s", row, got, want[row])
			}
			row++
		}
		return nil
	})
	if err != nil || row != n {
		t.Errorf("seed %d: %d rows, %v", seed, row, err)
	}
}

// randomNumber is the stored text of a number with at most so many digits before and after the
// point.
func randomNumber(r *rand.Rand, whole, fraction int) string {
	digits := func(most int) string {
		text := ""
		for range r.IntN(most + 1) {
			text += fmt.Sprint(r.IntN(10))
		}
		return text
	}
	text := strings.TrimLeft(digits(whole), "0")
	if text == "" {
		text = "0"
	}
	if behind := strings.TrimRight(digits(fraction), "0"); behind != "" {
		text += "." + behind
	}
	if text != "0" && r.IntN(2) == 0 {
		text = "-" + text
	}
	return text
}
