package rowjson

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/pgerr"
)

func TestStoredValues(t *testing.T) {
	const day = 86_400_000_000
	kind := func(k column.Kind) column.Type { return column.Type{Kind: k} }
	nines := strings.Repeat("9", 26) + "." + strings.Repeat("9", 12)
	for _, c := range []struct {
		of    column.Type
		value any
		want  string // canonical JSON
	}{
		{kind(column.Int64), nil, `null`},
		{kind(column.JSON), nil, `null`},
		{kind(column.Bool), true, `true`},
		{kind(column.Bool), false, `false`},
		{kind(column.Int64), int64(math.MinInt64), `-9223372036854775808`},
		{kind(column.Int64), int64(math.MaxInt64), `9223372036854775807`},
		{kind(column.Int64), int64(0), `0`},
		{kind(column.Float64), 0.0, `0.0`},
		{kind(column.Float64), math.Copysign(0, -1), `-0.0`},
		{kind(column.Float64), 3.0, `3.0`},
		{kind(column.Float64), 0.1, `0.1`},
		{kind(column.Float64), 1e16, `1e+16`},
		{kind(column.Float64), 1e-5, `1e-05`},
		{kind(column.Float64), math.MaxFloat64, `1.7976931348623157e+308`},
		{kind(column.Float64), math.SmallestNonzeroFloat64, `5e-324`},
		{kind(column.Float64), math.NaN(), `NaN`},
		{kind(column.Float64), math.Inf(1), `Infinity`},
		{kind(column.Float64), math.Inf(-1), `-Infinity`},
		{kind(column.Text), "", `""`},
		{kind(column.Text), "Größe \"\\/\x01\x7f\t", `"Gr\u00f6\u00dfe \"\\/\u0001\u007f\t"`},
		{kind(column.Text), "\U0001f600\U0010ffff", `"\ud83d\ude00\udbff\udfff"`},
		{kind(column.Text), "null", `"null"`},
		{kind(column.Bytes), "", `""`},
		{kind(column.Bytes), "\x00\xff\xfe", `"AP/+"`},
		{kind(column.JSON), ` {"b": [1, 2.0, -0.0, 1e2, {}], "a": null, "b": "x"} `, `{"a":null,"b":"x"}`},
		{kind(column.JSON), `{"é":"\ud83d\ude00","a":[[],{}]}`, `{"a":[[],{}],"\u00e9":"\ud83d\ude00"}`},
		{kind(column.JSON), `9223372036854775807`, `9223372036854775807`},
		{kind(column.JSON), `null`, `null`},
		{kind(column.JSON), `""`, `""`},
		{numericType, column.Int128{}, `"0"`},
		{numericType, int128(t, "1"), `"0.000000000001"`},
		{numericType, int128(t, "-1"), `"-0.000000000001"`},
		{numericType, int128(t, "12500000000000"), `"12.5"`},
		{numericType, int128(t, "-1000000000000"), `"-1"`},
		{numericType, int128(t, "9223372036854775807"), `"9223372.036854775807"`},
		{numericType, int128(t, "9223372036854775808"), `"9223372.036854775808"`},
		{numericType, int128(t, "-9223372036854775808"), `"-9223372.036854775808"`},
		{numericType, int128(t, "-9223372036854775809"), `"-9223372.036854775809"`},
		{numericType, int128(t, "18446744073709551616"), `"18446744.073709551616"`},
		{numericType, int128(t, strings.Repeat("9", 38)), `"` + nines + `"`},
		{numericType, int128(t, "-"+strings.Repeat("9", 38)), `"-` + nines + `"`},
		{column.Type{Kind: column.Numeric, Width: 20}, int128(t, "-42"), `"-42"`},
		{column.Type{Kind: column.Numeric, Width: 4, Scale: 2}, int128(t, "-42"), `"-0.42"`},
		{column.Type{Kind: column.Numeric, Width: 2, Scale: 2}, int128(t, "7"), `"0.07"`},
		{kind(column.UUID), column.Int128{}, `"00000000-0000-0000-0000-000000000000"`},
		{kind(column.UUID), column.Int128{Lo: math.MaxUint64, Hi: -1}, `"ffffffff-ffff-ffff-ffff-ffffffffffff"`},
		{kind(column.UUID), column.Int128{Hi: 0x0123456789abcdef, Lo: 0xfedcba9876543210}, `"01234567-89ab-cdef-fedc-ba9876543210"`},
		{kind(column.Date), int32(0), `"1970-01-01"`},
		{kind(column.Date), int32(-719162), `"0001-01-01"`},
		{kind(column.Date), int32(2932896), `"9999-12-31"`},
		{kind(column.TimestampTZ), int64(-1), `"1969-12-31T23:59:59.999999+00:00"`},
		{kind(column.TimestampTZ), int64(-719162 * day), `"0001-01-01T00:00:00.000000+00:00"`},
		{kind(column.TimestampTZ), int64(2932897*day - 1), `"9999-12-31T23:59:59.999999+00:00"`},
	} {
		v, err := Value(vectorOf(t, c.of, c.value), 0, &catalog.Column{Name: "c", Type: c.of})
		if got := string(v.Append(nil, format.Canonical)); err != nil || got != c.want {
			t.Errorf("%s %v is stored as %s, %v; want %s", c.of, c.value, got, err, c.want)
		}
	}
}

