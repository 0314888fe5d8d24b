package wire

import (
	"math"
	"testing"
	"time"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/pgfunc/textout"
)

// TestTextForms holds a few forms that are easily got wrong; what PostgreSQL
// prints was asked of PostgreSQL 15, TestEncodersAgainstPostgres asks for more.
func TestTextForms(t *testing.T) {
	const day = microsPerDay
	kolkata := time.FixedZone("IST", 5*3600+1800)
	numeric := func(scale uint8) column.Type { return column.Type{Kind: column.Numeric, Width: 38, Scale: scale} }
	for _, c := range []struct {
		v    column.Vector
		zone *time.Location
		want string
	}{
		{column.Vector{Type: column.Type{Kind: column.Bool}, Bool: []bool{true}}, nil, "t"},
		{column.Vector{Type: column.Type{Kind: column.Float64}, F64: []float64{1e23}}, nil, "9.999999999999999e+22"},
		{column.Vector{Type: column.Type{Kind: column.Float64}, F64: []float64{1e15}}, nil, "1e+15"},
		{column.Vector{Type: column.Type{Kind: column.Float64}, F64: []float64{123456789012345}}, nil, "123456789012345"},
		{column.Vector{Type: column.Type{Kind: column.Float64}, F64: []float64{1e-5}}, nil, "1e-05"},
		{column.Vector{Type: column.Type{Kind: column.Float64}, F64: []float64{math.Inf(-1)}}, nil, "-Infinity"},
		{column.Vector{Type: column.Type{Kind: column.Float64}, F64: []float64{math.Copysign(0, -1)}}, nil, "-0"},
		{column.Vector{Type: column.Type{Kind: column.Float32}, F32: []float32{1e6}}, nil, "1e+06"},
		{column.Vector{Type: numeric(12), I128: []column.Int128{{Lo: 12_500_000_000_000}}}, nil, "12.5"},
		{column.Vector{Type: numeric(12), I128: []column.Int128{{}}}, nil, "0"},
		{column.Vector{Type: numeric(2), I128: []column.Int128{{Hi: -1, Lo: math.MaxUint64 - 4}}}, nil, "-0.05"},
		{column.Vector{Type: numeric(2), I128: []column.Int128{{Lo: 1000}}}, nil, "10.00"},
		{column.Vector{Type: column.Type{Kind: column.Date}, I32: []int32{-719_163}}, nil, "0001-12-31 BC"},
		{column.Vector{Type: column.Type{Kind: column.Date}, I32: []int32{2_932_897}}, nil, "10000-01-01"},
		{column.Vector{Type: column.Type{Kind: column.Time}, I64: []int64{day}}, nil, "24:00:00"},
		{column.Vector{Type: column.Type{Kind: column.Timestamp}, I64: []int64{-1}}, nil, "1969-12-31 23:59:59.999999"},
		{column.Vector{Type: column.Type{Kind: column.Timestamp}, I64: []int64{column.TimestampInfinity}}, nil, "infinity"},
		{column.Vector{Type: column.Type{Kind: column.TimestampTZ}, I64: []int64{0}}, time.UTC, "1970-01-01 00:00:00+00"},
		{column.Vector{Type: column.Type{Kind: column.TimestampTZ}, I64: []int64{100_000}}, kolkata, "1970-01-01 05:30:00.1+05:30"},
		{
			column.Vector{Type: column.Type{Kind: column.Interval}, Interval: []column.MonthsDaysMicros{{Months: 14, Days: -3, Micros: 14_706_789_000}}},
			nil, "1 year 2 mons -3 days +04:05:06.789",
		},
		{column.Vector{Type: column.Type{Kind: column.Interval}, Interval: make([]column.MonthsDaysMicros, 1)}, nil, "00:00:00"},
		{column.Vector{Type: column.Type{Kind: column.Bytes}, Str: [][]byte{{0, 255}}}, nil, `\x00ff`},
		{column.Vector{Type: column.Type{Kind: column.UUID}, I128: []column.Int128{{Hi: 0x0123456789abcdef, Lo: 1}}}, nil, "01234567-89ab-cdef-0000-000000000001"},
	} {
		oid, _ := OIDOf(c.v.Type)
		if got := string(encodeAll(t, c.v, 1, oid, 0, c.zone)[0]); got != c.want {
			t.Errorf("%v: got %s, want %s", c.v.Type, got, c.want)
		}
	}
}