func TestValuesThatCannotBeStored(t *testing.T) {
	const day = 86_400_000_000
	kind := func(k column.Kind) column.Type { return column.Type{Kind: k} }
	long := strings.Repeat("x", ontosql.MaxValueSize+1)
	for name, c := range map[string]struct {
		of    column.Type
		value any
		code  string
	}{
		"text too long":                  {kind(column.Text), long, "54000"},
		"bytes too long":                 {kind(column.Bytes), long, "54000"},
		"json too long":                  {kind(column.JSON), `"` + long + `"`, "54000"},
		"nul in text":                    {kind(column.Text), "a\x00b", "22021"},
		"no UTF-8":                       {kind(column.Text), "a\xff", "22021"},
		"a surrogate in text":            {kind(column.Text), "\xed\xa0\x80", "22021"},
		"nul in a json string":           {kind(column.JSON), `["\u0000"]`, "22P05"},
		"nul in a json name":             {kind(column.JSON), `{"\u0000":1}`, "22P05"},
		"a lone surrogate":               {kind(column.JSON), `"\udc00"`, "22P02"},
		"a lone surrogate in a name":     {kind(column.JSON), `{"a":{"\ud800":1}}`, "22P02"},
		"NaN in json":                    {kind(column.JSON), `[NaN]`, "22P02"},
		"infinity in json":               {kind(column.JSON), `{"a":-Infinity}`, "22P02"},
		"a number that is infinity":      {kind(column.JSON), `1e400`, "22P02"},
		"an integer beyond 64 bits":      {kind(column.JSON), `[9223372036854775808]`, "22003"},
		"no json":                        {kind(column.JSON), `{"a":}`, "22P02"},
		"empty json":                     {kind(column.JSON), ``, "22P02"},
		"json too deep":                  {kind(column.JSON), strings.Repeat("[", 6000) + strings.Repeat("]", 6000), "54001"},
		"more whole digits than decimal": {column.Type{Kind: column.Numeric, Width: 38}, int128(t, strings.Repeat("9", 38)), "22003"},
		"more fraction than decimal":     {column.Type{Kind: column.Numeric, Width: 38, Scale: 20}, int128(t, "1"), "22003"},
		"the day before year 1":          {kind(column.Date), int32(-719163), "22008"},
		"the day after year 9999":        {kind(column.Date), int32(2932897), "22008"},
		"infinity":                       {kind(column.Date), column.DateInfinity, "22008"},
		"-infinity":                      {kind(column.TimestampTZ), column.TimestampNegInfinity, "22008"},
		"a moment before year 1":         {kind(column.TimestampTZ), int64(-719162*day - 1), "22008"},
		"a moment after year 9999":       {kind(column.TimestampTZ), int64(2932897 * day), "22008"},
	} {
		_, err := Value(vectorOf(t, c.of, c.value), 0, &catalog.Column{Name: "c", Type: c.of})
		var e *pgerr.Error
		if !errors.As(err, &e) || e.Code != c.code {
			t.Errorf("%s: %v, want %s", name, err, c.code)
		}
	}
	exact := strings.Repeat("x", ontosql.MaxValueSize)
	for _, k := range []column.Kind{column.Text, column.Bytes} {
		if _, err := Value(vectorOf(t, kind(k), exact), 0, &catalog.Column{Name: "c", Type: kind(k)}); err != nil {
			t.Errorf("%s of 64 MiB: %v", k, err)
		}
	}
	if _, err := Value(vectorOf(t, kind(column.Interval), nil), 0, &catalog.Column{}); err != nil {
		t.Errorf("NULL of any type: %v", err)
	}
}

// TestObjectsOfManyMembers would take minutes if it took the square of them.
func TestObjectsOfManyMembers(t *testing.T) {
	text := []byte{'{'}
	for i := range 200_000 {
		text = fmt.Appendf(text, `"k%d":%d,`, i, i)
	}
	text = append(text, `"z":0}`...)
	if _, err := jsonValue(text); err != nil {
		t.Fatal(err)
	}
}