func TestArrayForms(t *testing.T) {
	texts := column.Vector{Type: column.Type{Kind: column.Text}, Str: [][]byte{[]byte("a"), []byte("NULL"), nil, []byte(`x"y`)}}
	texts.SetNull(2, 4)
	inner := column.Vector{Type: column.Type{Kind: column.List, Elem: &texts.Type}, Child: &texts, Lists: []column.Span{{Length: 1}, {Offset: 1, Length: 3}}}
	outer := column.Vector{Type: column.Type{Kind: column.List, Elem: &inner.Type}, Child: &inner, Lists: []column.Span{{Length: 2}}}
	oid, _ := OIDOf(outer.Type)
	if got, want := string(encodeAll(t, outer, 1, oid, 0, nil)[0]), `{{a},{"NULL",NULL,"x\"y"}}`; oid != 1009 || got != want {
		t.Errorf("nested list: type %d, %s; want 1009, %s", oid, got, want)
	}
	keys := column.Vector{Type: column.Type{Kind: column.Int16}, I16: []int16{1, 2}}
	vector := column.Vector{
		Type: column.Type{Kind: column.List, Name: "int2vector", Elem: &keys.Type}, Child: &keys, Lists: []column.Span{{Length: 2}},
	}
	oid, size := OIDOf(vector.Type)
	if got := string(encodeAll(t, vector, 1, oid, 0, nil)[0]); oid != 22 || size != -1 || got != "1 2" {
		t.Errorf("int2vector: type %d size %d, %s; want 22, -1, 1 2", oid, size, got)
	}
}

func TestOIDOf(t *testing.T) {
	text := column.Type{Kind: column.Text}
	for _, c := range []struct {
		t    column.Type
		oid  uint32
		size int16
	}{
		{column.Type{Kind: column.Null}, 25, -1},
		{column.Type{Kind: column.Invalid}, 0, -1},
		{text, 25, -1},
		{column.Type{Kind: column.Text, Name: "name"}, 19, 64},
		{column.Type{Kind: column.Text, Name: `"char"`}, 18, 1},
		{column.Type{Kind: column.Uint32}, 26, 4},
		{column.Type{Kind: column.Int64, Name: "regtype"}, 2206, 4},
		{column.Type{Kind: column.JSON, Name: "JSON"}, 3802, -1},
		{column.Type{Kind: column.Numeric, Width: 38, Scale: 12}, 1700, -1},
		{column.Type{Kind: column.TimestampTZ}, 1184, 8},
		{column.Type{Kind: column.Interval}, 1186, 16},
		{column.Type{Kind: column.List, Elem: &text}, 1009, -1},
		{column.Type{Kind: column.List, Elem: &column.Type{Kind: column.Text, Name: "name"}}, 1003, -1},
		{column.Type{Kind: column.Text, Name: "no such type"}, 25, -1},
	} {
		if oid, size := OIDOf(c.t); oid != c.oid || size != c.size {
			t.Errorf("%v: got %d, %d, want %d, %d", c.t, oid, size, c.oid, c.size)
		}
	}
}

// TestEncodersRefuse: values that might not fit, or have no binary form, are an
// error before the first row and never wrong bytes.
func TestEncodersRefuse(t *testing.T) {
	for _, c := range []struct {
		kind   column.Kind
		oid    uint32
		format int16
	}{
		{column.Int64, oidInt4, 1},
		{column.Int32, oidInt2, 1},
		{column.Uint32, oidInt4, 1},
		{column.Float64, oidFloat4, 1},
		{column.Text, 2206, 1},
		{column.Text, oidInt4, 1},
		{column.Text, 99_999, 1},
		{column.Bool, oidText, 1},
		{column.Date, oidTimestamp, 1},
		{column.Invalid, 0, 0},
		{column.List, 1009, 0},
	} {
		batch := &column.Batch{Cols: []column.Vector{{Type: column.Type{Kind: c.kind}}}}
		if _, err := newRowEncoder([]Column{{OID: c.oid}}, batch, []int16{c.format}, &textout.Style{}, nil); err == nil {
			t.Errorf("%v as type %d format %d was accepted", c.kind, c.oid, c.format)
		}
	}
}
